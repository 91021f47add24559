// A search by plies finds what a plain recursion over moves and rolls finds, with games that end
// exactly, in any batches, and after each completed ply.
#include "search/plies.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "engine/lanes/analyse.hpp"
#include "games/random_moves.hpp"
#include "tests/all_games.hpp"
#include "tests/engine/own_games.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

SearchSettings by_plies(std::uint32_t ply) {
  SearchSettings settings{.evaluates = Evaluates::kAfterstates};
  settings.plies.ply = ply;
  return settings;
}

/// The definition in plain recursion: one row a pass, nothing shared, nothing skipped.
template <Game G>
struct Plainly {
  struct Move {
    Action action;
    std::uint32_t ply;
    Outcomes<G> outcomes;  // for the player who makes it
  };

  PlySettings settings;
  std::unique_ptr<Evaluator> evaluator = hash_evaluator<G>(1);

  // The distribution of `after` at a ply, for `player`.
  Outcomes<G> value(const G& after, std::uint32_t ply, Player player) {
    if (after.turn() == Turn::kOver) {
      return player == 0 ? certain_end(after) : mirrored(after, certain_end(after));
    }
    if (ply == 0) return network(after, player);
    std::vector<float> probabilities(1, 1.0f);
    const bool rolls = after.turn() == Turn::kChance;
    if constexpr (StochasticGame<G>) {
      if (rolls) {
        probabilities.resize(kMaxChance<G>);
        probabilities.resize(after.chance(probabilities));
      }
    }
    Outcomes<G> mean{};
    for (std::size_t roll = 0; roll < probabilities.size(); ++roll) {
      G state = after;
      if (rolls) state.play(static_cast<Action>(roll));
      const Outcomes<G> best =
          is_decision(state.turn())
              ? seen_by(state, player,
                        choose(state, ply - 1, settings.replies, settings.reply_window)
                            .front()
                            .outcomes)
              : value(state, ply - 1, player);
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += probabilities[roll] * best[i];
    }
    return mean;
  }

  // All moves: those valued at the last ply first, by value.
  std::vector<Move> choose(const G& state, std::uint32_t last, std::size_t most, float window) {
    ActionList<G::kMaxLegal> legal;
    state.legal(legal);
    std::vector<Move> moves;
    for (const Action action : legal) moves.push_back(move(state, action, 0));
    std::size_t kept = moves.size();
    const auto worth = [&](const Move& m) { return mean_value(state, m.outcomes); };
    const auto sort = [&] {
      std::sort(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(kept),
                [&](const Move& a, const Move& b) {
                  return worth(a) != worth(b) ? worth(a) > worth(b) : a.action < b.action;
                });
    };
    sort();
    for (std::uint32_t ply = 1; ply <= last; ++ply) {
      kept = std::min(kept, most);
      while (worth(moves[kept - 1]) <
             worth(moves[0]) - window / static_cast<float>(1u << (ply - 1)))
        --kept;
      for (std::size_t i = 0; i < kept; ++i) moves[i] = move(state, moves[i].action, ply);
      sort();
    }
    return moves;
  }

 private:
  Move move(const G& state, Action action, std::uint32_t ply) {
    G after = state;
    after.play(action);
    return {action, ply, value(after, ply, perspective(state.turn()))};
  }
  Outcomes<G> network(const G& after, Player player) {
    Outcomes<G> answer{};
    Batch batch(1, row_size<G>());
    batch.add({std::span(answer).first(outcome_values(after).size()), {}, nullptr},
              [&](FeatureRow& row) { after.encode(row); });
    evaluator->forward(batch);
    return player == after.viewer() ? answer : mirrored(after, answer);
  }
  static Outcomes<G> seen_by(const G& state, Player player, const Outcomes<G>& outcomes) {
    return player == perspective(state.turn()) ? outcomes : mirrored(state, outcomes);
  }
};

template <Game G>
std::vector<G> some_decisions(std::size_t count, int from, int to) {
  std::vector<G> states;
  for (std::uint64_t game = 0; states.size() < count; ++game) {
    Random draw(21, game, 0, Purpose::kTest);
    G state;
    for (int ply = 0; ply < to && state.turn() != Turn::kOver; ++ply) {
      if (ply >= from && is_decision(state.turn())) states.push_back(state);
      state.play(draw_action(state, draw));
    }
  }
  states.resize(count);
  return states;
}

