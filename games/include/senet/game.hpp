// What a game is to Senet: one trivially copyable value, its state. Copying is the undo.
//
// The games that Senet brings along and those of host programs satisfy the same concept.
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

/// A move, or one outcome of a chance turn. Self-contained: it means the same in every version of a
/// move generator, never an index into a list, so that game records outlive the code that made
/// them.
using Action = std::uint16_t;

/// Whose turn it is. The numbers are those of senet_turn.
enum class Turn : std::uint8_t { kPlayer0, kPlayer1, kChance, kOver };

/// 0 or 1.
using Player = std::uint8_t;

/// A list of actions that never touches the heap.
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
  /// Throws std::length_error when the list is full: the game has more legal actions than it
  /// promises.
  void push_back(Action action) {
    if (size_ == kCapacity) throw std::length_error("more actions than the game promises");
    actions_[size_++] = action;
  }
  /// What is new holds anything. `size` is at most the capacity.
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

/// Writes the non-zero features of one position into memory of the caller's, as pairs of an index
/// and a value: board games have few non-zero inputs (about 30 of 344 in backgammon).
class FeatureRow {
 public:
  /// `index` and `value` have room for `capacity` entries each and outlive the row.
  FeatureRow(std::uint16_t* index, float* value, std::size_t capacity)
      : index_(index), value_(value), capacity_(static_cast<std::uint32_t>(capacity)) {}

  /// Appends one feature. Each index at most once a row; `value` is finite. Zeros may be left out.
  /// More than `capacity` entries are undefined behaviour where asserts are off.
  void add(std::size_t index, float value) { add_if(true, index, value); }

