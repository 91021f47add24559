// The replay buffer: its content, its draws, and the consistency of mirror images.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "games/connect_four/connect_four.hpp"
#include "games/cube2/cube2.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "train_bridge/replay_buffer.hpp"

namespace senet {
namespace {

constexpr std::size_t kRows = 16;

template <Game G>
TrainBatch::Shape shape(std::size_t rows = kRows, std::size_t action_room = 0) {
  return {.rows = rows,
          .max_active = G::kMaxActive,
          .max_legal = G::kMaxLegal,
          .logits_per_action = G::kLogitsPerAction,
          .outcomes = kOutcomes<G>,
          .action_room = action_room > 0 ? action_room : rows * G::kMaxLegal};
}

/// A sample identified by its first outcome, mark / 1000.
Sample<TicTacToe> marked(int mark, std::span<const VisitCount> visits = {}) {
  const float share = static_cast<float>(mark) / 1000;
  return {TicTacToe{}, {share, 1 - share, 0}, visits};
}

int mark_of(const TrainBatch& batch, std::size_t row) {
  return static_cast<int>(std::lround(batch.outcomes(row)[0] * 1000));
}

/// Draws a batch and encodes it.
template <Game G>
void draw_batch(ReplayBuffer<G>& buffer, std::size_t rows, std::size_t window, Random& random,
                TrainBatch& batch) {
  std::vector<DrawnSample> drawn;
  buffer.draw(rows, window, random, drawn);
  buffer.encode(drawn, batch);
}

/// How often each mark is drawn in `draws` batches.
template <Game G>
std::map<int, int> drawn(ReplayBuffer<G>& buffer, std::size_t window, int draws) {
  std::map<int, int> counts;
  TrainBatch batch(shape<G>());
  for (int draw = 0; draw < draws; ++draw) {
    Random random(3, static_cast<std::uint64_t>(draw), 0, Purpose::kReplay);
    draw_batch(buffer, kRows, window, random, batch);
    EXPECT_EQ(batch.size(), kRows);
    for (std::size_t row = 0; row < batch.size(); ++row) ++counts[mark_of(batch, row)];
  }
  return counts;
}

TEST(ReplayBuffer, TheNewestStayTheOldestGo) {
  ReplayBuffer<TicTacToe> buffer(10, 1);
  for (int mark = 0; mark < 37; ++mark) {
    buffer.add(marked(mark));
    EXPECT_EQ(buffer.size(), static_cast<std::size_t>(std::min(mark + 1, 10)));
    EXPECT_EQ(buffer.added(), static_cast<std::uint64_t>(mark + 1));
  }
  const auto counts = drawn(buffer, 1000, 100);
  ASSERT_EQ(counts.size(), 10u);
  EXPECT_EQ(counts.begin()->first, 27);
  EXPECT_EQ(counts.rbegin()->first, 36);
  // 1600 draws, 160 expected each; 5 standard deviations.
  for (const auto& [mark, count] : counts) EXPECT_NEAR(count, 160, 60) << mark;
}

// Shares of the draws against their probabilities, at every position of the ring's seam, and the
// importance weights.
TEST(ReplayBuffer, SurprisingSamplesAreDrawnMoreOften) {
  constexpr float kPower = 0.6f, kCorrection = 0.5f;
  constexpr std::size_t kPlaces = 10, kWindow = 7, kDraws = 20'000;
  ReplayBuffer<TicTacToe> buffer(kPlaces, 1, TicTacToe{}, kPower, kCorrection);
  const auto surprise = [](int mark) { return static_cast<float>(mark * mark % 11) / 10; };
  const auto priority = [&](int mark) { return std::pow(surprise(mark) + kLeastSurprise, kPower); };
  for (int newest = 0; newest < 25; ++newest) {
    Sample<TicTacToe> sample = marked(newest);
    sample.surprise = surprise(newest);
    buffer.add(sample);
    const int oldest = std::max(0, newest + 1 - static_cast<int>(kWindow));
    double sum = 0;
    for (int mark = oldest; mark <= newest; ++mark) sum += priority(mark);
    Random random(3, static_cast<std::uint64_t>(newest), 0, Purpose::kReplay);
    std::vector<DrawnSample> drawn;
    buffer.draw(kDraws, kWindow, random, drawn);
    std::map<int, std::size_t> counts;
    for (const DrawnSample& one : drawn) {
      int mark = newest;
      while (static_cast<std::uint32_t>(mark) % kPlaces != one.place) --mark;
      ++counts[mark];
      float least = priority(mark);  // of all drawn
      for (int other = oldest; other <= newest; ++other) least = std::min(least, priority(other));
      EXPECT_NEAR(one.weight, std::pow(least / priority(mark), kCorrection), 1e-5);
    }
    EXPECT_GE(counts.begin()->first, oldest);
    for (int mark = oldest; mark <= newest; ++mark) {
      const double share = priority(mark) / sum;
      const double deviation = std::sqrt(kDraws * share * (1 - share));
      EXPECT_NEAR(static_cast<double>(counts[mark]), kDraws * share, 5 * deviation + 1e-6);
    }
  }
}

// The game's second decision was judged best for player 0, and the third, after it, worst.
TEST(ReplayBuffer, NamesTheHardestPositionOfAGame) {
  GameRecord record;
  record.game = "tic_tac_toe";
  record.outcomes = kOutcomes<TicTacToe>;
  const auto decide = [&](Action action, Player player, std::array<float, 3> outcomes) {
    record.add_decision({.action = action,
                         .player = player,
                         .kind = TurnKind::kFastSearch,
                         .root_outcomes = outcomes,
                         .chosen_outcomes = outcomes});
  };
  constexpr std::array<float, 3> kEven{0, 1, 0}, kLast{0, 0, 1};
  static_assert(TicTacToe::kOutcomeValues[0] > 0);
  decide(4, 0, kEven);
  decide(0, 1, kLast);  // of player 1: player 0 wins
  decide(1, 0, kLast);  // player 0 loses
  record.end_cut(kEven);
  ReplayBuffer<TicTacToe> buffer(100, 9);
  EXPECT_EQ(buffer.hardness(), 0);
  const auto added = buffer.add_game(record, {.lambda = 0}, [](std::uint32_t) {});
  ASSERT_TRUE(added) << added.error().reason();
  TicTacToe expected;
  expected.play(4);
  EXPECT_EQ(buffer.hardest(), expected.text());
  EXPECT_FLOAT_EQ(buffer.hardness(), 2);
}

// A puzzle that was not solved is hard from its start, with all moves left, whether it was cut or
// had no moves left.
TEST(ReplayBuffer, AnUnsolvedPuzzleIsHardest) {
  ReplayBuffer<Cube2> buffer(100, 0);
  GameRecord record;
  record.game = "cube2";
  record.outcomes = kOutcomes<Cube2>;
  record.start = Cube2::from_text("0123456/1010211 17")->text();
  record.add_decision({.action = 3, .kind = TurnKind::kFastSearch});
  record.end_cut(std::vector<float>(kOutcomes<Cube2>));
  const auto added = buffer.add_game(record, {.evaluates = Evaluates::kAfterstates, .lambda = 0},
                                     [](std::uint32_t) {});
  ASSERT_TRUE(added) << added.error().reason();
  EXPECT_EQ(buffer.hardness(), 1);
  EXPECT_EQ(buffer.hardest(), "0123456/1010211 40");

  GameRecord last = record;
  last.start = "0123456/1010211 1";
  last.end_played(kOutcomes<Cube2> - 1);
  ReplayBuffer<Cube2> other(100, 0);
  ASSERT_TRUE(other.add_game(last, {.evaluates = Evaluates::kAfterstates}, [](std::uint32_t) {}));
  EXPECT_EQ(other.hardness(), 1);
  EXPECT_EQ(other.hardest(), "0123456/1010211 40");
}

TEST(ReplayBuffer, OnlyTheWindowIsDrawnFrom) {
  ReplayBuffer<TicTacToe> buffer(10, 1);
  for (int mark = 0; mark < 25; ++mark) buffer.add(marked(mark));
  const auto three = drawn(buffer, 3, 100);
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three.begin()->first, 22);
  EXPECT_EQ(drawn(buffer, 1, 5).begin()->first, 24);
  EXPECT_EQ(drawn(buffer, 0, 5).size(), 1u);
}

TEST(ReplayBuffer, ManyPolicyEntriesPushOutOlderSamples) {
  ReplayBuffer<TicTacToe> buffer(8, 2);  // 16 entries
  std::vector<VisitCount> visits;
  for (Action action = 0; action < 4; ++action) visits.push_back({action, 1});
  for (int mark = 0; mark < 20; ++mark) {
    buffer.add(marked(mark, visits));
    EXPECT_EQ(buffer.size(), static_cast<std::size_t>(std::min(mark + 1, 4)));
  }
  EXPECT_EQ(drawn(buffer, 100, 50).begin()->first, 16);
  // Samples without a policy target take no room in the policy ring.
  for (int mark = 20; mark < 24; ++mark) buffer.add(marked(mark));
  EXPECT_EQ(buffer.size(), 8u);
  // One sample with nine entries drops the two oldest that have entries, and one more for its
  // place.
  visits.clear();
  for (Action action = 0; action < 9; ++action) visits.push_back({action, 1});
  buffer.add(marked(24, visits));
  EXPECT_EQ(buffer.size(), 6u);
  EXPECT_EQ(drawn(buffer, 100, 50).begin()->first, 19);
}

TEST(ReplayBuffer, TargetsSurviveManyRoundsOfTheRing) {
  ReplayBuffer<ConnectFour> buffer(7, 3);
  const auto state_of = [](std::uint64_t number) {
    ConnectFour state;
    Random random(1, number, 0, Purpose::kTest);
    for (std::uint32_t moves = random.below(12); moves > 0; --moves) {
      if (state.turn() == Turn::kOver) break;
      ActionList<ConnectFour::kMaxLegal> legal;
      state.legal(legal);
      state.play(legal[random.below(static_cast<std::uint32_t>(legal.size()))]);
    }
    return state;
  };
  TrainBatch batch(shape<ConnectFour>(1));
  std::size_t left_out = 0;  // legal moves that a search does not consider
  for (std::uint64_t number = 0; number < 500; ++number) {
    const ConnectFour state = state_of(number);
    if (state.turn() == Turn::kOver) continue;
    Random random(2, number, 0, Purpose::kTest);
    ActionList<ConnectFour::kMaxLegal> legal;
    state.legal(legal);
    ActionList<ConnectFour::kMaxLegal> moves;
    moves_to_consider(state, moves);
    left_out += legal.size() - moves.size();
    std::vector<VisitCount> visits;
    float total = 0;  // of the considered moves
    for (const Action action : legal) {
      if (random.below(3) == 0) continue;
      visits.push_back({action, 1 + random.below(1000)});
      if (std::ranges::count(moves, action)) total += static_cast<float>(visits.back().visits);
    }
    Outcomes<ConnectFour> outcomes;
    random.dirichlet(1, outcomes);
    buffer.add({state, outcomes, visits});

    Random draw(4, number, 0, Purpose::kReplay);
    draw_batch(buffer, 1, 1, draw, batch);
    ASSERT_EQ(batch.size(), 1u);
    float sum = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      EXPECT_NEAR(batch.outcomes(0)[i], outcomes[i], 5e-5);
      sum += batch.outcomes(0)[i];
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    if (total == 0) {
      EXPECT_EQ(batch.actions(), 0u);
      continue;
    }
    // Exactly the considered moves, each with its share, by its own logit or that of its mirror
    // image.
    ASSERT_EQ(batch.actions(), moves.size());
    std::map<Action, float> expected;
    for (const VisitCount& count : visits) {
      expected[count.action] = static_cast<float>(count.visits) / total;
    }
    // A symmetric position has the same encoding as its mirror image: then both are possible.
    const auto encodes = [&](const ConnectFour& seen) {
      TrainBatch own(shape<ConnectFour>(1));
      own.add([&](FeatureRow& row) { seen.encode(row); });
      return std::ranges::equal(own.index(0), batch.index(0)) &&
             std::ranges::equal(own.value(0), batch.value(0));
    };
    const bool plain = encodes(state), mirror = encodes(state.mirrored());
    ASSERT_TRUE(plain || mirror);
    bool fits_plain = plain, fits_mirror = mirror;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      EXPECT_NEAR(batch.targets_of(0)[i], expected[moves[i]], 3e-4);  // shares have 16 bits
      const Action logit = batch.logits_of(0)[i];
      fits_plain &= logit == ConnectFour::logits_of(moves[i])[0];
      fits_mirror &= logit == ConnectFour::logits_of(ConnectFour::mirrored(moves[i]))[0];
    }
    EXPECT_TRUE(fits_plain || fits_mirror);
  }
  EXPECT_GT(left_out, 50u);
}

