// Type-erased games, for code that is not time-critical: it is compiled once, not once per game.
// Code that plays or searches at high rates takes the type as a parameter (senet/game.hpp).
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
#include "games/tablebase.hpp"
#include "senet/game.hpp"
#include "senet/result.hpp"

namespace senet {

class AnyState;
class OwnTables;
struct AnyGame;
struct Exam;

/// Default visits per search in `senet bench tree`.
inline constexpr std::uint32_t kTreeBenchVisits = 400;

/// A setting of a self-play run and its value, both spelled as on the command line.
struct RecipeEntry {
  std::string_view setting;
  std::string_view value;
};

/// A game of a match between two players.
struct FinishedGame {
  std::span<const Action> actions;      // all of them, chance outcomes included
  Player first = 0;                     // which player of the game the match's first player is
  std::optional<std::uint8_t> outcome;  // for the match's first player; none if the game was cut
};

/// A game from a file of another program.
struct ReadGame {
  std::array<std::string, 2> players;  // names of player 0 and player 1
  Player first = 0;                    // who begins, for Kit::start_of
  std::vector<Action> actions;         // legal, chance outcomes included
};

/// A player that needs only the rules. `draw` is the random stream for this move.
struct SimplePlayer {
  std::string_view word;  // on the command line
  std::string_view help;  // how it chooses its moves, for --help
  Action (*choose)(const AnyState& state, Random draw);
};

/// An alternative to the game's own notation of a position.
struct Notation {
  std::string_view name;
  /// `on_roll`: the player to move or to roll, if the text does not specify one.
  Result<AnyState> (*read)(std::string_view text, Player on_roll);
};

/// Everything about a game besides its rules: training settings, drawing, exams, benchmarks. Every
/// part is optional, so that a game without a kit works everywhere. All states passed to its
/// functions belong to the kit's game.
struct Kit {
  /// Training settings in which the game differs from the general defaults.
  std::span<const RecipeEntry> recipe = {};
  /// The named players that use no search, "random" first. Default: kPlainPlayers of games/kit.hpp.
  std::span<const SimplePlayer> players = {};
  /// Whether `senet bench` measures the game by default. `senet selfplay` defaults to the first
  /// such game.
  bool is_standard = false;
  /// Visits per search in `senet bench tree`.
  std::uint32_t tree_bench_visits = kTreeBenchVisits;
  /// The board as lines of text for people. Default: the state's text.
  std::vector<std::string> (*drawing)(const AnyState& state) = nullptr;
  /// The start position of `game`, the kit's, with `first` to begin. Default: the start, the same
  /// for both players.
  AnyState (*start_of)(const AnyGame& game, Player first) = nullptr;
  /// Other notations of a position, each introduced by its name.
  std::span<const Notation> notations = {};
  /// Whether this word of a list of moves belongs to the same move as the word before it.
  bool (*continues_move)(std::string_view word) = [](std::string_view) { return false; };
  /// The default position of `senet perft` (default: the start), and the names of its two counts in
  /// a game with dice: each roll counted once, and weighted by its probability.
  AnyState (*perft_start)(const AnyGame& game) = nullptr;
  std::array<std::string_view, 2> count_names = {"each_once", "by_chance"};

  /// Reads labelled positions for `senet eval`. Validates the whole file; errors name the line.
  /// Default: read_plain_exam() of games/exam.hpp. Called by read_exam() there.
  Result<Exam> (*read_exam)(const std::string& file) = nullptr;
  /// With read_exam: the formats of the labels and of the answers, as lines of text for people.
  std::string_view exam_text = {};

  // These have no default: commands that need a missing one refuse the game.

