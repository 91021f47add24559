// In which order the device does what CUDA leaves open.
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
  /// Which of `count` >= 1 things that may be done comes next.
  std::size_t pick(std::size_t count) {
    if (kind_ == Kind::kShuffled) return random_() % count;
    return kind_ == Kind::kEager ? 0 : count - 1;
  }
  /// Whether what nobody waits for is done before what somebody waits for.
  bool strays() { return kind_ == Kind::kShuffled && random_() % 2 == 0; }
  /// 0 .. count - 1, each once.
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
