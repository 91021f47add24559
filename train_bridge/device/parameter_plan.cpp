#include "train_bridge/device/parameter_plan.hpp"

#include <cassert>

namespace senet {

ParameterPlan::ParameterPlan(const NetworkSpec& spec) : parameters_(parameter_count(spec)) {
  // 256 bytes in either precision: what cuBLASLt takes for granted.
  constexpr std::size_t kAlignment = 128;
  for (const bool decays : {true, false}) {
    for (TensorPlace& place : parameter_layout(spec)) {
      if (place.decays != decays) continue;
      const std::size_t rows = place.rows > 1 || decays ? padded_size(place.rows) : 1;
      const DeviceTensor tensor{size_, rows, padded_size(place.columns)};
      size_ += round_up(tensor.rows * tensor.columns, kAlignment);
      places_.push_back({std::move(place), tensor});
    }
    if (decays) decaying_ = size_;
  }
}

DeviceTensor ParameterPlan::tensor(std::string_view name) const {
  for (const Place& place : places_) {
    if (place.flat.name == name) return place.device;
  }
  assert(false);
  return {};
}

}  // namespace senet
