// A game defined by a table of functions plays and learns like the same game as a type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/host/table_game.hpp"
#include "selfplay/record_codec.hpp"
#include "senet/own_game.hpp"
#include "tests/game_types.hpp"
#include "tests/selfplay/selfplay_runs.hpp"
#include "train_bridge/run_game_of.hpp"

namespace senet {
namespace {

constexpr std::size_t kActions = 100'000;  // policy targets of all samples, more than enough

template <class G>
class OwnGameRun : public testing::Test {
 protected:
  using Own = TableGame<SENET_MOST_STATE, true>;

  const GameTable table_{api::game_table<G>()};
  const Own start_{table_};
  const AnyGame rules_ = AnyGame::rules_of(start_);
};
TYPED_TEST_SUITE(OwnGameRun, GameTypes, GameName);

// What networks of G as a table evaluate.
template <Game G>
constexpr Evaluates kOfATable = kEncodesAnImage<G> ? Evaluates::kAfterstates : Evaluates::kPosition;

TYPED_TEST(OwnGameRun, HasTheNumbersOfTheType) {
  const AnyGame &own = this->rules_, listed = AnyGame::rules_of<TypeParam>();
  EXPECT_EQ(own.name, listed.name);
  EXPECT_EQ(own.most_active, listed.most_active);
  EXPECT_EQ(own.most_legal, listed.most_legal);
  EXPECT_EQ(own.most_chance, listed.most_chance);
  EXPECT_EQ(own.has_dice, listed.has_dice);
  EXPECT_EQ(own.has_afterstates, listed.has_afterstates);
  EXPECT_EQ(own.value_range, listed.value_range);
  EXPECT_EQ(reference_spec(own), reference_spec<TypeParam>());
}

TYPED_TEST(OwnGameRun, PlaysTheSameGames) {
  const NetworkSpec spec = small_spec<TypeParam>();
  SelfPlaySettings settings = small_run(EvaluatorKind::kFused, 16);
  settings.worker.search.evaluates = kOfATable<TypeParam>;
  auto listed = play_run<TypeParam>(settings, 8, spec);
  const auto expect_same = [&](auto own) {
    ASSERT_EQ(own.size(), listed.size());
    for (auto& [number, record] : listed) {
      std::vector<std::byte> bytes, own_bytes;
      ASSERT_TRUE(encode(record, bytes));
      ASSERT_TRUE(encode(own[number], own_bytes));
      EXPECT_EQ(own_bytes, bytes) << "game " << number;
    }
  };
  expect_same(play_run(settings, 8, spec, this->start_));
  // The type that the program takes for this table.
  with_type_of(this->table_, [&]<class G>(std::type_identity<G>) {
    expect_same(play_run(settings, 8, spec, G(this->table_)));
  });
}

TYPED_TEST(OwnGameRun, ItsExceptionsEndTheRunWithAReason) {
  GameTable broken = this->table_;
  broken.functions.play = [](void*, void*, senet_action) { throw std::runtime_error("no ink"); };
  const typename TestFixture::Own start(broken);
  for (const Driver driver : drivers()) {
    SelfPlaySettings settings = small_run(EvaluatorKind::kHash, 4);
    settings.driver = driver;
    settings.workers = 2;
    ModelStore models(initial_network(small_spec<TypeParam>(), 5));
    GameNumbers numbers(0, 100);
    KeepingSink sink;
    SelfPlayThreads<typename TestFixture::Own> threads(settings, models, numbers, sink, {}, start);
    const Result<void> joined = threads.join();
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().reason(), std::string(TypeParam::kName) + ": no ink");
  }
}

TYPED_TEST(OwnGameRun, LearnsFromTheSameSamples) {
  LearnSettings settings;
  settings.replay_capacity = 2000;
  settings.samples.evaluates = kOfATable<TypeParam>;
  const std::unique_ptr<Replay> listed = make_replay<TypeParam>(settings);
  const std::unique_ptr<Replay> own = make_replay(settings, this->start_);
  for (const auto& [number, record] : play_run<TypeParam>(small_run(EvaluatorKind::kHash, 8), 8)) {
    ASSERT_TRUE(listed->add_game(record, settings.samples, [](std::uint32_t) {}));
    ASSERT_TRUE(own->add_game(record, settings.samples, [](std::uint32_t) {}));
  }
  ASSERT_EQ(own->size(), listed->size());
  std::vector<DrawnSample> drawn;
  ASSERT_EQ(own->shape().images, listed->shape().images);
  for (std::uint32_t place = 0; place < own->size(); ++place) {
    drawn.push_back({place, place % own->shape().images == 1});
  }
  const auto encoded = [&](Replay& replay) {
    TrainBatch batch(replay.shape().rows(drawn.size(), kActions));
    replay.encode(drawn, batch);
    return batch;
  };
  const TrainBatch from_listed = encoded(*listed), from_own = encoded(*own);
  ASSERT_EQ(from_own.size(), drawn.size());
  ASSERT_EQ(from_listed.size(), drawn.size());
  for (std::size_t row = 0; row < drawn.size(); ++row) {
    const auto is_same = [row](const char* what, auto one, auto other) {
      EXPECT_TRUE(std::ranges::equal(one, other)) << what << " of row " << row;
    };
    is_same("features", from_own.index(row), from_listed.index(row));
    is_same("values", from_own.value(row), from_listed.value(row));
    is_same("outcomes", from_own.outcomes(row), from_listed.outcomes(row));
    is_same("targets", from_own.targets_of(row), from_listed.targets_of(row));
    std::vector<std::uint16_t> own_logits, logits;  // without the padding
    const auto is_logit = [](std::uint16_t logit) { return logit != kNoLogit; };
    std::ranges::copy_if(from_own.logits_of(row), std::back_inserter(own_logits), is_logit);
    std::ranges::copy_if(from_listed.logits_of(row), std::back_inserter(logits), is_logit);
    EXPECT_EQ(own_logits, logits) << "logits of row " << row;
  }
}

}  // namespace
}  // namespace senet
