// A game without its type: for code that is not time-critical, so that it is compiled once and not
// once for each game. Whatever plays or searches by the thousand takes the type (senet/game.hpp).
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "games/game_table.hpp"
#include "games/perft.hpp"
#include "games/random.hpp"
#include "games/sound_moves.hpp"
#include "senet/game.hpp"
#include "senet/result.hpp"

namespace senet {

class AnyState;
struct Exam;

/// Visits of the searches that `senet bench tree` measures in most games.
inline constexpr std::uint32_t kTreeBenchVisits = 400;

/// A setting of a self-play run and its value, both as the command line has them.
struct RecipeEntry {
  std::string_view setting;
  std::string_view value;
};

/// A game that has been played, of a match between two players.
struct FinishedGame {
  std::span<const Action> actions;      // all of them, chance outcomes included
  Player first = 0;                     // which player of the game the match's first player is
  std::optional<std::uint8_t> outcome;  // as the match's first player sees it; none: it was cut
};

/// A player that needs nothing but the rules. `draw` are random numbers for this move alone.
struct SimplePlayer {
  std::string_view word;  // on the command line
  Action (*choose)(const AnyState& state, Random draw);
};

/// Another way to write a position than the game's own.
struct Notation {
  std::string_view name;
  /// `on_roll`: the player to move or to roll, where the text does not say.
  Result<AnyState> (*read)(std::string_view text, Player on_roll);
};

/// What surrounds the rules of a game: how it is learnt, drawn, examined, measured. Every part may
/// be missing, so that a game without a kit of its own works everywhere. States are those of the
/// kit's game.
struct Kit {
  /// The settings that learn the game well, where they are not those of every game.
  std::span<const RecipeEntry> recipe = {};
  /// Everything by name that plays without a search, "random" first. Default: kPlainPlayers of
  /// games/kit.hpp.
  std::span<const SimplePlayer> players = {};
  /// Whether `senet bench` measures the game when none is named. `senet selfplay` learns the first
  /// of these when none is named.
  bool is_standard = false;
  /// Visits of the searches that `senet bench tree` measures.
  std::uint32_t tree_bench_visits = kTreeBenchVisits;
  /// The board for people, lines of text. Default: the state's text.
  std::vector<std::string> (*drawing)(const AnyState& state) = nullptr;
  /// The start of a game that this player begins, where that makes a difference.
  AnyState (*start_of)(Player first) = nullptr;
  /// Other ways to write a position than the game's own, by the word before them.
  std::span<const Notation> notations = {};
  /// Whether, in a list of moves, this word belongs to the move of the word before it.
  bool (*continues_move)(std::string_view word) = [](std::string_view) { return false; };
  /// Where `senet perft` begins (default: the start), and what it calls its two counts of a game
  /// with dice: every roll once, and by its chance.
  AnyState (*perft_start)() = nullptr;
  std::array<std::string_view, 2> leaves_names = {"each_once", "by_chance"};

  // These have no default: a game that lacks one is refused where it would be needed.

  /// Labelled positions for senet eval; trusts nothing in the file, and errors name the line.
  Result<Exam> (*read_exam)(const std::string& file) = nullptr;
  /// With it: how the labels are written, and the answers to them; for people, lines of text.
  std::string_view exam_text = {};
  /// Lines that say a position in which a player is to move, for a program that speaks UBGI
  /// (Universal Backgammon Interface); a game that has it may be spoken about in that protocol.
  std::vector<std::string> (*ubgi_question)(const AnyState& state) = nullptr;
  /// The state with this roll to be played, in place of one that may be there.
  Result<AnyState> (*with_dice)(const AnyState& state, int first, int second) = nullptr;
  /// The state with this player on roll, for whom it looks as it did for the one before.
  Result<AnyState> (*with_player_on_roll)(const AnyState& state, Player player) = nullptr;
  /// Games from the start position between "first" and "second" as a file that other programs read;
  /// `comment` may be any text.
  std::string (*match_text)(std::span<const FinishedGame> games,
                            std::string_view comment) = nullptr;
};

/// The table of a game (games/registry.hpp): constants, functions of the rules, which take the
/// bytes of a state (see AnyState), and its kit, with defaults in place of what is missing there.
struct AnyGame : Kit {
  // The rules, as in senet/game.hpp. What the table points to outlives it.
  std::string_view name;
  std::size_t features, most_active, policy_logits;
  std::span<const float> outcome_values;
  std::span<const std::uint8_t> outcome_mirror;
  float value_range;
  std::size_t most_legal, most_chance;
  bool has_dice;
  bool has_afterstates;