template <Game G>
void expect_plain_values(const std::vector<G>& states, const SearchSettings& settings) {
  Search<G> search(settings, limits_for(states[0], 1, settings.evaluates));
  const auto evaluator = hash_evaluator<G>(64);
  Batch batch(64, row_size<G>());
  Plainly<G> plainly{.settings = settings.plies};
  const PlySettings& plies = settings.plies;
  for (const G& state : states) {
    search.start(state, {}, Random(0, 0, 0, Purpose::kNoise));
    run_search(search, *evaluator, batch);
    const Decision<G> found = search.decision();
    const auto wanted = plainly.choose(state, plies.ply, plies.moves, plies.window);
    ASSERT_EQ(found.choices.size(), wanted.size());
    EXPECT_EQ(found.visits, plies.ply + 1);
    EXPECT_FLOAT_EQ(found.value, found.choices.front().value);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Choice& choice = found.choices[i];
      ASSERT_EQ(choice.action, wanted[i].action) << state.text() << ", choice " << i;
      // The last ply values what the one before kept, and a single move at the last ply only.
      EXPECT_EQ(choice.visits, wanted[i].ply + 1);
      EXPECT_NEAR(choice.value, mean_value(state, wanted[i].outcomes), 1e-5f);
      const Outcomes<G> outcomes = search.outcomes_after(choice.action);
      for (std::size_t k = 0; k < outcomes.size(); ++k) {
        EXPECT_NEAR(outcomes[k], wanted[i].outcomes[k], 1e-5f);
      }
    }
  }
}

TEST(Plies, ARaceIsValuedAsPlainRecursionDoes) {
  const auto states = some_decisions<Race>(20, 0, 30);
  for (std::uint32_t ply = 1; ply <= 4; ++ply) {
    SearchSettings settings = by_plies(ply);
    expect_plain_values(states, settings);
    settings.plies.replies = 2;
    expect_plain_values(states, settings);
    settings.plies.reply_window = settings.plies.window = 100;
    expect_plain_values(states, settings);
    settings.plies.moves = 1;
    expect_plain_values(states, settings);
  }
}

TEST(Plies, BackgammonIsValuedAsPlainRecursionDoes) {
  const auto states = some_decisions<Backgammon>(12, 0, 100);
  SearchSettings settings = by_plies(1);
  settings.plies.window = 100;  // the hash evaluator's values are far apart
  expect_plain_values(states, settings);
  settings = by_plies(2);
  settings.plies.moves = 3;
  settings.plies.window = 100;
  expect_plain_values<Backgammon>({states.begin(), states.begin() + 4}, settings);
  settings.plies.moves = 2;
  settings.plies.replies = 2;
  settings.plies.reply_window = 100;
  expect_plain_values<Backgammon>({states.begin() + 4, states.begin() + 6}, settings);
}

// Near its end every line of a race ends within the plies: the network has no say.
TEST(Plies, FinishedGamesAreExact) {
  SearchSettings settings = by_plies(6);
  settings.plies = {.ply = 6, .moves = 100, .window = 100, .replies = 64, .reply_window = 100};
  Search<Race> search(settings, limits_for<Race>(1, settings.evaluates));
  const auto evaluator = hash_evaluator<Race>(16);
  Batch batch(16, row_size<Race>());
  const auto value = [&](const char* text) {
    search.start(*Race::from_text(text), {}, Random(0, 0, 0, Purpose::kNoise));
    run_search(search, *evaluator, batch);
    return search.decision().value;
  };
  // One square to go, and the opponent has one runner home: a single win.
  EXPECT_EQ(value("lm lm 0 1"), 1);
  EXPECT_EQ(value("lm hi 0 1"), 3);
  // Two squares to go with a 1. Then the opponent wins unless 1 follows (1/2), and we win.
  EXPECT_NEAR(value("km km 0 1"), 0.5f * -1 + 0.5f * 1, 1e-6f);
  // The same for the other player, one square behind and with a 2.
  EXPECT_NEAR(value("km jm 1 2"), 0.5f * -1 + 0.5f * 1, 1e-6f);
}

/// The race without a die: each move is one square, and the other player moves at once.
struct Walk : Race {
  Walk() { die = 1; }
  static Result<Walk> from_text(std::string_view) { return fail("no notation"); }
  Turn turn() const { return is_home(0) || is_home(1) ? Turn::kOver : Turn{mover}; }
  bool has_dice() const { return false; }
  void play(Action action) {
    Race::play(action);
    die = 1;
  }
};

