// A fixed block of floats that vector loads like.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "nn/kernels.hpp"

namespace senet {

/// Columns of a row of `width` activations, rounded up to whole panels.
constexpr std::size_t padded(std::size_t width) { return (width + kPanel - 1) / kPanel * kPanel; }

/// Owns `size` floats, zero at first, at an address that is a multiple of 64 bytes. Movable.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::size_t size)
      : values_(new (std::align_val_t{kAlignment}) float[size]{}), size_(size) {}

  float* data() { return values_.get(); }
  const float* data() const { return values_.get(); }
  std::size_t size() const { return size_; }
  float& operator[](std::size_t i) { return values_[i]; }
  const float& operator[](std::size_t i) const { return values_[i]; }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Free {
    void operator()(float* values) const {
      operator delete[](values, std::align_val_t{kAlignment});
    }
  };
  std::unique_ptr<float[], Free> values_;
  std::size_t size_ = 0;
};

}  // namespace senet