  const void* type;  // the same for the same type of states, and for no other
  const void* own;   // the start of a game that its type leaves open; else null
  std::size_t state_size;
  void (*start)(const void* own, void* state);
  Turn (*turn)(const void* state);
  Player (*viewer)(const void* state);
  /// The legal actions, or only those that deserve a thought.
  void (*legal)(const void* state, bool worth_a_thought, std::vector<Action>& out);
  void (*chance)(const void* state, std::vector<float>& out);
  void (*play)(void* state, Action action);
  std::uint8_t (*outcome)(const void* state);
  /// Texts fail where the function of a host's game does not come to an end.
  Result<std::string> (*text)(const void* state);
  Result<std::string> (*action_text)(const void* state, Action action);
  /// Over a state of the same game.
  Result<void> (*read)(std::string_view text, void* state);
  Result<Action> (*read_action)(const void* state, std::string_view text);

  /// perft() of games/perft.hpp; none as soon as goes_on(), if any, says no. Null in libsenet,
  /// where games have no kits either.
  std::optional<Leaves> (*perft)(const void* state, int depth,
                                 const std::function<bool()>& goes_on);

  /// The rules of any game. Of an OwnOutcomesGame, whose games differ: the functions and the type's
  /// bounds, to which `own` and the game's constants have to be added.
  template <Game G>
  static constexpr AnyGame rules_of();
  /// Rules and kit of any game, registered or not; games/kit.hpp.
  template <Game G>
  static AnyGame of();
};

/// A state of a game that is known at run time. Its functions are those of the concept Game.
///
///   | game | bytes of the state, 0 .. game().state_size, then room for larger ones |
class AnyState {
 public:
  /// No state of a game is larger.
  static constexpr std::size_t kRoom = 1024, kAlignment = 16;

  /// The start. The table outlives the state.
  explicit AnyState(const AnyGame& game) : game_(&game) { game.start(game.own, bytes_.data()); }
  template <Game G>
  AnyState(const AnyGame& game, const G& state) : game_(&game) {
    ::new (bytes_.data()) G(state);
    assert(is_of<G>());
  }
  AnyState(const AnyState& other) { *this = other; }
  AnyState& operator=(const AnyState& other) {
    game_ = other.game_;
    std::memcpy(bytes_.data(), other.bytes_.data(), game_->state_size);
    return *this;
  }

  const AnyGame& game() const { return *game_; }
  /// The state by its type, which is that of game().
  template <Game G>
  const G& as() const {
    assert(is_of<G>());
    return *std::launder(reinterpret_cast<const G*>(bytes_.data()));
  }

  Turn turn() const { return game_->turn(bytes()); }
  Player viewer() const { return game_->viewer(bytes()); }
  /// Fills `out`, whatever it holds, with the legal actions; none but on a player's turn.
  void legal(std::vector<Action>& out) const { game_->legal(bytes(), false, out); }
  /// The same with those that deserve a thought: games/sound_moves.hpp.
  void moves_to_consider(std::vector<Action>& out) const { game_->legal(bytes(), true, out); }
  /// Fills `out`, whatever it holds, with the chance of each outcome; none but on a turn of chance.
  void chance(std::vector<float>& out) const { game_->chance(bytes(), out); }
  void play(Action action) { game_->play(bytes_.data(), action); }
  std::uint8_t outcome() const { return game_->outcome(bytes()); }
  /// For people: what is wrong takes the place of a text that cannot be written.
  std::string text() const { return or_reason(try_text()); }
  std::string action_text(Action action) const { return or_reason(try_action_text(action)); }
  Result<std::string> try_text() const { return game_->text(bytes()); }
  Result<std::string> try_action_text(Action action) const {
    return game_->action_text(bytes(), action);
  }
  static Result<AnyState> from_text(const AnyGame& game, std::string_view text) {
    AnyState state(game);
    const Result<void> read = game.read(text, state.bytes_.data());
    return read ? Result<AnyState>(state) : read.error();
  }
  Result<Action> action_from_text(std::string_view text) const {
    return game_->read_action(bytes(), text);
  }

  /// The board for people: lines of text.
  std::vector<std::string> drawing() const { return game_->drawing(*this); }
  /// The state's bytes, for the table's functions.
  const void* bytes() const { return bytes_.data(); }

