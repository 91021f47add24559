// The seat of one game.
#pragma once

#include <fmt/core.h>

#include <cstring>
#include <type_traits>
#include <utility>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/xgid.hpp"
#include "games/kit.hpp"
#include "games/perft.hpp"
#include "games/sound_moves.hpp"
#include "tools/protocol/seat.hpp"
#include "tools/protocol/thinker.hpp"
#include "tools/protocol/words.hpp"

namespace senet::protocol {

template <Game G>
class SeatOf final : public Seat {
 public:
  std::string_view game() const override { return G::kName; }

  Result<void> configure(const Options& options, Change change) override {
    return thinker_.configure(options, change);
  }

  Result<void> set_position(const PositionRequest& position, Player on_roll) override {
    Result<G> state = read(position, on_roll);
    if (!state) return state.error();
    if (Result<void> played = play(*state, position.moves); !played) return played;
    state_ = *state;
    return {};
  }

  Result<void> set_dice(int first, int second) override {
    if constexpr (kIsBackgammon) {
      const std::optional<backgammon::Dice> dice = backgammon::make_dice(first, second);
      if (!dice) return refuse(Code::kBadArgument, "each of the dice is 1 to 6");
      if (state_.turn() == Turn::kOver) return refuse(Code::kGameOver, "the game is over");
      return take(G::from_board(state_.board(), state_.viewer(), dice));
    } else {
      return no_backgammon();
    }
  }

  Result<void> set_on_roll(Player player) override {
    if constexpr (kIsBackgammon) {
      if (player == state_.viewer()) return {};  // an opening roll stays one
      return take(G::from_board(state_.board(), player, state_.dice()));
    } else {
      return no_backgammon();
    }
  }

  Standing standing() const override {
    Standing standing;
    standing.turn = state_.turn();
    standing.viewer = state_.viewer();
    standing.must_roll = standing.turn == Turn::kChance;
    if (standing.turn == Turn::kOver) standing.final_value = final_value(state_, 0);
    if (is_decision(standing.turn)) {
      ActionList<G::kMaxLegal> moves;
      moves_to_consider(state_, moves);
      standing.moves = moves.size();
    }
    return standing;
  }

  std::string text() const override { return state_.text(); }
  std::vector<std::string> drawing() const override { return GameKit<G>::drawing(state_); }

  Evaluation evaluate() override {
    if (state_.turn() != Turn::kOver) return thinker_.evaluate(state_);
    Outcomes<G> certain{};
    certain[state_.viewer() == 0 ? state_.outcome() : G::kOutcomeMirror[state_.outcome()]] = 1;
    return Thinker<G>::worth(certain);
  }

  Thought think(const ThinkLimits& limits, std::size_t variations,
                const std::function<void(const Thought&)>& progress) override {
    return thinker_.think(state_, limits, variations, progress);
  }

  std::optional<Leaves> count_leaves(int depth,
                                     const std::function<bool()>& goes_on) const override {
    return perft(state_, depth, goes_on);
  }

  std::optional<BenchTotals> bench(std::uint32_t visits,
                                   const std::function<bool()>& goes_on) override {
    constexpr std::uint32_t kPositions = 16;
    BenchTotals totals;
    Random random(/*seed=*/1, 0, 0, Purpose::kMove);
    // Games of blind moves: everybody's positions without a file of them.
    for (G state; totals.positions < kPositions;) {
      if (state.turn() == Turn::kOver) state = G{};
      ActionList<kMaxEdges<G>> actions;
      if (is_decision(state.turn())) {
        if (!search_one(state, visits, goes_on, totals)) return std::nullopt;
        ActionList<G::kMaxLegal> legal;
        state.legal(legal);
        for (const Action action : legal) actions.push_back(action);
      } else if constexpr (StochasticGame<G>) {
        std::array<float, G::kMaxChance> probabilities;
        const std::size_t rolls = state.chance(probabilities);
        for (std::size_t i = 0; i < rolls; ++i) actions.push_back(static_cast<Action>(i));
      }
      state.play(actions[random.below(static_cast<std::uint32_t>(actions.size()))]);
    }
    return totals;
  }

 private:
  static constexpr bool kIsBackgammon = std::is_same_v<G, Backgammon>;

  static Error no_backgammon() {
    return refuse(Code::kUnsupportedFeature,
                  fmt::format("that is a word of backgammon; this is {}", G::kName));
  }

  Result<void> take(const Result<G>& state) {
    if (!state) return refuse(Code::kIllegalPosition, state.error());
    state_ = *state;
    return {};
  }

  static Result<G> read(const PositionRequest& position, Player on_roll) {
    const auto checked = [](Result<G> state) -> Result<G> {
      if (!state) return refuse(Code::kIllegalPosition, state.error());
      return *state;
    };
    switch (position.kind) {
      case PositionRequest::Kind::kStart:
        return start(on_roll);
      case PositionRequest::Kind::kText:
        return checked(G::from_text(position.text));
      case PositionRequest::Kind::kGnuId:
      case PositionRequest::Kind::kXgid:
        break;
    }
    if constexpr (kIsBackgammon) {
      if (position.kind == PositionRequest::Kind::kGnuId) {
        return checked(G::from_position_id(position.text, on_roll));
      }
      return checked(from_xgid(position.text));
    } else {
      return no_backgammon();
    }
  }

  static G start(Player on_roll) {
    if constexpr (kIsBackgammon) {
      if (const Result<G> state = G::start({.on_roll = on_roll})) return *state;
    }
    return G{};
  }

  static Result<G> from_xgid(std::string_view text) {
    const Result<backgammon::Xgid> xgid = backgammon::parse_xgid(text);
    if (!xgid) return xgid.error();
    return G::from_text(text);
  }

  // Plays moves told word by word. With dice, a roll is one word, "31", and a play is the words
  // behind it with a slash in them, "8/5 6/5", or "pass".
  static Result<void> play(G& state, std::span<const std::string_view> words) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < words.size();) {
      ++number;
      std::string told(words[i++]);
      if constexpr (StochasticGame<G>) {
        const auto is_step = [](std::string_view word) { return word.find('/') != word.npos; };
        if (is_step(told)) {
          while (i < words.size() && is_step(words[i])) told.append(" ").append(words[i++]);
        }
      }
      const auto wrong = [&](std::string_view reason) {
        return refuse(Code::kIllegalMove,
                      fmt::format("move {} {}: {}", number, in_quotes(told), reason));
      };
      if (state.turn() == Turn::kOver) return wrong("the game is over before it");
      const Result<Action> action = state.action_from_text(told);
      if (!action) return wrong(action.error().reason());
      state.play(*action);
    }
    return {};
  }

  bool search_one(const G& state, std::uint32_t visits, const std::function<bool()>& goes_on,
                  BenchTotals& totals) {
    if (!goes_on()) return false;
    bool is_whole = true;
    const Decision<G> decision =
        thinker_.decide(state, {.visits = visits, .until = std::nullopt, .goes_on = [&] {
                                  is_whole = is_whole && goes_on();
                                  return is_whole;
                                }});
    ++totals.positions;
    totals.visits += decision.visits;
    totals.evaluations += decision.evaluations;
    totals.signature = mix(totals.signature ^ decision.best());
    totals.signature = mix(totals.signature ^ decision.choices.front().visits);
    return is_whole;
  }

  G state_;
  Thinker<G> thinker_;
};

template <Game G>
constexpr SeatTable SeatTable::of() {
  return {.make = []() -> std::unique_ptr<Seat> { return std::make_unique<SeatOf<G>>(); }};
}

}  // namespace senet::protocol
