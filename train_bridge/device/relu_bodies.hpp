// ReLU, fused with all other work on the same row, as in norm_bodies.hpp.
#pragma once

#include <cstddef>

#include "train_bridge/device/group.hpp"

namespace senet {

/// x = product + bias + residual, then y = relu(x), for one row.
template <class Real, class Operand>
struct ReluForward {
  const Real* product;   // [rows, stride]
  const Real* bias;      // [width], or null
  const Real* residual;  // [rows, stride], or null
  Real* x;               // [rows, stride], may be `product`
  Operand* y;            // [rows, stride], or null
  Real* stream;          // y as Real, [rows, stride], or null
  std::size_t width, stride;

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t row) const {
    const std::size_t at = row * stride;
    for (std::size_t i = group.lane(); i < width; i += group.lanes()) {
      Real value = product[at + i];
      if (bias != nullptr) value += bias[i];
      if (residual != nullptr) value += residual[at + i];
      x[at + i] = value;
      // Unlike a plain maximum, this propagates NaN.
      const Real positive = value <= Real{0} ? Real{0} : value;
      if (y != nullptr) y[at + i] = static_cast<Operand>(positive);
      if (stream != nullptr) stream[at + i] = positive;
    }
  }
};

/// d_x of a row: d_y where x > 0, else 0.
template <class Real, class Operand>
struct ReluBackward {
  const Real* x;    // [rows, stride]
  const Real* d_y;  // [rows, stride]
  Real* d_stream;   // [rows, stride]: d_x is written or added to it; or null
  bool add;         // to d_stream
  Operand* d_x;     // [rows, stride]: the resulting d_stream, or d_x if that is null; or null
  std::size_t width, stride;

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t row) const {
    const std::size_t at = row * stride;
    for (std::size_t i = group.lane(); i < width; i += group.lanes()) {
      Real result = x[at + i] > Real{0} ? d_y[at + i] : Real{0};
      if (d_stream != nullptr) {
        if (add) result += d_stream[at + i];
        d_stream[at + i] = result;
      }
      if (d_x != nullptr) d_x[at + i] = static_cast<Operand>(result);
    }
  }
};

}  // namespace senet
