// What every fuzz target is: bytes in, no complaint out. Called by libFuzzer or by fuzz_driver.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// Gives any bytes to what is tested. Returns 0; ends the program where a promise is broken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace senet {

/// Ends the program with what was promised and not kept: the fuzzer then keeps the input.
inline void promise(bool is_kept, const char* what) {
  if (is_kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace senet
