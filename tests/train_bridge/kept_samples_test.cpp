// Samples kept on a device: a step that refers to kept samples equals the step on the sent batch,
// bit for bit.
#include "train_bridge/device/kept_samples.hpp"

#include <gtest/gtest.h>

#include <array>

#include "games/backgammon/backgammon.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/train_bridge/gradient_cases.hpp"
#include "tests/train_bridge/host_device.hpp"
#include "train_bridge/device/device_step.hpp"
#include "train_bridge/replay_buffer.hpp"

namespace senet {
namespace {

/// The shape of batches of `rows` samples of G with `actions` actions each on average.
template <Game G>
TrainBatch::Shape shape_of(std::size_t rows, std::size_t actions = G::kMaxLegal) {
  return {.rows = rows,
          .max_active = G::kMaxActive,
          .max_legal = G::kMaxLegal,
          .logits_per_action = G::kLogitsPerAction,
          .outcomes = kOutcomes<G>,
          .action_room = rows * actions};
}

/// A decision after a number of random moves and rolls.
template <Game G>
G random_decision(Random& random) {
  for (;;) {
    G state;
    for (std::uint32_t plies = random.below(30);; --plies) {
      ActionList<G::kMaxLegal> legal;
      if (is_decision(state.turn())) {
        if (plies == 0) return state;
        state.legal(legal);
        state.play(legal[random.below(static_cast<std::uint32_t>(legal.size()))]);
      } else if constexpr (StochasticGame<G>) {
        if (state.turn() == Turn::kOver) break;
        std::array<float, G::kMaxChance> chances;
        state.play(
            static_cast<Action>(random.below(static_cast<std::uint32_t>(state.chance(chances)))));
        if (plies == 0) plies = 1;
      } else {
        break;
      }
    }
  }
}

/// A replay buffer and a device memory that keeps its samples.
template <Game G>
struct KeptReplay {
  static constexpr std::size_t kImages = MirrorGame<G> ? 2 : 1;

  KeptReplay(std::size_t places, const TrainBatch::Shape& shape)
      : replay(places, 24, G{}, 0.5f, 0.7f),
        kept(shape, {places, kImages}),
        memory(kept.bytes(), std::byte{0xff}),
        images(shape_of<G>(kImages)) {}

  /// A random sample, every third one without a policy target.
  void add(std::uint64_t number) {
    Random random(2, number, 0, Purpose::kTest);
    const G state = random_decision<G>(random);
    std::vector<VisitCount> visits;
    if (number % 3 != 2) {
      ActionList<G::kMaxLegal> legal;
      state.legal(legal);
      for (const Action action : legal) {
        if (visits.empty() || random.below(2) == 0) {
          visits.push_back({action, 1 + random.below(100)});
        }
      }
    }
    Outcomes<G> outcomes;
    random.dirichlet(1, outcomes);
    replay.add({state, outcomes, visits, 0, random.uniform()});
    const std::uint32_t place = replay.newest();
    const std::array<DrawnSample, 2> both{{{place, false}, {place, true}}};
    replay.encode(std::span(both).first(kImages), images);
    ASSERT_EQ(images.size(), kImages);
    write_images(images, memory.data() + kept.add(place, images));
  }

  ReplayBuffer<G> replay;
  KeptSamples kept;
  std::vector<std::byte> memory;
  TrainBatch images;
};

template <Game G>
NetworkSpec spec_of() {
  NetworkSpec spec = reference_spec<G>();
  spec.width = 8;
  spec.blocks = 1;
  return spec;
}

/// Two steps with the same initial weights and the same batches: one gets them sent, the other from
/// kept samples.
template <Game G>
class TwoSteps {
 public:
  explicit TwoSteps(const TrainBatch::Shape& shape)
      : batch_(shape), sent_block_(packed_bytes(shape)), kept_block_(block_bytes(shape)) {
    const std::vector<float> weights = random_parameters<float>(spec_of<G>(), 5);
    for (auto* const step : {&sent_, &kept_}) step->restore(initial_state(weights));
  }

