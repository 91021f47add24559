// A number that changes in the course of a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace senet {

/// How a schedule moves from one point to the next: by equal differences, or by equal factors
/// (only between positive values).
enum class Curve : std::uint8_t { kLinear, kGeometric };

/// A constant, or points with rising shares of the run: before the first point its value applies,
/// after the last point the last value, between two points a curve. As text: "0.7", or "1@0.01,
/// 0.7@0.02" without the space: 1 until a hundredth of the run is done, 0.7 from two hundredths on.
class Schedule {
 public:
  struct Point {
    float value = 0;
    float share = 0;  // of the run, 0 .. 1

    bool operator==(const Point&) const = default;
  };
  static constexpr std::size_t kMostPoints = 8;

  /// A constant. (Not explicit: a number is a schedule.)
  constexpr Schedule(float value = 0) : count_(1) { points_[0] = {value, 0}; }

  /// None if the text is no schedule: a malformed number, a share outside 0 .. 1 or not above the
  /// one before, more than kMostPoints points.
  static std::optional<Schedule> parse(std::string_view text);
  /// parse() of it gives an equal schedule.
  std::string text() const;

  std::span<const Point> points() const { return {points_.data(), count_}; }
  bool is_constant() const { return count_ == 1; }
  /// The value when this share of the run is done.
  float at(double share, Curve curve = Curve::kLinear) const;

  bool operator==(const Schedule&) const = default;

 private:
  std::array<Point, kMostPoints> points_{};  // those not in use are zero
  std::size_t count_;
};

}  // namespace senet