// The sample of a dueling network: one move among all that are considered.
TEST(ReplayBuffer, OneMoveStandsAmongAll) {
  ReplayBuffer<ConnectFour> buffer(7, 1);
  TrainBatch batch(shape<ConnectFour>(4));
  const VisitCount played{2, 1};
  buffer.add({ConnectFour(), {1, 0, 0}, {&played, 1}});
  Random random(1, 0, 0, Purpose::kReplay);
  draw_batch(buffer, 4, 1, random, batch);
  for (std::size_t row = 0; row < 4; ++row) {
    const auto targets = batch.targets_of(row);
    ASSERT_EQ(targets.size(), 7u);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      EXPECT_EQ(targets[i], i == 2 ? 1 : 0);
      EXPECT_NE(batch.logits_of(row)[i], kNoLogit);
    }
  }
}

TEST(ReplayBuffer, MirrorImagesComeHalfOfTheTimeAndTakeTheirPolicyAlong) {
  static_assert(MirrorGame<TicTacToe>);
  ReplayBuffer<TicTacToe> buffer(4, 9);
  const TicTacToe state = *TicTacToe::from_text("a1");
  const Action move = *state.action_from_text("a3");
  const Action mirrored_move = TicTacToe::mirrored(move);
  ASSERT_NE(move, mirrored_move);
  const std::vector<VisitCount> visits{{move, 5}};
  buffer.add({state, {1, 0, 0}, visits});
  TrainBatch batch(shape<TicTacToe>()), plain(shape<TicTacToe>(1)), mirror(shape<TicTacToe>(1));
  plain.add([&](FeatureRow& row) { state.encode(row); });
  mirror.add([&](FeatureRow& row) { state.mirrored().encode(row); });
  int plains = 0, mirrors = 0;
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    Random random(5, draw, 0, Purpose::kReplay);
    draw_batch(buffer, kRows, 10, random, batch);
    for (std::size_t row = 0; row < batch.size(); ++row) {
      const bool is_plain = std::ranges::equal(batch.index(row), plain.index(0));
      const bool is_mirror = std::ranges::equal(batch.index(row), mirror.index(0));
      ASSERT_NE(is_plain, is_mirror);
      ++(is_plain ? plains : mirrors);
      int wanted = 0;
      for (std::size_t i = 0; i < batch.targets_of(row).size(); ++i) {
        if (batch.targets_of(row)[i] == 0) continue;
        ++wanted;
        EXPECT_EQ(batch.targets_of(row)[i], 1.0f);
        EXPECT_EQ(batch.logits_of(row)[i], is_plain ? move : mirrored_move);
      }
      EXPECT_EQ(wanted, 1);
    }
  }
  EXPECT_NEAR(plains, 400, 75);
  EXPECT_EQ(plains + mirrors, 800);
}

