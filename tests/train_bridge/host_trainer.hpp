// A device trainer without a device: its step, carried out by the host.
#pragma once

#include <memory>
#include <vector>

#include "train_bridge/device/batch_view.hpp"
#include "train_bridge/device/device_step.hpp"
#include "train_bridge/device/host_device.hpp"
#include "train_bridge/device_trainer.hpp"

namespace senet {

/// Never fails; tells the report of the very step. `Operand` as DeviceStep has it.
template <class Operand>
class HostTrainer final : public DeviceTrainer {
 public:
  HostTrainer(const Network& start, const TrainBatch::Shape& shape, const TrainerSettings& settings)
      : step_(device_, start.spec(), shape, settings, 0), memory_(packed_bytes(shape)) {
    TrainerState state;
    state.weights.assign(start.parameters().begin(), start.parameters().end());
    state.ema = state.weights;
    state.first_moment.resize(state.weights.size());
    state.second_moment.resize(state.weights.size());
    step_.restore(state);
  }

  std::string_view name() const override { return "host"; }
  Result<void> warm_up() override { return {}; }
  Result<StepReport> step(const TrainBatch& batch, float learning_rate) override {
    pack(batch, learning_rate, memory_);
    step_.run(BatchView{memory_.data()});
    const OptimizerState<float> told = step_.optimizer();
    return StepReport{.policy_loss = told.policy_loss,
                      .value_loss = told.value_loss,
                      .gradient_norm = told.gradient_norm,
                      .skipped = told.skipped != 0};
  }
  Result<TrainerState> state() const override { return step_.state(); }
  Result<void> restore(const TrainerState& state) override {
    step_.restore(state);
    return {};
  }

 private:
  HostDevice device_;
  mutable DeviceStep<HostDevice, float, Operand> step_;
  std::vector<std::byte> memory_;
};

}  // namespace senet