  /// The lines that send a position, with a player to move, to a program that speaks UBGI
  /// (Universal Backgammon Interface). The protocol is available for games that have this function.
  std::vector<std::string> (*ubgi_question)(const AnyState& state) = nullptr;
  /// The state with this roll to be played, which replaces any earlier roll.
  Result<AnyState> (*with_dice)(const AnyState& state, int first, int second) = nullptr;
  /// The state with `player` on roll and the board unchanged from the perspective of the player on
  /// roll.
  Result<AnyState> (*with_player_on_roll)(const AnyState& state, Player player) = nullptr;
  /// Games from the start position between "first" and "second" in a file format of other programs;
  /// `comment` may be any text.
  std::string (*match_text)(std::span<const FinishedGame> games,
                            std::string_view comment) = nullptr;
  /// Reads all games of a file in that format; errors name the line.
  Result<std::vector<ReadGame>> (*read_match)(std::string_view text) = nullptr;
};

/// The table of a game (games/registry.hpp): its constants; the functions of its rules, which take
/// the bytes of a state (see AnyState); and its kit, with defaults for missing parts.
struct AnyGame : Kit {
  // The rules, as in senet/game.hpp. All memory that the table refers to outlives it.
  std::string_view name;
  std::size_t features, most_active, policy_logits;
  std::span<const float> outcome_values;
  std::span<const std::uint8_t> outcome_mirror;
  float value_range;
  std::size_t most_legal, most_chance;
  bool has_dice;
  bool has_afterstates;
  bool has_few_moves;  // kHasFewMoves
  int player_count;    // 1 or 2
  TablebaseFormat tablebase;

  const OwnTables* own_tables;  // of a game that is not listed (games/games.hpp); else null

  const void* type;  // identifies the type of the states
  const void* own;   // the start of a game of an OwnOutcomesGame type; otherwise null
  std::size_t state_size;
  void (*start)(const void* own, void* state);
  Turn (*turn)(const void* state);
  Player (*viewer)(const void* state);
  /// The legal actions, or only moves_to_consider() of games/sound_moves.hpp.
  void (*legal)(const void* state, bool only_considered, std::vector<Action>& out);
  void (*chance)(const void* state, std::vector<float>& out);
  void (*play)(void* state, Action action);
  std::uint8_t (*outcome)(const void* state);
  /// Fail when the text function of a host's game never ends.
  Result<std::string> (*text)(const void* state);
  Result<std::string> (*action_text)(const void* state, Action action);
  /// Overwrites a state of the same game.
  Result<void> (*read)(std::string_view text, void* state);
  Result<Action> (*read_action)(const void* state, std::string_view text);

  /// perft() of games/perft.hpp; returns nothing as soon as keep_going(), if set, returns false.
  /// Null in libsenet, where games have no kits either.
  std::optional<Leaves> (*perft)(const void* state, int depth,
                                 const std::function<bool()>& keep_going);

  /// The rules of a game; for an OwnOutcomesGame only the functions and the type's bounds.
  template <Game G>
  static constexpr AnyGame rules_of();
  /// The rules of the game that begins with `start`, which outlives the table.
  template <OwnOutcomesGame G>
  static AnyGame rules_of(const G& start);
  /// Rules and kit of a game, registered or not. Defined in games/kit.hpp.
  template <Game G>
  static AnyGame of();
  template <OwnOutcomesGame G>
  static AnyGame of(const G& start);
};

/// A state of a game that is known at run time. Its functions are those of the concept Game.
///
///   | game | bytes of the state, 0 .. game().state_size, then unused room for larger states |
class AnyState {
 public:
  /// Maximum size and alignment of a state, in bytes.
  static constexpr std::size_t kRoom = 1024, kAlignment = 16;

  /// The start. The table must outlive the state.
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
  /// The typed state. G must be the type of game().
  template <Game G>
  const G& as() const {
    assert(is_of<G>());
    return *std::launder(reinterpret_cast<const G*>(bytes_.data()));
  }