  void expect_the_same(KeptReplay<G>& of, std::size_t window, std::uint64_t seed) {
    Random random(3, seed, 0, Purpose::kReplay);
    of.replay.draw(batch_.shape().rows, window, random, drawn_);
    of.replay.encode(drawn_, batch_);
    pack(batch_, 1e-3f, sent_block_);
    const auto bytes = of.kept.pack(drawn_, 1e-3f, kept_block_);
    ASSERT_TRUE(bytes);
    EXPECT_LE(*bytes, kept_block_.size());
    const BatchView sent{sent_block_.data()}, kept{kept_block_.data(), of.memory.data()};
    EXPECT_EQ(sent.header().rows, kept.header().rows);
    EXPECT_EQ(sent.header().policy_rows, kept.header().policy_rows);
    for (std::size_t row = 0; row < batch_.size(); ++row) {
      EXPECT_EQ(sent.weight(row), drawn_[row].weight);
      EXPECT_EQ(kept.weight(row), drawn_[row].weight);
    }
    std::vector<float> of_sent(parameter_count(spec_of<G>())), of_kept(of_sent.size());
    sent_.gradient(sent, of_sent);
    kept_.gradient(kept, of_kept);
    EXPECT_EQ(of_sent, of_kept);
    sent_.run(sent);
    kept_.run(kept);
    EXPECT_EQ(sent_.optimizer().policy_loss, kept_.optimizer().policy_loss);
    EXPECT_EQ(sent_.optimizer().value_loss, kept_.optimizer().value_loss);
    EXPECT_EQ(sent_.state().weights, kept_.state().weights);
  }
  std::size_t rows() const { return batch_.size(); }

