// The settings of a self-play worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "games/settings.hpp"
#include "nn/evaluation.hpp"
#include "search/settings.hpp"

namespace senet {

struct WorkerSettings {
  Evaluation evaluation = {};
  std::size_t lanes = 64;     // games that the worker plays in parallel
  std::size_t cache_mib = 0;  // evaluation cache in MiB; 0: none
  SearchSettings search = {};
  std::uint32_t visits = 100;  // that each tree has room for
};

/// Without the search's settings, which have their own list.
constexpr auto settings_of(std::type_identity<WorkerSettings>) {
  using S = WorkerSettings;
  return std::tuple{
      &S::evaluation,
      setting("lanes", &S::lanes, "games that each worker interleaves", {.least = 1, .most = 4096}),
      setting("cache", &S::cache_mib, "evaluation cache of each worker; 0: none",
              {.least = 0, .most = 1'000'000, .unit = "MiB"}),
  };
}
constexpr std::string_view settings_heading(std::type_identity<WorkerSettings>) {
  return "Workers";
}

}  // namespace senet
