// Whether the machine has the memory that searches ask for.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstddef>

#include "games/settings.hpp"

namespace senet {

/// Fails if the searches and caches of `workers` would take more than 80 % of the machine's memory:
/// allocating more could kill the program instead of failing the call.
inline Result<void> check_memory(std::size_t workers, std::size_t searches_each,
                                 std::size_t search_bytes, std::size_t cache_mib_each) {
  const auto gib = [](double bytes) { return std::round(bytes / (1 << 30) * 10) / 10; };
  const double wanted = static_cast<double>(workers) *
                        (static_cast<double>(searches_each) * static_cast<double>(search_bytes) +
                         static_cast<double>(cache_mib_each) * (1 << 20));
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (wanted < 0.8 * memory) return {};
  return fail("visits: with these workers and lanes, searches and caches would take " +
              setting_text(gib(wanted)) + " GiB: at most 80 % of the machine's " +
              setting_text(gib(memory)) + " GiB are allowed");
}

}  // namespace senet