TEST(ReplayBuffer, ADrawEndsWhereThePolicyTargetsNoLongerFit) {
  ReplayBuffer<TicTacToe> buffer(4, 9);
  const std::vector<VisitCount> visits{{0, 1}};
  buffer.add(marked(1, visits));  // nine legal actions
  TrainBatch batch(shape<TicTacToe>(kRows, 4 * 9 + 8));
  Random random(1, 0, 0, Purpose::kReplay);
  draw_batch(buffer, kRows, 10, random, batch);
  EXPECT_EQ(batch.size(), 4u);
  EXPECT_EQ(batch.actions(), 36u);
  // Reusing the batch: nothing of the previous draw remains.
  draw_batch(buffer, 2, 10, random, batch);
  EXPECT_EQ(batch.size(), 2u);
  EXPECT_EQ(batch.actions(), 18u);
}

TEST(ReplayBuffer, TheSameRandomNumbersDrawTheSameAfterARefill) {
  ReplayBuffer<TicTacToe> lived(10, 1), refilled(10, 1);
  for (int mark = 0; mark < 33; ++mark) lived.add(marked(mark));
  for (int mark = 20; mark < 33; ++mark) refilled.add(marked(mark));
  EXPECT_EQ(drawn(lived, 7, 20), drawn(refilled, 7, 20));
}

// The sum tree of the refilled ring has never seen the older samples.
TEST(ReplayBuffer, PrioritiesDrawTheSameAfterARefill) {
  ReplayBuffer<TicTacToe> lived(10, 1, TicTacToe{}, 0.6f), refilled(10, 1, TicTacToe{}, 0.6f);
  const auto add = [](ReplayBuffer<TicTacToe>& buffer, int mark) {
    Sample<TicTacToe> sample = marked(mark);
    sample.surprise = static_cast<float>(mark * mark % 11) / 10;
    buffer.add(sample);
  };
  for (int mark = 0; mark < 40; ++mark) add(lived, mark);
  for (int mark = 20; mark < 40; ++mark) add(refilled, mark);
  EXPECT_EQ(drawn(lived, 7, 20), drawn(refilled, 7, 20));
}

TEST(ReplayBuffer, PrioritiesCountAsMemory) {
  using Buffer = ReplayBuffer<TicTacToe>;
  EXPECT_EQ(Buffer::bytes(1000, 9, 0.5f), Buffer::bytes(1000, 9, 0) + SumTree::bytes(1000));
  EXPECT_GE(SumTree::bytes(1000), 1000 * sizeof(float));
}

}  // namespace
}  // namespace senet
