// A game without its type: for code that is not in a hurry, so that it is compiled once and not
// once for each game. Whatever plays or searches by the thousand takes the type (senet/game.hpp).
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "games/perft.hpp"
#include "games/random.hpp"
#include "senet/game.hpp"
#include "senet/result.hpp"

namespace senet {

class AnyState;
struct AnyExam;

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

/// A player that needs nothing but the rules.
struct AnySimplePlayer {
  std::string_view word;  // on the command line
  Action (*choose)(const AnyState& state, Random draw);
};

/// Another way to write a position than the game's own.
struct AnyNotation {
  std::string_view name;
  /// `on_roll`: the player to move or to roll, where the text does not say.
  Result<AnyState> (*read)(std::string_view text, Player on_roll);
};

/// The table of a game (games/registry.hpp): constants and functions, none of which is null but
/// where that is said. Functions of the rules take the bytes of a state: see AnyState.
struct AnyGame {
  // As in senet/game.hpp.
  std::string_view name;
  std::span<const float> outcome_values;
  std::span<const std::uint8_t> outcome_mirror;
  float value_range;
  bool has_dice;
  bool has_afterstates;

  std::size_t state_size;
  void (*start)(void* state);
  Turn (*turn)(const void* state);
  Player (*viewer)(const void* state);
  void (*legal)(const void* state, std::vector<Action>& out);
  void (*chance)(const void* state, std::vector<float>& out);
  void (*play)(void* state, Action action);
  std::uint8_t (*outcome)(const void* state);
  std::string (*text)(const void* state);
  Result<void> (*read)(std::string_view text, void* state);
  std::string (*action_text)(const void* state, Action action);
  Result<Action> (*read_action)(const void* state, std::string_view text);

  /// perft() of games/perft.hpp; none as soon as goes_on(), if any, says no.
  std::optional<Leaves> (*perft)(const void* state, int depth,
                                 const std::function<bool()>& goes_on);

  // Of the game's kit: games/kit.hpp says what they mean.
  std::span<const RecipeEntry> recipe;
  std::span<const AnySimplePlayer> players;  // "random" first
  bool is_standard;
  std::uint32_t tree_bench_visits;
  std::vector<std::string> (*drawing)(const void* state);
  AnyState (*start_of)(Player first);
  std::span<const AnyNotation> notations;
  bool (*continues_move)(std::string_view word);
  AnyState (*perft_start)();
  std::array<std::string_view, 2> leaves_names;
  // These may be null.
  Result<AnyExam> (*read_exam)(const std::string& file);
  std::string_view exam_text;  // empty without read_exam
  std::vector<std::string> (*ubgi_question)(const void* state);
  Result<AnyState> (*with_dice)(const AnyState& state, int first, int second);
  Result<AnyState> (*with_player_on_roll)(const AnyState& state, Player player);
  std::string (*match_text)(std::span<const FinishedGame> games, std::string_view comment);

  /// The table of any game, registered or not; games/any_game_of.hpp.
  template <Game G>
  static constexpr AnyGame of();
};

/// A state of a game that is known at run time. Its functions are those of the concept Game.
///
///   | game | bytes of the state, 0 .. game().state_size, then room for larger ones |
class AnyState {
 public:
  /// No state of a game is larger.
  static constexpr std::size_t kRoom = 1008, kAlignment = 16;

  /// The start. The table outlives the state.
  explicit AnyState(const AnyGame& game) : game_(&game) { game.start(bytes_.data()); }
  template <Game G>
  AnyState(const AnyGame& game, const G& state) : game_(&game) {
    static_assert(sizeof(G) <= kRoom && alignof(G) <= kAlignment);
    assert(is_of<G>());
    ::new (bytes_.data()) G(state);
  }
  AnyState(const AnyState& other) { copy(other); }
  AnyState& operator=(const AnyState& other) { return copy(other), *this; }

  const AnyGame& game() const { return *game_; }
  /// The state by its type, which is that of game().
  template <Game G>
  const G& as() const {
    assert(is_of<G>());
    return *std::launder(reinterpret_cast<const G*>(bytes_.data()));
  }

  Turn turn() const { return game_->turn(bytes()); }
  Player viewer() const { return game_->viewer(bytes()); }
  /// Fills `out`, whatever it holds.
  void legal(std::vector<Action>& out) const { game_->legal(bytes(), out); }
  /// On a turn of chance. Fills `out`, whatever it holds.
  void chance(std::vector<float>& out) const { game_->chance(bytes(), out); }
  void play(Action action) { game_->play(bytes_.data(), action); }
  std::uint8_t outcome() const { return game_->outcome(bytes()); }
  std::string text() const { return game_->text(bytes()); }
  static Result<AnyState> from_text(const AnyGame& game, std::string_view text);
  std::string action_text(Action action) const { return game_->action_text(bytes(), action); }
  Result<Action> action_from_text(std::string_view text) const {
    return game_->read_action(bytes(), text);
  }

  /// The board for people: lines of text.
  std::vector<std::string> drawing() const { return game_->drawing(bytes()); }
  /// The state's bytes, for the table's functions.
  const void* bytes() const { return bytes_.data(); }

 private:
  template <Game G>
  bool is_of() const {
    return game_->name == G::kName && game_->state_size == sizeof(G);
  }
  void copy(const AnyState& other) {
    game_ = other.game_;
    std::memcpy(bytes_.data(), other.bytes_.data(), game_->state_size);
  }

  const AnyGame* game_;
  alignas(kAlignment) std::array<std::byte, kRoom> bytes_;
};

/// The value of a finished state for `player`.
float final_value(const AnyState& state, Player player);

/// A roll where chance has the turn, else any legal action, each as likely. `state` is not over.
Action draw_action(const AnyState& state, Random& random);

/// The names of those games for which `has` holds, for people: "a", "a and b", "a, b and c".
std::string games_that(const std::function<bool(const AnyGame&)>& has,
                       std::string_view last = " and ");

}  // namespace senet
