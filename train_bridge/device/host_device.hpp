// The host as a device: the same kernels' bodies in plain loops, so that a step can be tested where
// no GPU is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "train_bridge/device/group.hpp"
#include "train_bridge/device/product.hpp"

namespace senet {

/// Does at once what it is told; see DeviceStep for what a device has to offer.
class HostDevice {
 public:
  /// Zeroed memory.
  template <class Value>
  class Buffer {
   public:
    explicit Buffer(std::size_t count) : values_(count) {}
    Value* data() { return values_.data(); }
    const Value* data() const { return values_.data(); }
    std::size_t size() const { return values_.size(); }

   private:
    std::vector<Value> values_;
  };

  template <class Value>
  void to_device(std::span<const Value> from, Buffer<Value>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) to.data()[i] = from[i];
  }
  template <class Value>
  void to_host(const Buffer<Value>& from, std::span<Value> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from.data()[i];
  }

  template <class Body>
  void each_row(std::size_t rows, const Body& body) {
    for (std::size_t row = 0; row < rows; ++row) body(HostGroup{}, row);
  }
  template <class Body>
  void each_column(std::size_t chunks, std::size_t columns, const Body& body) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      for (std::size_t column = 0; column < columns; ++column) body(chunk, column);
    }
  }
  template <class Real, class Operand>
  void multiply(const Product<Real, Operand>& product) {
    const auto& [left, left_transposed, right, right_transposed, result, add] = product;
    const std::size_t inner = left_transposed ? left.rows : left.columns;
    for (std::size_t row = 0; row < result.rows; ++row) {
      for (std::size_t column = 0; column < result.columns; ++column) {
        Real& to = result.data[row * result.stride + column];
        Real sum = add ? to : Real{0};
        for (std::size_t i = 0; i < inner; ++i) {
          const std::size_t a = left_transposed ? i * left.stride + row : row * left.stride + i;
          const std::size_t b =
              right_transposed ? column * right.stride + i : i * right.stride + column;
          sum += static_cast<Real>(left.data[a]) * static_cast<Real>(right.data[b]);
        }
        to = sum;
      }
    }
  }
};

}  // namespace senet
