#include "tools/match/student.hpp"

#include <cmath>
#include <numbers>

namespace senet {
namespace {

/// The chance of |T| < t. A finite sum for every whole number of degrees (Student 1908; Abramowitz
/// and Stegun 26.7.3 and 26.7.4): with angle = atan(t / sqrt(degrees)), and c its cosine,
///   odd:   2 / pi (angle + sin (c + 2/3 c^3 + 2/3 4/5 c^5 + ... up to c^(degrees - 2)))
///   even:  sin (1 + 1/2 c^2 + 1/2 3/4 c^4 + ... up to c^(degrees - 2))
double chance_within(double t, std::uint64_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double c = std::cos(angle);
  const bool is_odd = degrees % 2 == 1;
  double sum = 0, term = is_odd ? c : 1;
  for (std::uint64_t power = is_odd ? 1 : 0; power + 2 <= degrees; power += 2) {
    sum += term;
    const double next = static_cast<double>(power) + 1;
    term *= c * c * next / (next + 1);
  }
  sum *= std::sin(angle);
  return is_odd ? 2 / std::numbers::pi * (angle + sum) : sum;
}

}  // namespace

double student_two_sided_95(std::uint64_t degrees) {
  constexpr std::uint64_t kMany = 500;
  if (degrees > kMany) {
    // The first terms of its expansion around the normal distribution's quantile.
    constexpr double z = 1.959963984540054;
    const auto n = static_cast<double>(degrees);
    return z + (z * z * z + z) / (4 * n) +
           (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
  }
  double low = 1, high = 13;  // 12.7 with one degree
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (chance_within(middle, degrees) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace senet
