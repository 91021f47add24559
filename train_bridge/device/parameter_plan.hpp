// The layout of a network's parameters on the device: tensors are padded to sizes and alignments
// that make matrix products fast, and those that decay come first.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include "nn/aligned_vector.hpp"
#include "nn/layer_plan.hpp"

namespace senet {

/// Sizes of matrix products are multiples of this; padding is zero and stays zero, because its
/// gradient is.
inline constexpr std::size_t kPadding = 8;
constexpr std::size_t padded_size(std::size_t size) { return round_up(size, kPadding); }

/// A tensor on the device: [padded rows, padded columns] for a Linear weight, [1, padded columns]
/// for a vector.
struct DeviceTensor {
  std::size_t offset = 0;  // in values
  std::size_t rows = 0, columns = 0;
};

/// The device layout of one plan's parameters.
class ParameterPlan {
 public:
  explicit ParameterPlan(const LayerPlan& plan) : parameters_(plan.parameters) {
    // At least 256 bytes in each precision: the alignment that cuBLASLt assumes.
    constexpr std::size_t kAlignment = 128;
    for (const bool decays : {true, false}) {
      for (const TensorPlace& place : plan.tensors) {
        if (place.decays != decays) continue;
        const std::size_t rows = place.rows > 1 || decays ? padded_size(place.rows) : 1;
        const DeviceTensor tensor{size_, rows, padded_size(place.columns)};
        size_ += round_up(tensor.rows * tensor.columns, kAlignment);
        places_.push_back({place, tensor});
      }
      if (decays) decaying_ = size_;
    }
  }

  /// The tensor at this offset of the flat parameter block. It must exist.
  DeviceTensor tensor(std::size_t offset) const {
    const auto found =
        std::ranges::find(places_, offset, [](const Place& p) { return p.flat.offset; });
    assert(found != places_.end());
    return found->device;
  }
  std::size_t parameters() const { return parameters_; }     // of the network
  std::size_t size() const { return size_; }                 // in values, including padding
  std::size_t decaying() const { return decaying_; }         // values before this decay
  std::size_t vectors() const { return size_ - decaying_; }  // values that do not decay

  /// Converts to the device's order (padding is zero) and back to the flat block's.
  template <class To, class From>
  void spread(std::span<const From> flat, std::span<To> device) const {
    for (To& value : device) value = To{0};
    each_value([&](std::size_t from, std::size_t to) { device[to] = static_cast<To>(flat[from]); });
  }
  template <class To, class From>
  void gather(std::span<const From> device, std::span<To> flat) const {
    each_value([&](std::size_t to, std::size_t from) { flat[to] = static_cast<To>(device[from]); });
  }

 private:
  struct Place {
    TensorPlace flat;
    DeviceTensor device;
  };

  template <class Use>
  void each_value(Use&& use) const {
    for (const Place& place : places_) {
      for (std::size_t row = 0; row < place.flat.rows; ++row) {
        for (std::size_t column = 0; column < place.flat.columns; ++column) {
          use(place.flat.offset + row * place.flat.columns + column,
              place.device.offset + row * place.device.columns + column);
        }
      }
    }
  }

  std::vector<Place> places_;
  std::size_t parameters_ = 0, size_ = 0, decaying_ = 0;
};

}  // namespace senet
