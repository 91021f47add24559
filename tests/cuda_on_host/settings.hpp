// Settings of the simulated device, read from environment variables.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

namespace senet::cuda_on_host {

/// A number from the environment; ends the process when the value is not a number.
inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  const char* const end = text + std::strlen(text);
  std::uint64_t number = 0;
  if (const auto [stop, error] = std::from_chars(text, end, number);
      stop != end || error != std::errc()) {
    std::fprintf(stderr, "CUDA on the host: %s: \"%s\" is not a number\n", variable, text);
    std::abort();
  }
  return number;
}

struct Settings {
  enum class Order : std::uint8_t { kEager, kLate, kShuffled };

  /// CUDA_ON_HOST_ORDER, the order of work that CUDA leaves unordered: "eager", everything
  /// immediately and first things first; "late", nothing before it is waited for and last things
  /// first; or a number, the seed of a shuffle. Code that is correct in only one order is wrong.
  Order order = Order::kLate;
  std::uint64_t seed = 0;
  /// CUDA_ON_HOST_MIB.
  std::uint64_t memory_bytes = number_of("CUDA_ON_HOST_MIB", 16 << 10) << 20;
  /// CUDA_ON_HOST_LOST_AT: the device is lost at this launch of a recording, counted from 1; 0:
  /// never.
  std::uint64_t lost_at = number_of("CUDA_ON_HOST_LOST_AT", 0);
  /// CUDA_ON_HOST_ALGORITHMS: the most algorithms for a product, 1 to 4 (cublaslt_api.cpp).
  std::uint64_t algorithms = number_of("CUDA_ON_HOST_ALGORITHMS", 1);

  Settings() {
    const char* const text = std::getenv("CUDA_ON_HOST_ORDER");
    const std::string_view wanted = text == nullptr ? "late" : text;
    if (wanted == "late") return;
    order = wanted == "eager" ? Order::kEager : Order::kShuffled;
    if (order == Order::kShuffled) seed = number_of("CUDA_ON_HOST_ORDER", 0);
  }
};

}  // namespace senet::cuda_on_host
