// Connect Four: seven columns, six rows, four in a line wins. The rules on two bitboards.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "games/list/connect_four.hpp"
#include "games/sound_moves.hpp"
#include "senet/game.hpp"

namespace senet {

/// Connect Four. The first player's stones are X, the second's O.
///
/// A cell is bit 7 * column + row, row 0 at the bottom. The seventh row is always empty: a line
/// shifted over an edge falls into it, and adding the bottom cell of a column to the occupied cells
/// carries to the cell where the next stone of that column lands.
///
///       6 13 20 27 34 41 48   always 0
///       5 12 19 26 33 40 47
///       4 11 18 25 32 39 46
///       3 10 17 24 31 38 45
///       2  9 16 23 30 37 44
///       1  8 15 22 29 36 43
///       0  7 14 21 28 35 42
///
/// Notation. An action is its column, 0 .. 6, written "1" .. "7". A position is its board, rows
/// from the top: "7/7/7/7/3X3/2OX3" (X has moved as often as O, or once more, so that the board
/// says who is to move).
class ConnectFour {
 public:
  static constexpr std::string_view kName = "connect_four";
  static constexpr std::size_t kColumns = 7;
  static constexpr std::size_t kRows = 6;
  static constexpr std::size_t kCells = kColumns * kRows;
  static constexpr std::size_t kMaxLegal = kColumns;
  static constexpr std::size_t kMaxPlies = kCells;
  static constexpr std::size_t kPolicyLogits = kColumns;  // one a column
  static constexpr std::size_t kLogitsPerAction = 1;
  static constexpr std::array<float, 3> kOutcomeValues = {1.0f, 0.0f, -1.0f};  // win, draw, loss
  static constexpr std::array<std::uint8_t, 3> kOutcomeMirror = {2, 1, 0};
  static constexpr float kValueRange = 1.0f;
  static constexpr bool kHasAfterstates = false;

  /// Features, 0 or 1. A cell is 6 * column + row. A *threat* is an empty cell where a stone would
  /// complete four, whether or not it can be reached yet: that is what strong players count, and
  /// what a small fully connected network finds hard to see by itself. The columns then say which
  /// threats are near. In the end the player without harmless moves must let the other player onto
  /// a threat, which is a matter of odd and even: hardest of all for sums.
  ///
  ///       0 ..  41  the viewer's stones, by cell
  ///      42 ..  83  the other player's stones
  ///      84 .. 125  the viewer's threats
  ///     126 .. 167  the other player's threats
  ///     168 .. 174  the next stone in this column completes four for the viewer, by column
  ///     175 .. 181  ... would complete four for the other player: block it
  ///     182 .. 188  the stone after the next completes four for the viewer
  ///     189 .. 195  ... for the other player: a stone below it gives the game away
  ///     196         the viewer is the first player
  ///     197 .. 203  an odd number of stones fits into this column before one that lies below
  ///                 a threat, by column
  ///     204         ... into all columns together
  ///     205, 206    the viewer, the other player wins if the board just fills up from here
  ///     207, 208    ... if the other player were to move
  ///     209 .. 277  a line of four holds two stones of the viewer and none of the other player: 21
  ///                 upright ones, 24 level ones, 12 falling and 12 rising ones, by left column,
  ///                 then by row
  ///     278 .. 346  ... two of the other player and none of the viewer
  static constexpr std::size_t kLines = 69;
  static constexpr std::size_t kFeatures = 4 * kCells + 5 * kColumns + 6 + 2 * kLines;
  // A cell is a stone or at most a threat of both; a column has at most its five marks; neither has
  // a line that the other has.
  static constexpr std::size_t kMaxActive = 2 * kCells + 5 * kColumns + 4 + kLines;

  /// Over at the first four in a line or when the board is full.
  Turn turn() const {
    return over() ? Turn::kOver : viewer() == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
  }
  /// The player to move; when over, the one who would be.
  Player viewer() const { return static_cast<Player>(plies() & 1); }
  void legal(ActionList<kMaxLegal>& out) const;
  /// A winning move alone if there is one, else the block of a threat in reach, else what is not
  /// below a cell where the other player wins. When all moves lose at once, one stands for them.
  void sound(ActionList<kMaxLegal>& out) const;
  void play(Action action);
  std::uint8_t outcome() const;
  /// Exact: different positions have different keys.
  std::uint64_t key() const;
  void encode(FeatureRow& row) const;
  static std::array<std::uint16_t, kLogitsPerAction> logits_of(Action action) { return {action}; }

  using Stones = std::array<std::uint64_t, 2>;
  /// The stones of each player, by cell.
  Stones stones() const { return {first_ & kStones, second_}; }

  std::string text() const;
  /// Reads a board as text() writes it, "startpos" or "" for the empty board, or the columns played
  /// from it, "4453". Fails on what cannot arise in play: a full column, a move after the end,
  /// wrong numbers of stones, floating stones, two winners. (Whether some order of moves fits the
  /// colours is not asked.)
  static Result<ConnectFour> from_text(std::string_view text);
  std::string action_text(Action action) const;
  /// Reads "1" .. "7". Fails when that move is not legal here.
  Result<Action> action_from_text(std::string_view text) const;

  /// Left and right exchanged.
  ConnectFour mirrored() const;
  static Action mirrored(Action action) { return static_cast<Action>(kColumns - 1 - action); }

  friend bool operator==(const ConnectFour&, const ConnectFour&) = default;

 private:
  static constexpr std::uint64_t kStones = (std::uint64_t{1} << 56) - 1;
  static constexpr std::uint64_t kPly = std::uint64_t{1} << 56;
  static constexpr std::uint64_t kOver = std::uint64_t{1} << 63;

  std::uint64_t occupied() const { return (first_ & kStones) | second_; }
  std::uint64_t plies() const { return (first_ & ~kOver) / kPly; }
  bool over() const { return (first_ & kOver) != 0; }
  static ConnectFour of(const Stones& stones);

  // Trees hold a state for every node, so the count of plies and the end share the first board's
  // word:
  //
  //       63     62 .. 56   55                            0
  //      | over | plies    | stones of player 0            |
  //      |                   stones of player 1            |
  std::uint64_t first_ = 0;
  std::uint64_t second_ = 0;
};

static_assert(sizeof(ConnectFour) == 16);
static_assert(MirrorGame<ConnectFour> && SoundMovesGame<ConnectFour>);

}  // namespace senet
