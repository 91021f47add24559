// The host as a device: runs the kernel bodies in plain loops, so that a step can be tested without
// a GPU.
#pragma once

#include <cassert>
#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "train_bridge/device/group.hpp"
#include "train_bridge/linear_algebra.hpp"

namespace senet {

/// When the host runs work made aside: the two extremes of the orders that a device may choose.
enum class Aside : std::uint8_t { kAtOnce, kAsLateAsMayBe };

/// Runs all calls immediately, except those made aside; see DeviceStep for the interface of a
/// device.
class HostDevice {
 public:
  /// Number of asides made so far.
  using Token = std::size_t;

  explicit HostDevice(Aside when = Aside::kAsLateAsMayBe) : when_(when) {}

  /// Number of kernels and products so far.
  std::size_t launches() const { return launches_; }

  /// Zeroed memory.
  template <class Value>
  class Buffer {
   public:
    explicit Buffer(std::size_t count) : values_(count) {}
    Value* data() { return values_.empty() ? nullptr : values_.data(); }
    const Value* data() const { return values_.empty() ? nullptr : values_.data(); }
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
    assert(waiting_.empty());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from.data()[i];
  }

  template <class Body>
  void each_row(std::size_t rows, const Body& body) {
    ++launches_;
    for (std::size_t row = 0; row < rows; ++row) body(HostGroup{}, row);
  }
  template <class Body>
  void each_column(std::size_t chunks, std::size_t columns, const Body& body) {
    ++launches_;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      for (std::size_t column = 0; column < columns; ++column) body(chunk, column);
    }
  }
  template <class RowBody, class ColumnBody>
  void each_row_and_column(std::size_t rows, const RowBody& row_body, std::size_t chunks,
                           std::size_t columns, const ColumnBody& column_body) {
    each_row(rows, row_body);
    each_column(chunks, columns, column_body);
    --launches_;
  }

  template <class Task>
  Token aside(Task task) {
    if (is_aside_ || when_ == Aside::kAtOnce) {
      task();
      return done_;
    }
    waiting_.emplace_back(std::move(task));
    return done_ + waiting_.size();
  }
  void await(Token token) {
    is_aside_ = true;
    for (; done_ < token; ++done_) {
      waiting_.front()();
      waiting_.pop_front();
    }
    is_aside_ = false;
  }

  template <class Real, class Operand>
  void multiply(const Product<Real, Operand>& product) {
    ++launches_;
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

 private:
  Aside when_;
  std::size_t launches_ = 0;
  bool is_aside_ = false;  // an aside is being run
  std::size_t done_ = 0;   // asides done
  std::deque<std::function<void()>> waiting_;
};

}  // namespace senet
