// Training on a device that keeps the replay's samples gives the same result, even if the device
// fails.
#include <gtest/gtest.h>

#include "tests/temporary_folder.hpp"
#include "tests/train_bridge/host_trainer.hpp"
#include "tests/train_bridge/training_run.hpp"
#include "train_bridge/choose_trainer.hpp"

namespace senet {
namespace {

using G = TicTacToe;
constexpr std::uint64_t kGames = 60;

/// Counts calls of a device, readable after its loss; also configures its failures.
struct Calls {
  std::size_t steps = 0, kept_steps = 0, kept_samples = 0, named = 0;
  std::size_t does_not_know = ~std::size_t{0};  // every n-th step on kept samples is refused
  std::size_t fails_at_step = ~std::size_t{0}, fails_at_sample = ~std::size_t{0};
};

/// A trainer on the host that counts, forgets and fails as configured.
class MoodyDevice final : public DeviceTrainer {
 public:
  MoodyDevice(std::unique_ptr<HostTrainer> inner, Calls& calls)
      : inner_(std::move(inner)), calls_(calls) {}

  std::string_view name() const override { return inner_->name(); }
  Result<void> warm_up() override { return inner_->warm_up(); }
  Result<StepReport> step(const TrainBatch& batch, float learning_rate) override {
    if (calls_.steps++ == calls_.fails_at_step) return gone();
    return inner_->step(batch, learning_rate);
  }
  Result<TrainerState> state() const override { return inner_->state(); }
  Result<void> restore(const TrainerState& state) override { return inner_->restore(state); }
  Result<void> keep_replay(const ReplayRoom& room) override { return inner_->keep_replay(room); }
  bool keeps_samples() const override { return inner_->keeps_samples(); }
  Result<void> keep(std::uint32_t place, const TrainBatch& images) override {
    if (calls_.kept_samples++ == calls_.fails_at_sample) return gone();
    return inner_->keep(place, images);
  }
  Result<std::optional<StepReport>> step_kept(std::span<const DrawnSample> drawn,
                                              float learning_rate) override {
    if (++calls_.named % calls_.does_not_know == 0) return std::optional<StepReport>();
    if (calls_.steps == calls_.fails_at_step) {
      ++calls_.steps;
      return gone();
    }
    auto report = inner_->step_kept(drawn, learning_rate);
    if (*report) ++calls_.steps, ++calls_.kept_steps;
    return report;
  }

 private:
  static Error gone() { return fail("fell off the bus"); }

  std::unique_ptr<HostTrainer> inner_;
  Calls& calls_;
};

struct Trained {
  TrainerState state;
  std::string name;
  std::size_t losses = 0;  // of the device
};

/// Trains on the same games each time; the ring of samples wraps around.
Trained learn(bool keeps_replay, Calls& calls) {
  const LearnSettings settings = small_settings();
  const TrainBatch::Shape shape = batch_shape(GameShape::of<G>(), settings);
  const auto start = [] { return initial_network(small_spec(), 9); };
  auto device = std::make_unique<MoodyDevice>(
      std::make_unique<HostTrainer>(start(), shape, TrainerSettings{}), calls);
  if (keeps_replay) {
    EXPECT_TRUE(device->keep_replay(replay_room(GameShape::of<G>(), settings)));
  }
  Trained trained;
  const auto trainer = make_failover_trainer(
      std::move(device), start(), 1, [&] { return make_cpu_trainer(start(), shape, {}); },
      [&](const std::string&) { ++trained.losses; });
  EXPECT_EQ(trainer->keeps_samples(), keeps_replay);
  const TemporaryFolder folder;
  Stretch run(folder.path(), settings, *trainer);
  run.learn_one_by_one(0, kGames);
  EXPECT_GT(run.loop->progress().positions, settings.replay_capacity);
  trained.state = trainer->state();
  trained.name = trainer->name();
  return trained;
}

void expect_same(const Trained& a, const Trained& b) {
  EXPECT_EQ(a.state.steps, b.state.steps);
  EXPECT_EQ(a.state.weights, b.state.weights);
  EXPECT_EQ(a.state.ema, b.state.ema);
  EXPECT_EQ(a.state.second_moment, b.state.second_moment);
}

TEST(TrainingOnDevice, KeptSamplesTeachTheSame) {
  Calls sent, kept;
  const Trained of_sent = learn(false, sent), of_kept = learn(true, kept);
  expect_same(of_sent, of_kept);
  EXPECT_EQ(sent.kept_samples, 0u);
  EXPECT_EQ(kept.kept_samples, positions_of(0, kGames));
  EXPECT_EQ(kept.steps, sent.steps);
  EXPECT_EQ(kept.kept_steps, kept.steps);  // no batch was sent
  EXPECT_EQ(of_kept.losses, 0u);
}

TEST(TrainingOnDevice, BatchesAreSentWhereSamplesAreNotKept) {
  Calls sent, kept{.does_not_know = 3};
  expect_same(learn(false, sent), learn(true, kept));
  EXPECT_EQ(kept.steps, sent.steps);
  EXPECT_EQ(kept.kept_steps, kept.steps - kept.steps / 3);
}

// The CPU continues with encoded batches of the samples that would have been used.
TEST(TrainingOnDevice, ADeviceLostWithItsSamplesCostsNoneOfThem) {
  for (const std::size_t step : {0, 1, 40}) {
    Calls sent{.fails_at_step = step}, kept{.fails_at_step = step};
    const Trained of_sent = learn(false, sent), of_kept = learn(true, kept);
    EXPECT_EQ(of_kept.name, "cpu");
    EXPECT_EQ(of_kept.losses, 1u);
    EXPECT_EQ(kept.steps, step + 1);
    expect_same(of_sent, of_kept);
  }
}

TEST(TrainingOnDevice, ADeviceLostBetweenStepsCostsNothingEither) {
  for (const std::size_t sample : {0, 1, 200}) {
    Calls kept{.fails_at_sample = sample};
    const Trained of_kept = learn(true, kept);
    EXPECT_EQ(of_kept.name, "cpu");
    EXPECT_EQ(kept.kept_samples, sample + 1);
    Calls sent{.fails_at_step = kept.steps};
    expect_same(learn(false, sent), of_kept);
  }
}

TEST(TrainingOnDevice, WhereNoDeviceKeepsTheReplayOneLineSaysWhy) {
  const LearnSettings settings = small_settings();
  TrainerChoice choice{.backend = TrainerBackend::kCpu,
                       .replay_on_device = true,
                       .replay = replay_room(GameShape::of<G>(), settings)};
  const auto choose = [&] {
    return choose_trainer(choice, initial_network(small_spec(), 1),
                          batch_shape(GameShape::of<G>(), settings), {}, {});
  };
  const ChosenTrainer chosen = choose();
  EXPECT_EQ(chosen.warnings,
            std::vector<std::string>{"no device keeps the replay: the CPU trains"});
  EXPECT_FALSE(chosen.trainer->keeps_samples());
  EXPECT_FALSE(chosen.trainer->step_kept(std::array{DrawnSample{0, false}}, 1e-3f));
  choice.backend = TrainerBackend::kAuto;
  const ChosenTrainer automatic = choose();
  const bool cpu_trains =
      !automatic.warnings.empty() && automatic.warnings.front().starts_with("the CPU trains: ");
  EXPECT_NE(automatic.trainer->keeps_samples(), cpu_trains);
}

}  // namespace
}  // namespace senet