  /// Appends one feature if `present`, without a branch. Needs room for it in either case.
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

/// Marks an unused place in the list of logits that add up to an action's logit.
inline constexpr std::uint16_t kNoLogit = 0xffff;

/// A game whose ways to end are fixed by its type.
///   kOutcomeValues  value of each way the game can end, for the player who sees it so, e.g. win
///                   +1, draw 0, loss -1: whole numbers from -7 to 7. The value head is a
///                   distribution over these
///   kOutcomeMirror  the same way of ending as the other player sees it (an involution)
///   kValueRange     no value is larger than this in magnitude
template <class G>
concept FixedOutcomesGame = requires {
  { G::kOutcomeValues.size() } -> std::convertible_to<std::size_t>;
  { G::kOutcomeMirror.size() } -> std::convertible_to<std::size_t>;
  { G::kValueRange } -> std::convertible_to<float>;
};

/// A type of many games, each with ways to end of its own, which a state knows. All states of one
/// game say the same, and the memory of what they return outlives them. What only some of the games
/// have is asked of a state too: has_dice(), has_afterstates(), has_sound_moves(). So may be bounds
/// that are smaller than the type's: most_legal(), most_chance(). As a text alone does not name the
/// game, other_from_text(text) of a state takes the place of from_text(text).
///   kMostOutcomes    no game of the type can end in more ways
///   outcome_values()  [ways] f32, as kOutcomeValues
///   outcome_mirror()  [ways] u8, as kOutcomeMirror
///   value_range()     as kValueRange
template <class G>
concept OwnOutcomesGame = !FixedOutcomesGame<G> && requires(const G& c) {
  { G::kMostOutcomes } -> std::convertible_to<std::size_t>;
  { c.outcome_values() } -> std::convertible_to<std::span<const float>>;
  { c.outcome_mirror() } -> std::convertible_to<std::span<const std::uint8_t>>;
  { c.value_range() } -> std::convertible_to<float>;
};

/// The rules of a two-player game as a value type. A default-constructed G is the start position.
///
/// constants
///   kName           the game's name in commands, records and weights
///   kMaxLegal       no position has more legal actions
///   kMaxPlies       a guard for loops and records; a game may still be going on then
///   kFeatures       width of the network's input
///   kMaxActive      encode() writes at most this many non-zero features
///   kPolicyLogits   width of the policy head
///   kLogitsPerAction  at most this many policy logits add up to an action's logit, 1 .. 4 in a
///                     table (senet/game_table.h)
///   kHasAfterstates whether Evaluates::kAfterstates makes sense here
/// and those of a FixedOutcomesGame, or what an OwnOutcomesGame has instead
/// functions
///   turn()          who acts
///   viewer()        the player from whose side encode() and the network's outcomes are seen: the
///                   player to move or, on a chance turn, the player about to roll
///   legal(out)      fills `out` (empty on entry) with the legal actions, ascending and unique;
///                   only when a player is to move. Never empty: a player without a move has the
///                   action "pass"
///   play(action)    plays a legal action, or a chance outcome on a chance turn
///   outcome()       only when over: index into outcome_values() as player 0 sees it
///   key()           equal for equal states (side to move and dice included), different otherwise
///                   but for 64-bit collisions
///   encode(row)     the features of a state that is not over, from the side of viewer()
///   logits_of(a)    which policy logits add up to the action's logit, padded with kNoLogit; the
///                   same in all states of a game
///   text / from_text    the state as one word or line of text and back
///   action_text / action_from_text    the same for actions legal in this state (chance outcomes
///                   too)
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
///   kMaxChance      a chance turn has at most this many outcomes
///   chance(p)       fills p[0..n) with the outcomes' probabilities (they sum to 1, each above 0)
///                   and returns n; outcome i is played as action i. `p` has room for kMaxChance.
template <class G>
concept StochasticGame = Game<G> && requires(const G& c, std::span<float> p) {
  { G::kMaxChance } -> std::convertible_to<std::size_t>;
  { c.chance(p) } -> std::same_as<std::size_t>;
};

/// A game with a mirror image that doubles its training data.
///   mirrored()        the mirror image of the state
///   mirrored(action)  the action that means the same in the mirror image
template <class G>
concept MirrorGame = Game<G> && requires(const G& c, Action a) {
  { c.mirrored() } -> std::same_as<G>;
  { G::mirrored(a) } -> std::same_as<Action>;
};

/// A game that can leave out moves which a look at the board refutes.
///   sound(out)   fills `out` (empty on entry) with the legal actions but those that lose the most
///                there is to the opponent's next move, ascending; only when a player is to move.
///                All of them where all lose so; any of them where one that stays wins the most at
///                once. So one of the best stays whatever follows. Moves that are the only sound
///                ones come to an end: no game goes in circles by them
template <class G>
concept SoundMovesGame = Game<G> && requires(const G& c, ActionList<G::kMaxLegal>& out) {
  { c.sound(out) } -> std::same_as<void>;
};

/// The most ways in which a game of G can end; of a FixedOutcomesGame the width of the value head.
template <class G>
inline constexpr std::size_t kOutcomes = [] {
  if constexpr (FixedOutcomesGame<G>) {
    return G::kOutcomeValues.size();
  } else {
    return G::kMostOutcomes;
  }
}();

/// Most outcomes of one chance turn; 0 for games without dice.
template <class G>
inline constexpr std::size_t kMaxChance = 0;
template <StochasticGame G>
inline constexpr std::size_t kMaxChance<G> = G::kMaxChance;

/// Most edges any node of the game can have.
template <class G>
inline constexpr std::size_t kMaxEdges =
    G::kMaxLegal > kMaxChance<G> ? G::kMaxLegal : kMaxChance<G>;

/// The opponent.
inline Player other(Player player) { return static_cast<Player>(1 - player); }

/// True when a player (not chance) is to act.
inline bool is_decision(Turn turn) { return turn == Turn::kPlayer0 || turn == Turn::kPlayer1; }

/// What every state of a game knows of its game: see FixedOutcomesGame and OwnOutcomesGame. Of a
/// FixedOutcomesGame these are constants, and `game` is not looked at. [ways] each.
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

/// Whether any turn of the game is one of chance; a constant unless the type leaves it open.
template <Game G>
constexpr bool has_dice([[maybe_unused]] const G& game) {
  if constexpr (requires { game.has_dice(); }) return game.has_dice();
  return StochasticGame<G>;
}

/// Most legal actions of any position, most outcomes of one chance turn, and most edges of any node
/// of the game: the type's bounds, unless a state knows smaller ones of its game.
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
constexpr std::size_t most_edges(const G& game) {
  return std::max(most_legal(game), most_chance(game));
}

/// Whether Evaluates::kAfterstates makes sense in the game, and whether it knows sound moves; as
/// has_dice().
template <Game G>
constexpr bool has_afterstates([[maybe_unused]] const G& game) {
  if constexpr (requires { game.has_afterstates(); }) return game.has_afterstates();
  return G::kHasAfterstates;
}
template <Game G>
constexpr bool has_sound_moves([[maybe_unused]] const G& game) {
  if constexpr (requires { game.has_sound_moves(); }) return game.has_sound_moves();
  return SoundMovesGame<G>;
}

/// The state that a text says, of the game that `game` is a state of.
template <Game G>
Result<G> read_state([[maybe_unused]] const G& game, std::string_view text) {
  if constexpr (requires { game.other_from_text(text); }) return game.other_from_text(text);
  return G::from_text(text);
}

/// Value of a finished state for `player`.
template <Game G>
float final_value(const G& state, Player player) {
  const std::uint8_t outcome = state.outcome();
  return outcome_values(state)[player == 0 ? outcome : outcome_mirror(state)[outcome]];
}

/// Finalizer of SplitMix64 (Steele, Lea, Flood 2014): a cheap bijection that scatters every bit.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace senet
