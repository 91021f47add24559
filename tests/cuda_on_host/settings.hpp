// What sort of device the host plays, told by the environment of the program that uses it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace senet::cuda_on_host {

/// A number from the environment.
inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Settings {
  enum class Order : std::uint8_t { kEager, kLate, kShuffled };

  /// CUDA_ON_HOST_ORDER, what is done when of all that CUDA leaves open: "eager", everything at
  /// once and first things first; "late", nothing before somebody waits for it and last things
  /// first; a number, the seed of a shuffle. What is right in one order only is wrong.
  Order order = Order::kLate;
  std::uint32_t seed = 0;
  /// CUDA_ON_HOST_MIB
  std::uint64_t memory_bytes = number_of("CUDA_ON_HOST_MIB", 16 << 10) << 20;
  /// CUDA_ON_HOST_LOST_AFTER: the device is lost after so many recordings were started; 0: never.
  std::uint64_t lost_after = number_of("CUDA_ON_HOST_LOST_AFTER", 0);

  Settings() {
    const char* const text = std::getenv("CUDA_ON_HOST_ORDER");
    if (text == nullptr || std::string_view(text) == "late") return;
    order = std::string_view(text) == "eager" ? Order::kEager : Order::kShuffled;
    seed = static_cast<std::uint32_t>(number_of("CUDA_ON_HOST_ORDER", 0));
  }
};

}  // namespace senet::cuda_on_host
