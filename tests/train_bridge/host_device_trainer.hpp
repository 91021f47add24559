// A device trainer whose device is the host, for tests of what the CUDA trainer is told and told
// of.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "train_bridge/device/device_step.hpp"
#include "train_bridge/device/host_device.hpp"
#include "train_bridge/device/kept_samples.hpp"
#include "train_bridge/device_trainer.hpp"

namespace senet {

class HostDeviceTrainer final : public DeviceTrainer {
 public:
  /// What it was asked for, to be looked at when it has gone; and when it goes.
  struct Calls {
    std::size_t steps = 0, kept_steps = 0, kept_samples = 0, named = 0;
    std::size_t does_not_know = ~std::size_t{0};  // every so many steps on kept samples
    std::size_t fails_at_step = ~std::size_t{0}, fails_at_sample = ~std::size_t{0};
  };

  HostDeviceTrainer(const Network& start, const TrainBatch::Shape& shape,
                    const TrainerSettings& settings, Calls& calls)
      : shape_(shape),
        step_(device_, start.spec(), shape, settings, 0),
        block_(packed_bytes(shape)),
        calls_(calls) {
    const std::vector<float> weights(start.parameters().begin(), start.parameters().end());
    const std::vector<float> none(weights.size());
    step_.restore({weights, weights, none, none, 0});
  }

  std::string_view name() const override { return "host device"; }
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
    memory_.assign(kept_->bytes(), std::byte{0xff});
    return {};
  }
  bool keeps_samples() const override { return kept_.has_value(); }
  Result<void> keep(std::uint32_t place, const TrainBatch& images) override {
    if (calls_.kept_samples++ == calls_.fails_at_sample) return fail("fell off the bus");
    write_images(images, memory_.data() + kept_->add(place, images));
    return {};
  }
  Result<std::optional<StepReport>> step_kept(std::span<const DrawnSample> drawn,
                                              float learning_rate) override {
    if (++calls_.named % calls_.does_not_know == 0) return std::optional<StepReport>();
    if (!kept_->pack(drawn, learning_rate, block_)) return std::optional<StepReport>();
    ++calls_.kept_steps;
    const auto report = run();
    if (!report) return tl::unexpected(report.error());
    return std::optional(*report);
  }

 private:
  Result<StepReport> run() {
    if (calls_.steps++ == calls_.fails_at_step) return fail("fell off the bus");
    step_.run({block_.data(), memory_.data()});
    const OptimizerState<float> told = step_.optimizer();
    return StepReport{.policy_loss = told.policy_loss,
                      .value_loss = told.value_loss,
                      .gradient_norm = told.gradient_norm,
                      .skipped = told.skipped != 0};
  }

  TrainBatch::Shape shape_;
  HostDevice device_;
  mutable DeviceStep<HostDevice, float, float> step_;
  std::vector<std::byte> block_, memory_;
  std::optional<KeptSamples> kept_;
  Calls& calls_;
};

}  // namespace senet