TEST(Plies, AGameWithoutDiceIsSearchedToo) {
  for (std::uint32_t ply = 1; ply <= 4; ++ply) {
    SearchSettings settings = by_plies(ply);
    settings.plies.replies = 2;
    settings.plies.reply_window = settings.plies.window = 100;
    expect_plain_values(some_decisions<Walk>(30, 0, 50), settings);
  }
}

template <Game G>
std::vector<std::vector<Choice>> found_in(const std::vector<G>& states,
                                          const SearchSettings& settings, std::size_t lanes,
                                          std::size_t rows) {
  const auto evaluator = hash_evaluator<G>(rows);
  Analysis<G> analysis(*evaluator, settings, 1, lanes, rows);
  std::vector<std::vector<Choice>> found(states.size());
  analysis.run(std::span<const G>(states), {}, 0,
               [&](std::size_t i, const Decision<G>& decision, const Search<G>&) {
                 found[i].assign(decision.choices.begin(), decision.choices.end());
               });
  return found;
}

TEST(Plies, TheSameForAnyLanesAndRows) {
  const auto states = some_decisions<Backgammon>(12, 0, 60);
  const SearchSettings settings = by_plies(2);
  const auto alone = found_in(states, settings, 1, 1);
  for (const std::size_t lanes : {1, 5, 12}) {
    for (const std::size_t rows : {7, 256}) {
      const auto found = found_in(states, settings, lanes, rows);
      for (std::size_t i = 0; i < states.size(); ++i) {
        ASSERT_EQ(found[i].size(), alone[i].size());
        for (std::size_t k = 0; k < found[i].size(); ++k) {
          EXPECT_EQ(found[i][k].action, alone[i][k].action);
          EXPECT_EQ(found[i][k].visits, alone[i][k].visits);
          EXPECT_EQ(found[i][k].value, alone[i][k].value);
        }
      }
    }
  }
}

// A driver may read the decision whenever no leaf is in flight, as a stop or a deadline does.
TEST(Plies, AtAnyTimeTheLastCompletedPlyDecides) {
  constexpr std::uint32_t kPly = 2;
  for (const Backgammon& state : some_decisions<Backgammon>(6, 0, 60)) {
    std::vector<std::vector<Choice>> at_ply(1);
    for (std::uint32_t ply = 1; ply <= kPly; ++ply) {
      at_ply.push_back(found_in<Backgammon>({state}, by_plies(ply), 1, 64)[0]);
    }
    Search<Backgammon> search(by_plies(kPly), limits_for<Backgammon>(1, Evaluates::kAfterstates));
    const auto evaluator = hash_evaluator<Backgammon>(64);
    Batch batch(64, row_size<Backgammon>());
    search.start(state, {}, Random(0, 0, 0, Purpose::kNoise));
    EXPECT_EQ(search.visits(), 0u);
    std::uint32_t seen = 0;
    while (search.gather(batch) != Step::kDone) {
      evaluator->forward(batch);
      batch.clear();
      search.absorb();
      if (search.has_leaf() || search.visits() == 0) continue;
      const Decision<Backgammon> found = search.decision();
      EXPECT_EQ(found.visits, search.visits());
      EXPECT_GE(found.visits, seen);
      seen = found.visits;
      if (seen == 1) continue;
      const auto& wanted = at_ply[seen - 1];
      ASSERT_EQ(found.choices.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(found.choices[i].action, wanted[i].action);
        EXPECT_EQ(found.choices[i].value, wanted[i].value);
      }
    }
    EXPECT_EQ(seen, kPly + 1);
    // Forgotten or restarted in the middle of a leaf, it begins again.
    search.start(state, {}, Random(0, 0, 0, Purpose::kNoise));
    static_cast<void>(search.gather(batch));
    batch.clear();
    search.start(state, {}, Random(0, 0, 0, Purpose::kNoise));
    run_search(search, *evaluator, batch);
    EXPECT_EQ(search.decision().value, at_ply[kPly][0].value);
    search.forget();
    EXPECT_EQ(search.visits(), 0u);
    EXPECT_EQ(search.gather(batch), Step::kDone);
  }
}

}  // namespace
}  // namespace senet
