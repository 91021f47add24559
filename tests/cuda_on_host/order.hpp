// The order in which the device does work that CUDA leaves unordered.
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tests/cuda_on_host/settings.hpp"

namespace senet::cuda_on_host {

class Order {
 public:
  explicit Order(const Settings& settings)
      : kind_(settings.order), random_(static_cast<std::uint32_t>(settings.seed)) {}

  bool is_eager() const { return kind_ == Kind::kEager; }
  /// Index of the next of `count` >= 1 possible actions.
  std::size_t pick(std::size_t count) {
    if (kind_ == Kind::kShuffled) return random_() % count;
    return kind_ == Kind::kEager ? 0 : count - 1;
  }
  /// Whether to do other pending work before the work being waited for.
  bool strays() { return kind_ == Kind::kShuffled && random_() % 2 == 0; }
  /// A permutation of 0 .. count - 1.
  const std::vector<std::uint32_t>& permutation(std::size_t count) {
    places_.resize(count);
    std::iota(places_.begin(), places_.end(), 0);
    if (kind_ == Kind::kLate) {
      std::iota(places_.rbegin(), places_.rend(), 0);
    } else if (kind_ == Kind::kShuffled) {
      for (std::size_t i = count; i > 1; --i) std::swap(places_[i - 1], places_[random_() % i]);
    }
    return places_;
  }

 private:
  using Kind = Settings::Order;
  Kind kind_;
  std::minstd_rand random_;
  std::vector<std::uint32_t> places_;
};

}  // namespace senet::cuda_on_host