  Turn turn() const { return game_->turn(bytes()); }
  Player viewer() const { return game_->viewer(bytes()); }
  /// Replaces `out` with the legal actions; empty unless a player is to move.
  void legal(std::vector<Action>& out) const { game_->legal(bytes(), false, out); }
  /// Replaces `out` with moves_to_consider() of games/sound_moves.hpp; empty when legal() is.
  void moves_to_consider(std::vector<Action>& out) const { game_->legal(bytes(), true, out); }
  /// Replaces `out` with the probability of each outcome; empty unless it is a chance turn.
  void chance(std::vector<float>& out) const { game_->chance(bytes(), out); }
  void play(Action action) { game_->play(bytes_.data(), action); }
  std::uint8_t outcome() const { return game_->outcome(bytes()); }
  /// For people: returns the error message when the text cannot be written.
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

  /// The board as lines of text for people.
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
  game.has_few_moves = kHasFewMoves<G>;
  game.player_count = kMayHaveOnePlayer<G> ? 1 : 2;
  game.tablebase = TablebaseFormat::of<G>();
  game.type = &any_game_detail::kType<G>;
  game.state_size = sizeof(G);
  game.start = [](const void* origin, void* state) {
    if (origin != nullptr) {
      ::new (state) G(in<G>(origin));
    } else {
      ::new (state) G;
    }
  };
  game.turn = [](const void* state) { return in<G>(state).turn(); };
  game.viewer = [](const void* state) { return in<G>(state).viewer(); };
  game.legal = [](const void* state, bool only_considered, std::vector<Action>& out) {
    const G& typed = in<G>(state);
    ActionList<G::kMaxLegal> actions;
    if (is_decision(typed.turn())) {
      only_considered ? senet::moves_to_consider(typed, actions) : typed.legal(actions);
    }
    out.assign(actions.begin(), actions.end());
  };
  game.chance = [](const void* state, std::vector<float>& out) {
    out.clear();
    if constexpr (StochasticGame<G>) {
      if (in<G>(state).turn() != Turn::kChance) return;
      std::array<float, G::kMaxChance> shares;
      out.assign(shares.begin(), shares.begin() + in<G>(state).chance(shares));
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
  game.read = [](std::string_view from, void* state) -> Result<void> {
    const Result<G> found = read_state(in<G>(state), from);
    if (!found) return found.error();
    in<G>(state) = *found;
    return {};
  };
  game.read_action = [](const void* state, std::string_view from) {
    return in<G>(state).action_from_text(from);
  };
  return game;
}

template <OwnOutcomesGame G>
AnyGame AnyGame::rules_of(const G& start) {
  AnyGame game = rules_of<G>();
  game.own = &start;
  game.name = game_name(start);
  game.features = feature_count(start);
  game.most_active = senet::most_active(start);
  game.policy_logits = senet::policy_logits(start);
  game.outcome_values = senet::outcome_values(start);
  game.outcome_mirror = senet::outcome_mirror(start);
  game.value_range = senet::value_range(start);
  game.most_legal = senet::most_legal(start);
  game.most_chance = senet::most_chance(start);
  game.has_dice = senet::has_dice(start);
  game.has_afterstates = senet::has_afterstates(start);
  game.player_count = senet::player_count(start);
  return game;
}

/// The start of a game. G is the type of its states.
template <Game G>
G start_as(const AnyGame& game) {
  return AnyState(game).as<G>();
}

/// The value of a finished state for `player`.
float final_value(const AnyState& state, Player player);

/// Draws a roll by its probability on a chance turn, otherwise a uniformly random legal action.
/// `state` is unfinished.
Action draw_action(const AnyState& state, Random& random);

/// The names of the games for which `has` returns true, for people: "a", "a and b", "a, b and c".
std::string games_that(const std::function<bool(const AnyGame&)>& has,
                       std::string_view last = " and ");

/// Type-erases a state. For a game that is not listed, the caller must include games/kit.hpp.
template <Game G>
AnyState any(const G& state) {
  return AnyState(game_table<AnyGame, G>(), state);
}
inline AnyState any(const AnyState& state) { return state; }
template <Game G>
Result<AnyState> any(const Result<G>& state) {
  return state ? Result<AnyState>(any(*state)) : state.error();
}

}  // namespace senet
