// The contract of a game: its state is one trivially copyable value. A copy replaces undo.
//
// Built-in games and games of host programs satisfy the same concept.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "senet/result.hpp"

namespace senet {

/// A move, or one outcome of a chance turn. Never an index into a move list: it has the same
/// meaning in every version of the move generator, so that old game records stay readable.
using Action = std::uint16_t;

/// Whose turn it is. The numbers are those of senet_turn.
enum class Turn : std::uint8_t { kPlayer0, kPlayer1, kChance, kOver };

/// Player index, 0 or 1; always 0 in a game of one player.
using Player = std::uint8_t;

/// A list of actions with a fixed capacity and no heap memory.
template <std::size_t kCapacity>
class ActionList {
 public:
  using value_type = Action;

  ActionList() = default;
  ActionList(std::initializer_list<Action> actions) {
    for (const Action action : actions) push_back(action);
  }
  ActionList(const ActionList& other) { *this = other; }
  ActionList& operator=(const ActionList& other) {
    size_ = other.size_;
    std::copy_n(other.data(), size_, data());
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Action* data() { return actions_.data(); }
  const Action* data() const { return actions_.data(); }
  Action* begin() { return data(); }
  Action* end() { return data() + size_; }
  const Action* begin() const { return data(); }
  const Action* end() const { return data() + size_; }
  Action& operator[](std::size_t i) { return actions_[i]; }
  Action operator[](std::size_t i) const { return actions_[i]; }
  Action front() const { return actions_[0]; }
  Action back() const { return actions_[size_ - 1]; }

  void clear() { size_ = 0; }
  /// Throws std::length_error when the list is full: the game has more actions than it declares.
  void push_back(Action action) {
    if (size_ == kCapacity) throw std::length_error("more actions than the game declares");
    actions_[size_++] = action;
  }
  /// New elements are uninitialised. `size` is at most the capacity.
  void resize(std::size_t size) {
    assert(size <= kCapacity);
    size_ = static_cast<std::uint32_t>(size);
  }

  friend bool operator==(const ActionList& a, const ActionList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::uint32_t size_ = 0;
  std::array<Action, kCapacity> actions_;
};

/// Writes the non-zero features of one position into the caller's memory, as pairs of an index and
/// a value: board games have few non-zero inputs (about 45 of 426 in backgammon).
class FeatureRow {
 public:
  /// `index` and `value` have room for `capacity` entries each and must outlive the row.
  FeatureRow(std::uint16_t* index, float* value, std::size_t capacity)
      : index_(index), value_(value), capacity_(static_cast<std::uint32_t>(capacity)) {}

  /// Appends one feature. Each index occurs at most once per row; `value` is finite. Zeros may be
  /// omitted. More than `capacity` entries are undefined behaviour when asserts are disabled.
  void add(std::size_t index, float value) { add_if(true, index, value); }

  /// Appends one feature if `present`, without a branch. Needs room for one entry in either case.
  void add_if(bool present, std::size_t index, float value) {
    assert(count_ < capacity_);
    index_[count_] = static_cast<std::uint16_t>(index);
    value_[count_] = value;
    count_ += present ? 1 : 0;
  }

  /// Entries written so far.
  std::size_t count() const { return count_; }

 private:
  std::uint16_t* index_;
  float* value_;
  std::uint32_t capacity_;
  std::uint32_t count_ = 0;
};

/// Pads the list of policy logits that add up to an action's logit.
inline constexpr std::uint16_t kNoLogit = 0xffff;

/// A game whose outcomes are fixed by its type.
///   kOutcomeValues  value of each outcome from one player's perspective, e.g. win +1, draw 0,
///                   loss -1: whole numbers from -7 to 7. The value head is a distribution over
///                   these outcomes
///   kOutcomeMirror  index of each outcome from the other player's perspective (an involution)
///   kValueRange     maximum magnitude of a value, a whole number from 1 to 7
///
/// In a game of one player (kPlayerCount below) an outcome is a number of moves left, the value is
/// minus that number, and the mirror is the identity: MovesLeft in senet/game_defaults.hpp.
template <class G>
concept FixedOutcomesGame = requires {
  { G::kOutcomeValues.size() } -> std::convertible_to<std::size_t>;
  { G::kOutcomeMirror.size() } -> std::convertible_to<std::size_t>;
  { G::kValueRange } -> std::convertible_to<float>;
};

/// A type that implements many games, each with its own outcomes, which its states report. All
/// states of one game return the same values, and the returned memory outlives the states. A state
/// may also report its game's name(), what it supports: has_dice(), has_afterstates(),
/// has_mirror(), has_sound_moves(), has_scrambles(), has_feature_bits(), player_count(); and
/// smaller numbers than the type's: most_legal(), most_chance(), most_active(), features(),
/// policy_logits(). A text alone does not identify the game, so other_from_text(text) of a state
/// replaces from_text(text). A default-constructed state is not the start of a game: code that
/// plays from the start takes it as an argument.
///   kMaxOutcomes     maximum number of outcomes of any game of the type
///   outcome_values()  [outcomes] f32, as kOutcomeValues
///   outcome_mirror()  [outcomes] u8, as kOutcomeMirror
///   value_range()     as kValueRange
template <class G>
concept OwnOutcomesGame = !FixedOutcomesGame<G> && requires(const G& c) {
  { G::kMaxOutcomes } -> std::convertible_to<std::size_t>;
  { c.outcome_values() } -> std::convertible_to<std::span<const float>>;
  { c.outcome_mirror() } -> std::convertible_to<std::span<const std::uint8_t>>;
  { c.value_range() } -> std::convertible_to<float>;
};

/// The rules of a game as a value type. A default-constructed G is the start position.
///
/// constants
///   kName           the game's name in commands, records and weights
///   kMaxLegal       maximum number of legal actions in any position
///   kMaxPlies       practical limit on players' moves per game; the rules may allow longer games,
///                   but check_game() rejects a game that exceeds it
///   kFeatures       width of the network's input
///   kMaxActive      encode() writes at most this many non-zero features
///   kPolicyLogits   width of the policy head
///   kLogitsPerAction  maximum number of policy logits that add up to an action's logit, 1 .. 4 in
///                     a table (senet/game_table.h)
///   kHasAfterstates whether the game supports Evaluates::kAfterstates
///   kPlayerCount    1 or 2; without it 2. One player tries to reach the end in few moves. Outcome
///                   i, worth -i, then means that i moves are left; the last one, that so many or
///                   more are left, or that the end cannot be reached. A finished game has outcome
///                   0 or the last one. Such a game has neither dice nor sound()
///   kEncodesImage   whether encode() describes an image of the state, such as a rotated board, and
///                   logits_of() the actions of that image; without it false. A table of such a
///                   game (senet/own_game.hpp) is for networks of afterstates only
/// and the constants of a FixedOutcomesGame or the members of an OwnOutcomesGame
///
/// functions
///   turn()          whose turn it is
///   viewer()        the player from whose perspective encode() writes and the network answers:
///                   the player to move or, on a chance turn, the player about to roll
///   legal(out)      fills `out` (empty on entry) with the legal actions, ascending and unique;
///                   called only when a player is to move. Never empty: a player without a move
///                   has the action "pass"
///   play(action)    plays a legal action, or a chance outcome on a chance turn
///   outcome()       index into outcome_values() from player 0's perspective; called only when the
///                   game is finished
///   key()           equal for equal states (side to move and dice included), different for
///                   different states except for 64-bit collisions
///   encode(row)     writes the features of an unfinished state from viewer()'s perspective
///   logits_of(a)    which policy logits add up to the action's logit, padded with kNoLogit; the
///                   same in all states of a game, unless kEncodesImage
///   text / from_text    the state as one word or line of text and back
///   action_text / action_from_text    the same for actions legal in this state, and for chance
///                   outcomes
template <class G>
concept Game = std::is_trivially_copyable_v<G> && std::default_initializable<G> &&
    requires(G g, const G& c, Action a, ActionList<G::kMaxLegal>& out, FeatureRow& row,
             std::string_view text) {
  { G::kName } -> std::convertible_to<std::string_view>;
  { G::kMaxLegal } -> std::convertible_to<std::size_t>;
  { G::kMaxPlies } -> std::convertible_to<std::size_t>;
  { G::kFeatures } -> std::convertible_to<std::size_t>;
  { G::kMaxActive } -> std::convertible_to<std::size_t>;
  { G::kPolicyLogits } -> std::convertible_to<std::size_t>;
  { G::kLogitsPerAction } -> std::convertible_to<std::size_t>;
  { G::kHasAfterstates } -> std::convertible_to<bool>;
  { c.turn() } -> std::same_as<Turn>;
  { c.viewer() } -> std::same_as<Player>;
  { c.legal(out) } -> std::same_as<void>;
  { g.play(a) } -> std::same_as<void>;
  { c.outcome() } -> std::same_as<std::uint8_t>;
  { c.key() } -> std::same_as<std::uint64_t>;
  { c.encode(row) } -> std::same_as<void>;
  { c.logits_of(a) } -> std::same_as<std::array<std::uint16_t, G::kLogitsPerAction>>;
  { c.text() } -> std::same_as<std::string>;
  { G::from_text(text) } -> std::same_as<Result<G>>;
  { c.action_text(a) } -> std::same_as<std::string>;
  { c.action_from_text(text) } -> std::same_as<Result<Action>>;
} &&(FixedOutcomesGame<G> || OwnOutcomesGame<G>);

/// A game with dice.
///   kMaxChance      maximum number of outcomes of a chance turn
///   chance(p)       fills p[0..n) with the outcomes' probabilities (each above 0, sum 1) and
///                   returns n; outcome i is played as action i. `p` has room for kMaxChance.
template <class G>
concept StochasticGame = Game<G> && requires(const G& c, std::span<float> p) {
  { G::kMaxChance } -> std::convertible_to<std::size_t>;
  { c.chance(p) } -> std::same_as<std::size_t>;
};

/// A game with a mirror image that doubles its training data.
///   mirrored()        the mirror image of the state
///   mirrored(action)  the corresponding action in the mirror image; the same in all states of a
///                     game
template <class G>
concept MirrorGame = Game<G> && requires(const G& c, Action a) {
  { c.mirrored() } -> std::same_as<G>;
  { c.mirrored(a) } -> std::same_as<Action>;
};

/// A game that can cheaply exclude moves that lose immediately.
///   sound(out)   fills `out` (empty on entry) with a subset of the legal actions, ascending;
///                called only when a player is to move. Excludes moves after which the opponent's
///                next move wins by the maximum value; if that is true of all moves, any non-empty
///                subset is valid. If it contains a move that wins by the maximum value
///                immediately, it may exclude any others. So it contains a best move. Every
///                sequence of forced moves, each the only sound one, must end
template <class G>
concept SoundMovesGame = Game<G> && requires(const G& c, ActionList<G::kMaxLegal>& out) {
  { c.sound(out) } -> std::same_as<void>;
};

/// A game whose positions can be scrambled: most of them lead to the end when the moves that made
/// them are taken back.
///   solved()    where a scramble begins, the wanted end of the game; the same for all states of a
///               game. Although the game is over there, legal() and play() may be called
///   as_start()  the position as the first of a game, where counters begin
template <class G>
concept ScrambledGame = Game<G> && requires(const G& c) {
  { c.solved() } -> std::same_as<G>;
  { c.as_start() } -> std::same_as<G>;
};

/// A set of features: bit i % 64 of word i / 64 is feature i.
template <std::size_t kFeatures>
using FeatureBits = std::array<std::uint64_t, (kFeatures + 63) / 64>;

/// A game whose features are all 0 or 1, and that lists them as a set faster than one by one.
///   feature_bits()  the features that encode() writes, for an unfinished state
template <class G>
concept BinaryFeaturesGame = Game<G> && requires(const G& c) {
  { c.feature_bits() } -> std::same_as<FeatureBits<G::kFeatures>>;
};

/// Whether games of G may have one player. A type whose states report it may have games of both
/// kinds.
template <class G>
inline constexpr bool kMayHaveOnePlayer = [] {
  if constexpr (requires { G::kPlayerCount; }) return G::kPlayerCount == 1;
  return requires(const G& game) { game.player_count(); };
}();
/// The number of players of the game to which the state `game` belongs, 1 or 2.
template <class G>
constexpr int player_count([[maybe_unused]] const G& game) {
  if constexpr (requires { game.player_count(); }) return game.player_count();
  return kMayHaveOnePlayer<G> ? 1 : 2;
}

/// Whether features and logits of G are those of an image of the state.
template <class G>
inline constexpr bool kEncodesAnImage = [] {
  if constexpr (requires { G::kEncodesImage; }) return G::kEncodesImage;
  return false;
}();

/// Maximum number of outcomes of a game of G; for a FixedOutcomesGame the width of the value head.
template <class G>
inline constexpr std::size_t kOutcomes = [] {
  if constexpr (FixedOutcomesGame<G>) {
    return G::kOutcomeValues.size();
  } else {
    return G::kMaxOutcomes;
  }
}();

/// Maximum number of outcomes of one chance turn; 0 for games without dice.
template <class G>
inline constexpr std::size_t kMaxChance = 0;
template <StochasticGame G>
inline constexpr std::size_t kMaxChance<G> = G::kMaxChance;

/// Maximum number of edges of any node of the game.
template <class G>
inline constexpr std::size_t kMaxEdges =
    G::kMaxLegal > kMaxChance<G> ? G::kMaxLegal : kMaxChance<G>;

/// Whether a network may answer for every move and outcome at once (Evaluates::kMoves): a search
/// stores that for each leaf.
template <class G>
inline constexpr bool kHasFewMoves = G::kMaxLegal* G::kLogitsPerAction* kOutcomes<G> <= 4096;

/// The opponent.
inline Player other(Player player) { return static_cast<Player>(1 - player); }

/// Whether a player, not chance, is to act.
inline bool is_decision(Turn turn) { return turn == Turn::kPlayer0 || turn == Turn::kPlayer1; }

/// Outcome values and mirror, [outcomes] each, and the value range of the game to which the state
/// `game` belongs. In a FixedOutcomesGame they are constants and `game` is ignored; in an
/// OwnOutcomesGame the state reports them.
template <Game G>
constexpr auto outcome_values([[maybe_unused]] const G& game) {
  if constexpr (FixedOutcomesGame<G>) {
    return std::span<const float, kOutcomes<G>>(G::kOutcomeValues);
  } else {
    return std::span<const float>(game.outcome_values());
  }
}
template <Game G>
constexpr auto outcome_mirror([[maybe_unused]] const G& game) {
  if constexpr (FixedOutcomesGame<G>) {
    return std::span<const std::uint8_t, kOutcomes<G>>(G::kOutcomeMirror);
  } else {
    return std::span<const std::uint8_t>(game.outcome_mirror());
  }
}
template <Game G>
constexpr float value_range([[maybe_unused]] const G& game) {
  if constexpr (FixedOutcomesGame<G>) {
    return G::kValueRange;
  } else {
    return game.value_range();
  }
}

/// Whether the game has chance turns; a constant unless the type has has_dice().
template <Game G>
constexpr bool has_dice([[maybe_unused]] const G& game) {
  if constexpr (requires { game.has_dice(); }) return game.has_dice();
  return StochasticGame<G>;
}

/// The game's name: kName, unless the type has name().
template <Game G>
constexpr std::string_view game_name([[maybe_unused]] const G& game) {
  if constexpr (requires { game.name(); }) return game.name();
  return G::kName;
}

/// Maximum numbers of legal actions of a position, of outcomes of a chance turn, of edges of a node
/// and of non-zero features: the type's bounds, unless its states report smaller ones.
template <Game G>
constexpr std::size_t most_legal([[maybe_unused]] const G& game) {
  if constexpr (requires { game.most_legal(); }) return game.most_legal();
  return G::kMaxLegal;
}
template <Game G>
constexpr std::size_t most_chance([[maybe_unused]] const G& game) {
  if constexpr (requires { game.most_chance(); }) return game.most_chance();
  return kMaxChance<G>;
}
template <Game G>
constexpr std::size_t most_active([[maybe_unused]] const G& game) {
  if constexpr (requires { game.most_active(); }) return game.most_active();
  return G::kMaxActive;
}
/// Widths of the network's input and of its policy head: the type's, unless its states report
/// smaller ones.
template <Game G>
constexpr std::size_t feature_count([[maybe_unused]] const G& game) {
  if constexpr (requires { game.features(); }) return game.features();
  return G::kFeatures;
}
template <Game G>
constexpr std::size_t policy_logits([[maybe_unused]] const G& game) {
  if constexpr (requires { game.policy_logits(); }) return game.policy_logits();
  return G::kPolicyLogits;
}
template <Game G>
constexpr std::size_t most_edges(const G& game) {
  return std::max(most_legal(game), most_chance(game));
}

/// Whether the game supports Evaluates::kAfterstates, and whether it has mirrored(), sound(),
/// solved() and feature_bits(). Constants, unless the type has functions of these names.
template <Game G>
constexpr bool has_afterstates([[maybe_unused]] const G& game) {
  if constexpr (requires { game.has_afterstates(); }) return game.has_afterstates();
  return G::kHasAfterstates;
}
template <Game G>
constexpr bool has_mirror([[maybe_unused]] const G& game) {
  if constexpr (requires { game.has_mirror(); }) return game.has_mirror();
  return MirrorGame<G>;
}
template <Game G>
constexpr bool has_sound_moves([[maybe_unused]] const G& game) {
  if constexpr (requires { game.has_sound_moves(); }) return game.has_sound_moves();
  return SoundMovesGame<G>;
}
template <Game G>
constexpr bool has_scrambles([[maybe_unused]] const G& game) {
  if constexpr (requires { game.has_scrambles(); }) return game.has_scrambles();
  return ScrambledGame<G>;
}
template <Game G>
constexpr bool has_feature_bits([[maybe_unused]] const G& game) {
  if constexpr (requires { game.has_feature_bits(); }) return game.has_feature_bits();
  return BinaryFeaturesGame<G>;
}

/// Reads a state of the game to which the state `game` belongs.
template <Game G>
Result<G> read_state([[maybe_unused]] const G& game, std::string_view text) {
  if constexpr (requires { game.other_from_text(text); }) return game.other_from_text(text);
  return G::from_text(text);
}

/// The start of the only game of a type. Default for arguments that a type of many games must get.
template <FixedOutcomesGame G>
constexpr G only_start() {
  return {};
}

/// Value of a finished state for `player`.
template <Game G>
float final_value(const G& state, Player player) {
  const std::uint8_t outcome = state.outcome();
  return outcome_values(state)[player == 0 ? outcome : outcome_mirror(state)[outcome]];
}

/// SplitMix64's finalizer (Steele, Lea, Flood 2014): a cheap bijection with full avalanche.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace senet
