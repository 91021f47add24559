#include "tests/fuzz/reached_code.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace {

constexpr unsigned kPlaces = 1u << 16;

// Global, because GCC calls __sanitizer_cov_trace_pc() from every basic block of instrumented code.
// `passed` counts how often the current input passed each place; `known` has a bit for each power
// of two in the counts of all inputs so far.
std::array<std::uint8_t, kPlaces> passed;
std::array<std::uint16_t, kPlaces> known;
bool counts = false;

}  // namespace

extern "C" void __sanitizer_cov_trace_pc();
void __sanitizer_cov_trace_pc() {
  if (!counts) return;
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  std::uint8_t& count = passed[(place * 0x9e3779b97f4a7c15u) >> 48];
  if (count < UINT8_MAX) ++count;
}

namespace senet {

void begin_reaching() {
  passed.fill(0);
  counts = true;
}

bool reached_new_code() {
  counts = false;
  bool is_new = false;
  for (unsigned i = 0; i < kPlaces; ++i) {
    if (passed[i] == 0) continue;
    const auto bit = static_cast<std::uint16_t>(1u << std::bit_width(passed[i]));
    is_new = is_new || (known[i] & bit) == 0;
    known[i] = static_cast<std::uint16_t>(known[i] | bit);
  }
  return is_new;
}

unsigned places_reached() {
  unsigned places = 0;
  for (const std::uint16_t bits : known) places += bits != 0;
  return places;
}

}  // namespace senet