 private:
  template <Game G>
  bool is_of() const;
  static std::string or_reason(const Result<std::string>& text) {
    return text ? *text : text.error().reason();
  }

  const AnyGame* game_;
  alignas(kAlignment) std::array<std::byte, kRoom> bytes_;
};

namespace any_game_detail {

template <class G>
inline constexpr char kType{};
template <Game G, class Bytes>
auto& in(Bytes* state) {
  return *std::launder(static_cast<std::conditional_t<std::is_const_v<Bytes>, const G, G>*>(state));
}

}  // namespace any_game_detail

template <Game G>
bool AnyState::is_of() const {
  static_assert(sizeof(G) <= kRoom && alignof(G) <= kAlignment);
  return game_->type == &any_game_detail::kType<G>;
}

template <Game G>
constexpr AnyGame AnyGame::rules_of() {
  using any_game_detail::in;
  AnyGame game{};
  game.name = G::kName;
  game.features = G::kFeatures;
  game.most_active = G::kMaxActive;
  game.policy_logits = G::kPolicyLogits;
  if constexpr (FixedOutcomesGame<G>) {
    game.outcome_values = G::kOutcomeValues;
    game.outcome_mirror = G::kOutcomeMirror;
    game.value_range = G::kValueRange;
  }
  game.most_legal = G::kMaxLegal;
  game.most_chance = kMaxChance<G>;
  game.has_dice = StochasticGame<G>;
  game.has_afterstates = G::kHasAfterstates;
  game.type = &any_game_detail::kType<G>;
  game.state_size = sizeof(G);
  game.start = [](const void* own, void* state) {
    if (own != nullptr) {
      ::new (state) G(in<G>(own));
    } else {
      ::new (state) G;
    }
  };
  game.turn = [](const void* state) { return in<G>(state).turn(); };
  game.viewer = [](const void* state) { return in<G>(state).viewer(); };
  game.legal = [](const void* state, bool worth_a_thought, std::vector<Action>& out) {
    const G& own = in<G>(state);
    ActionList<G::kMaxLegal> actions;
    if (is_decision(own.turn())) {
      worth_a_thought ? senet::moves_to_consider(own, actions) : own.legal(actions);
    }
    out.assign(actions.begin(), actions.end());
  };
  game.chance = [](const void* state, std::vector<float>& out) {
    out.clear();
    if constexpr (StochasticGame<G>) {
      if (in<G>(state).turn() != Turn::kChance) return;
      std::array<float, G::kMaxChance> chance;
      out.assign(chance.begin(), chance.begin() + in<G>(state).chance(chance));
    }
  };
  game.play = [](void* state, Action action) { in<G>(state).play(action); };
  game.outcome = [](const void* state) { return in<G>(state).outcome(); };
  game.text = [](const void* state) -> Result<std::string> {
    if constexpr (requires { in<G>(state).try_text(); }) return in<G>(state).try_text();
    return in<G>(state).text();
  };
  game.action_text = [](const void* state, Action action) -> Result<std::string> {
    if constexpr (requires { in<G>(state).try_action_text(action); }) {
      return in<G>(state).try_action_text(action);
    }
    return in<G>(state).action_text(action);
  };
  game.read = [](std::string_view text, void* state) -> Result<void> {
    const Result<G> read = read_state(in<G>(state), text);
    if (!read) return read.error();
    in<G>(state) = *read;
    return {};
  };
  game.read_action = [](const void* state, std::string_view text) {
    return in<G>(state).action_from_text(text);
  };
  return game;
}

/// The value of a finished state for `player`.
float final_value(const AnyState& state, Player player);

/// A roll where chance has the turn, else any legal action, each as likely. `state` is not over.
Action draw_action(const AnyState& state, Random& random);

/// The names of those games for which `has` holds, for people: "a", "a and b", "a, b and c".
std::string games_that(const std::function<bool(const AnyGame&)>& has,
                       std::string_view last = " and ");

/// A state without its type. Of a game that is not in the list the caller has to see games/kit.hpp.
template <Game G>
AnyState any(const G& state) {
  return AnyState(game_table<AnyGame, G>(), state);
}
template <Game G>
Result<AnyState> any(const Result<G>& state) {
  return state ? Result<AnyState>(any(*state)) : state.error();
}

}  // namespace senet
