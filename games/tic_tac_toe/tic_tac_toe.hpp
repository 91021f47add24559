// Tic-tac-toe: small enough to be searched completely, so it is the first test of everything.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "games/list/tic_tac_toe.hpp"
#include "senet/game.hpp"

namespace senet {

/// Tic-tac-toe. The first player's stones are X, the second's O.
///
/// A cell is bit 3 * row + column, row 0 at the bottom, and its action has the same number:
///
///      3 | 6 7 8
///      2 | 3 4 5
///      1 | 0 1 2
///        +------
///          a b c
///
/// Notation. An action is its square, "a1" .. "c3". A position is its board, rows from the top:
/// "3/1X1/O2". The board implies the player to move: X has as many stones as O, or one more.
class TicTacToe {
 public:
  static constexpr std::string_view kName = "tic_tac_toe";
  static constexpr std::size_t kCells = 9;
  static constexpr std::size_t kMaxLegal = kCells;
  static constexpr std::size_t kMaxPlies = kCells;
  static constexpr std::size_t kPolicyLogits = kCells;  // one per cell
  static constexpr std::size_t kLogitsPerAction = 1;
  static constexpr std::array<float, 3> kOutcomeValues = {1.0f, 0.0f, -1.0f};  // win, draw, loss
  static constexpr std::array<std::uint8_t, 3> kOutcomeMirror = {2, 1, 0};
  static constexpr float kValueRange = 1.0f;
  static constexpr bool kHasAfterstates = false;

  /// Features, 0 or 1:
  ///
  ///      0 ..  8  the viewer's stones, by cell
  ///      9 .. 17  the other player's stones, by cell
  ///     18        the viewer is the first player
  static constexpr std::size_t kFeatures = 2 * kCells + 1;
  static constexpr std::size_t kMaxActive = kCells + 1;

  /// The game is over at the first line of three or when the board is full.
  Turn turn() const { return turn_; }
  /// The player to move; after the end, the player who would be next.
  Player viewer() const;
  void legal(ActionList<kMaxLegal>& out) const;
  void play(Action action);
  std::uint8_t outcome() const;
  /// Exact: different positions have different keys.
  std::uint64_t key() const;
  void encode(FeatureRow& row) const;
  static std::array<std::uint16_t, kLogitsPerAction> logits_of(Action action) { return {action}; }

  std::string text() const;
  /// Reads a board as text() writes it, "startpos" or "" for the empty board, or the squares played
  /// from the empty board, "b2a1c3" or "519" (1 .. 9 as on a numeric keypad). Fails on positions
  /// that cannot arise in play.
  static Result<TicTacToe> from_text(std::string_view text);
  std::string action_text(Action action) const;
  /// Reads "a1" .. "c3" or "1" .. "9". Fails when that move is not legal here.
  Result<Action> action_from_text(std::string_view text) const;

  /// Swaps left and right.
  TicTacToe mirrored() const;
  static Action mirrored(Action action);

  friend bool operator==(const TicTacToe&, const TicTacToe&) = default;

 private:
  std::uint16_t occupied() const { return static_cast<std::uint16_t>(stones_[0] | stones_[1]); }
  // Sets turn_ from the stones.
  void settle();

  std::array<std::uint16_t, 2> stones_{};
  Turn turn_ = Turn::kPlayer0;
};

static_assert(sizeof(TicTacToe) == 6);
static_assert(MirrorGame<TicTacToe>);

}  // namespace senet
