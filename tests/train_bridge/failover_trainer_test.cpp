// A trainer whose device is lost at any call continues on the CPU.
#include <gtest/gtest.h>

#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/cuda/cuda_trainer.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {
namespace {

NetworkSpec narrow_spec() {
  return {
      .game = "test", .features = 11, .policy_logits = 9, .outcomes = 3, .width = 8, .blocks = 1};
}

/// A device that works for a given number of calls.
class FailingDevice final : public DeviceTrainer {
 public:
  FailingDevice(std::unique_ptr<Trainer> trainer, int calls)
      : trainer_(std::move(trainer)), calls_(calls) {}
  std::string_view name() const override { return "failing"; }
  StepCost step_cost() const override { return {.kernels = 66, .flop_per_second = 1e15}; }
  Result<void> warm_up() override {
    if (auto alive = use(); !alive) return alive;
    trainer_->warm_up();
    return {};
  }
  Result<StepReport> step(const TrainBatch& batch, float learning_rate) override {
    if (auto alive = use(); !alive) return alive.error();
    return trainer_->step(batch, learning_rate);
  }
  Result<TrainerState> state() const override {
    if (auto alive = use(); !alive) return alive.error();
    return trainer_->state();
  }
  Result<void> restore(const TrainerState& state) override {
    if (auto alive = use(); !alive) return alive;
    return trainer_->restore(state);
  }

 private:
  Result<void> use() const {
    EXPECT_GE(calls_, 0) << "called again after a failure";
    if (calls_-- == 0) return fail("fell off the bus");
    return {};
  }
  std::unique_ptr<Trainer> trainer_;
  mutable int calls_;
};

TEST(FailoverTrainer, GoesOnWhereverTheDeviceIsLost) {
  const TrainBatch::Shape shape = batch_shape(narrow_spec(), SampleShape{});
  const auto start = [] { return initial_network(narrow_spec(), 1); };
  const auto make_cpu = [&] { return make_cpu_trainer(start(), shape, {}); };
  constexpr int kSteps = 12;
  for (int calls = 0; calls < 22; ++calls) {
    std::vector<std::string> reported;
    const auto trainer = make_failover_trainer(
        std::make_unique<FailingDevice>(make_cpu(), calls), start(), 4, make_cpu,
        [&](const std::string& reason) { reported.push_back(reason); });
    trainer->warm_up();
    ASSERT_TRUE(trainer->restore(make_cpu()->state()));
    for (int i = 0; i < kSteps; ++i) {
      const TrainBatch batch =
          random_batch(narrow_spec(), SampleShape{}, static_cast<std::uint64_t>(i));
      const StepReport report = trainer->step(batch, 1e-3f);
      EXPECT_GT(report.value_loss, 0);
      if (i % 5 == 4) {
        EXPECT_EQ(trainer->served(PlayWeights::kAverage).spec(), narrow_spec());
      }
    }
    const TrainerState end = trainer->state();
    EXPECT_GE(end.steps, static_cast<std::uint64_t>(kSteps - 4)) << calls;
    EXPECT_LE(end.steps, static_cast<std::uint64_t>(kSteps));
    EXPECT_EQ(trainer->name() == "cpu", reported.size() == 1) << calls;
    EXPECT_EQ(trainer->step_cost().kernels, reported.empty() ? 66u : 0u);
    for (const std::string& reason : reported) EXPECT_EQ(reason, "fell off the bus");
    if (calls < kSteps) {
      EXPECT_EQ(reported.size(), 1u);
    }
    // A state that the CPU trainer rejects is rejected, with or without a device.
    TrainerState bad = end;
    bad.ema.pop_back();
    EXPECT_FALSE(trainer->restore(bad));
  }
}

TEST(FailoverTrainer, LosesNothingWhenNothingFails) {
  const TrainBatch::Shape shape = batch_shape(narrow_spec(), SampleShape{});
  const auto start = [] { return initial_network(narrow_spec(), 1); };
  const auto make_cpu = [&] { return make_cpu_trainer(start(), shape, {}); };
  const auto plain = make_cpu();
  const auto lasting =
      make_failover_trainer(std::make_unique<FailingDevice>(make_cpu(), 1'000'000), start(), 4,
                            make_cpu, [](const std::string& reason) { FAIL() << reason; });
  for (std::uint64_t i = 0; i < 10; ++i) {
    const TrainBatch batch = random_batch(narrow_spec(), SampleShape{}, i);
    plain->step(batch, 1e-3f);
    lasting->step(batch, 1e-3f);
    EXPECT_EQ(plain->served(PlayWeights::kAverage).id(),
              lasting->served(PlayWeights::kAverage).id());
  }
  EXPECT_EQ(plain->state().weights, lasting->state().weights);
}

TEST(Precision, IsWhatWasAskedForWhereTheDeviceHasIt) {
  std::string why;
  EXPECT_EQ(precision_for(Precision::kAuto, 90, why), Precision::kBfloat16);
  EXPECT_EQ(why, "the fastest at compute capability 9.0");
  EXPECT_EQ(precision_for(Precision::kAuto, 75, why), Precision::kHalf);
  EXPECT_EQ(precision_for(Precision::kFloat, 90, why), Precision::kFloat);
  EXPECT_EQ(why, "as requested");
  EXPECT_EQ(precision_for(Precision::kTf32, 75, why), Precision::kHalf);
  EXPECT_EQ(why, "tf32 needs compute capability 8.0, the device has 7.5");
  for (const char* name : {"auto", "bf16", "fp16", "tf32", "fp32"}) {
    const auto precision = value_of<Precision>(name);
    ASSERT_TRUE(precision);
    EXPECT_EQ(name_of(*precision), name);
  }
  EXPECT_FALSE(value_of<Precision>("fp8"));
}

// From the data sheets: dense matrix products of an A100 (108 multiprocessors at 1,410 MHz), an
// L40S (142 at 2,520 MHz), an H100 SXM (132 at 1,830 MHz) and a T4 (40 at 1,590 MHz), in TFLOP/s.
TEST(Precision, KnowsWhatADeviceCanDo) {
  EXPECT_NEAR(flop_per_clock(Precision::kBfloat16, 80) * 108 * 1.410e-3, 312, 2);
  EXPECT_NEAR(flop_per_clock(Precision::kHalf, 75) * 40 * 1.590e-3, 65, 1);
  EXPECT_NEAR(flop_per_clock(Precision::kFloat, 75) * 40 * 1.590e-3, 8.1, 0.1);
  EXPECT_NEAR(flop_per_clock(Precision::kTf32, 80) * 108 * 1.410e-3, 156, 1);
  EXPECT_NEAR(flop_per_clock(Precision::kHalf, 89) * 142 * 2.520e-3, 362, 5);
  EXPECT_NEAR(flop_per_clock(Precision::kTf32, 89) * 142 * 2.520e-3, 183, 2);
  EXPECT_NEAR(flop_per_clock(Precision::kBfloat16, 90) * 132 * 1.830e-3, 989, 2);
  EXPECT_NEAR(flop_per_clock(Precision::kFloat, 90) * 132 * 1.980e-3, 67, 3);
  EXPECT_EQ(flop_per_clock(Precision::kHalf, 100), flop_per_clock(Precision::kHalf, 90));
}

}  // namespace
}  // namespace senet
