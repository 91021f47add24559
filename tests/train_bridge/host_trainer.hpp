// A device trainer without a device: the host runs its step.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tests/train_bridge/host_device.hpp"
#include "train_bridge/device/device_step.hpp"
#include "train_bridge/device/kept_samples.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// Never fails; reports each step immediately.
class HostTrainer final : public DeviceTrainer {
 public:
  HostTrainer(const Network& start, const TrainBatch::Shape& shape, const TrainerSettings& settings)
      : shape_(shape),
        step_(device_, start.spec(), shape, settings, 0),
        block_(packed_bytes(shape)) {
    step_.restore(initial_state(start.parameters()));
  }

  std::string_view name() const override { return "host"; }
  Result<void> warm_up() override { return {}; }
  Result<StepReport> step(const TrainBatch& batch, float learning_rate) override {
    pack(batch, learning_rate, block_);
    return run();
  }
  Result<TrainerState> state() const override { return step_.state(); }
  Result<void> restore(const TrainerState& state) override {
    step_.restore(state);
    return {};
  }

  Result<void> keep_replay(const ReplayRoom& room) override {
    kept_.emplace(shape_, room);
    ring_.assign(kept_->bytes(), std::byte{0xff});
    return {};
  }
  bool keeps_samples() const override { return kept_.has_value(); }
  Result<void> keep(std::uint32_t place, const TrainBatch& images) override {
    write_images(images, ring_.data() + kept_->add(place, images));
    return {};
  }
  Result<std::optional<StepReport>> step_kept(std::span<const DrawnSample> drawn,
                                              float learning_rate) override {
    if (!kept_->pack(drawn, learning_rate, block_)) return std::optional<StepReport>();
    return std::optional(run());
  }

 private:
  StepReport run() {
    step_.run({block_.data(), ring_.data()});
    const OptimizerState<float> reported = step_.optimizer();
    return {.policy_loss = reported.policy_loss,
            .value_loss = reported.value_loss,
            .gradient_norm = reported.gradient_norm,
            .skipped = reported.skipped != 0};
  }

  TrainBatch::Shape shape_;
  HostDevice device_;
  mutable DeviceStep<HostDevice, float, float> step_;
  std::vector<std::byte> block_, ring_;
  std::optional<KeptSamples> kept_;
};

}  // namespace senet
