// The checks for device trainers (device_checks.hpp, lost_device_run.hpp) with the host as the
// device: shows without a GPU that they can pass, and tests the parts that need no GPU.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/train_bridge/device_checks.hpp"
#include "tests/train_bridge/host_trainer.hpp"
#include "tests/train_bridge/lost_device_run.hpp"

namespace senet {
namespace {

Result<std::unique_ptr<DeviceTrainer>> make_on_host(const Network& start,
                                                    const TrainBatch::Shape& shape,
                                                    const TrainerSettings& settings) {
  return std::make_unique<HostTrainer>(start, shape, settings);
}

TEST(DeviceTrainer, GradientsAreTheCpus) {
  for (const GradientCase& of : gradient_cases()) {
    EXPECT_LT(gradient_error(make_on_host, of, random_parameters<float>(of.spec, 2)), 1e-5)
        << of.name;
  }
}

TEST(DeviceTrainer, EndsWhereTheCpuEnds) { expect_same_losses(make_on_host, 100, 0.005); }

TEST(DeviceTrainer, RepeatsItself) { expect_repeatable(make_on_host, 10); }

/// Works until `gone` is set.
class DeviceOnOrder final : public DeviceTrainer {
 public:
  DeviceOnOrder(std::unique_ptr<DeviceTrainer> inner, const std::atomic<bool>& gone)
      : inner_(std::move(inner)), gone_(gone) {}
  std::string_view name() const override { return "host"; }
  Result<void> warm_up() override { return inner_->warm_up(); }
  Result<StepReport> step(const TrainBatch& batch, float learning_rate) override {
    if (gone_) return fail("fell off the bus");
    return inner_->step(batch, learning_rate);
  }
  Result<TrainerState> state() const override {
    if (gone_) return fail("fell off the bus");
    return inner_->state();
  }
  Result<void> restore(const TrainerState& state) override { return inner_->restore(state); }

 private:
  std::unique_ptr<DeviceTrainer> inner_;
  const std::atomic<bool>& gone_;
};

TEST(DeviceTrainer, ARunOutlivesItsDevice) {
  std::atomic<bool> gone{false};
  expect_a_run_outlives_its_device(
      [&](const Network& start, const TrainBatch::Shape& shape, const TrainerSettings& settings,
          std::size_t steps_at_risk, std::function<void(const std::string&)> lost) {
        auto device = std::make_unique<DeviceOnOrder>(
            std::make_unique<HostTrainer>(start, shape, settings), gone);
        return make_failover_trainer(
            std::move(device), start, steps_at_risk,
            [=, spec = start.spec()] {
              return make_cpu_trainer(initial_network(spec, 1), shape, settings);
            },
            std::move(lost));
      },
      [&] { gone = true; });
}

}  // namespace
}  // namespace senet
