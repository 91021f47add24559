// Draws places in proportion to their weights.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace senet {

/// A weight, at least 0, for each place, and a complete binary tree of their sums: changing a
/// weight and finding the place at a point of the sum both take log2(places) steps.
///
///     sums   | - | all | left half | right half | 4 quarters | ... | weights of the places |
///     index    0    1        2           3         4 .. 7             leaves_ ..
///
/// Each sum is computed from the two below it, so that rounding errors do not add up.
class SumTree {
 public:
  /// All weights are 0.
  explicit SumTree(std::size_t places)
      : leaves_(std::bit_ceil(places)), sums_(leaves_ + places + places % 2) {}
  static std::size_t bytes(std::size_t places) {
    return (std::bit_ceil(places) + places + places % 2) * sizeof(double);
  }

  double weight(std::size_t place) const { return sums_[leaves_ + place]; }
  void set(std::size_t place, double weight) {
    assert(weight >= 0);
    std::size_t node = leaves_ + place;
    sums_[node] = weight;
    while ((node /= 2) > 0) sums_[node] = at(2 * node) + at(2 * node + 1);
  }

  /// The sum of the weights of the places before this one.
  double before(std::size_t place) const {
    double sum = 0;
    for (std::size_t node = leaves_ + place; node > 1; node /= 2) {
      if (node % 2 == 1) sum += at(node - 1);
    }
    return sum;
  }
  double total() const { return sums_[1]; }

  /// The place at `point` of the sum, 0 <= point < total(): the last one with before() <= point. No
  /// place of weight 0 is found, except through rounding at the end of the sum.
  std::size_t find(double point) const {
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      const double left = at(node);
      if (point >= left && at(node + 1) > 0) {
        point -= left;
        ++node;
      }
    }
    return node - leaves_;
  }

 private:
  /// Nodes beyond the last place have no weight.
  double at(std::size_t node) const { return node < sums_.size() ? sums_[node] : 0.0; }

  std::size_t leaves_;
  std::vector<double> sums_;
};

}  // namespace senet
