#include "train_bridge/device/parameter_plan.hpp"

#include <algorithm>
#include <cassert>

namespace senet {

ParameterPlan::ParameterPlan(const LayerPlan& plan) : parameters_(plan.parameters) {
  // 256 bytes in either precision: what cuBLASLt takes for granted.
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

DeviceTensor ParameterPlan::tensor(std::size_t offset) const {
  const auto found =
      std::ranges::find(places_, offset, [](const Place& p) { return p.flat.offset; });
  assert(found != places_.end());
  return found->device;
}

}  // namespace senet