 private:
  HostDevice device_;
  TrainBatch batch_;
  DeviceStep<HostDevice, float, float> sent_{device_, spec_of<G>(), batch_.shape(), {}, 0};
  DeviceStep<HostDevice, float, float> kept_{device_, spec_of<G>(), batch_.shape(), {}, 0};
  std::vector<std::byte> sent_block_, kept_block_;
  std::vector<DrawnSample> drawn_;
};

template <class G>
class KeptSamplesOfGame : public testing::Test {};
using Games = testing::Types<TicTacToe, ConnectFour, Backgammon>;
TYPED_TEST_SUITE(KeptSamplesOfGame, Games);

// The ring wraps around several times, in the replay and, with samples of varying sizes, on the
// device.
TYPED_TEST(KeptSamplesOfGame, AStepOnThemIsTheStepOnTheBatch) {
  using G = TypeParam;
  constexpr std::size_t kPlaces = 40;
  const TrainBatch::Shape shape = shape_of<G>(16, std::min<std::size_t>(G::kMaxLegal, 64));
  KeptReplay<G> of(kPlaces, shape);
  TwoSteps<G> steps(shape);
  for (std::uint64_t number = 0; number < 5 * kPlaces; ++number) {
    ASSERT_NO_FATAL_FAILURE(of.add(number));
    if (number % 13 != 12) continue;
    ASSERT_NO_FATAL_FAILURE(steps.expect_the_same(of, number % 2 == 0 ? 1000 : 10, number));
  }
}

TEST(KeptSamples, ABatchEndsWhereTheActionsNoLongerFit) {
  const TrainBatch::Shape shape = shape_of<ConnectFour>(12, 4);  // most positions have seven
  KeptReplay<ConnectFour> of(30, shape);
  TwoSteps<ConnectFour> steps(shape);
  for (std::uint64_t number = 0; number < 20; ++number) of.add(number);
  std::size_t shorter = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_NO_FATAL_FAILURE(steps.expect_the_same(of, 1000, seed));
    shorter += steps.rows() < shape.rows ? 1 : 0;
  }
  EXPECT_GT(shorter, 0u);
}

/// Samples with the shape of Tic-Tac-Toe and the given sizes.
TrainBatch images_with(std::size_t entries, std::size_t actions) {
  TrainBatch images(shape_of<TicTacToe>(2));
  for (std::size_t row = 0; row < 2; ++row) {
    images.add([&](FeatureRow& to) {
      for (std::size_t i = 0; i < entries; ++i) to.add(i, 1);
    })[0] = 1;
    for (std::size_t i = 0; i < actions; ++i) {
      images.add_action(1.0f / static_cast<float>(actions),
                        std::array{static_cast<std::uint16_t>(i)});
    }
  }
  return images;
}

TEST(KeptSamples, WhatIsWrittenOverIsKeptNoLonger) {
  constexpr std::size_t kPlaces = 8;
  const TrainBatch::Shape shape = shape_of<TicTacToe>(4, 3);
  KeptSamples kept(shape, {kPlaces, 2});
  std::vector<std::byte> block(block_bytes(shape));
  const auto has = [&](std::uint32_t place) {
    const std::array drawn{DrawnSample{place, true}};
    return kept.pack(drawn, 0, block).has_value();
  };
  for (std::uint32_t place = 0; place < kPlaces; ++place) EXPECT_FALSE(has(place));
  // With samples of average size all are always kept.
  const TrainBatch average = images_with(TicTacToe::kMaxActive, 3);
  for (std::uint32_t number = 0; number < 3 * kPlaces; ++number) {
    kept.add(number % kPlaces, average);
    if (number < kPlaces - 1) continue;
    for (std::uint32_t place = 0; place < kPlaces; ++place) EXPECT_TRUE(has(place));
  }
  // When all are larger, not all fit; the oldest are dropped first.
  const TrainBatch large = images_with(TicTacToe::kMaxActive, 9);
  for (std::uint32_t place = 0; place < kPlaces; ++place) kept.add(place, large);
  EXPECT_FALSE(has(0));
  for (std::uint32_t place = 2; place < kPlaces; ++place) EXPECT_TRUE(has(place));
  const TrainBatch small = images_with(1, 0);
  for (std::uint32_t place = 0; place < kPlaces; ++place) kept.add(place, small);
  for (std::uint32_t place = 0; place < kPlaces; ++place) EXPECT_TRUE(has(place));
}

// Only then do uploads have to wait for a step.
TEST(KeptSamples, TellsWhenTheLastBatchIsWrittenOver) {
  constexpr std::uint32_t kPlaces = 8;
  const TrainBatch::Shape shape = shape_of<TicTacToe>(4, 3);
  KeptSamples kept(shape, {kPlaces, 2});
  std::vector<std::byte> block(block_bytes(shape));
  const TrainBatch average = images_with(TicTacToe::kMaxActive, 3);
  EXPECT_FALSE(kept.is_over_last_batch());
  for (std::uint32_t place = 0; place < kPlaces; ++place) kept.add(place, average);
  EXPECT_FALSE(kept.is_over_last_batch());
  const std::array drawn{DrawnSample{5, false}, DrawnSample{2, true}, DrawnSample{7, false}};
  ASSERT_TRUE(kept.pack(drawn, 0, block));
  for (std::uint32_t place = 0; place < 3; ++place) {
    kept.add(place, average);
    EXPECT_FALSE(kept.is_over_last_batch()) << place;
  }
  kept.add(3, average);
  EXPECT_TRUE(kept.is_over_last_batch());
  ASSERT_TRUE(kept.pack(std::span(drawn).first(1), 0, block));
  EXPECT_FALSE(kept.is_over_last_batch());
}

TEST(KeptSamples, AStepSendsAFewKilobytes) {
  EXPECT_LE(block_bytes(shape_of<ConnectFour>(512)), 6200u);
}

}  // namespace
}  // namespace senet
