// Connect Four on two bitboards: seven columns, six rows, four in a line wins.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>

#include "games/connect_four/cells.hpp"
#include "games/list/connect_four.hpp"
#include "games/sound_moves.hpp"
#include "senet/game.hpp"

namespace senet {

/// Connect Four. The first player's stones are X, the second's O.
///
/// A cell is bit 7 * column + row, row 0 at the bottom. The seventh row is always empty, so that
/// shifted lines do not wrap into the next column, and that adding the bottom cell of a column to
/// the occupied cells carries to the cell where the column's next stone lands.
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
/// from the top: "7/7/7/7/3X3/2OX3". The board implies the player to move: X has as many stones as
/// O, or one more.
class ConnectFour {
 public:
  static constexpr std::string_view kName = "connect_four";
  static constexpr std::size_t kColumns = 7;
  static constexpr std::size_t kRows = 6;
  static constexpr std::size_t kCells = kColumns * kRows;
  static constexpr std::size_t kMaxLegal = kColumns;
  static constexpr std::size_t kMaxPlies = kCells;
  static constexpr std::size_t kPolicyLogits = kColumns;  // one per column
  static constexpr std::size_t kLogitsPerAction = 1;
  static constexpr std::array<float, 3> kOutcomeValues = {1.0f, 0.0f, -1.0f};  // win, draw, loss
  static constexpr std::array<std::uint8_t, 3> kOutcomeMirror = {2, 1, 0};
  static constexpr float kValueRange = 1.0f;
  static constexpr bool kHasAfterstates = false;

  /// Features, 0 or 1. A cell is 6 * column + row. A *threat* is an empty cell where a stone would
  /// complete four, whether or not a stone can land there now. Strong players count threats, but a
  /// small fully connected network hardly learns to. The features by column mark threats near the
  /// landing cells. In the endgame the player without harmless moves must let the other player onto
  /// a threat. That depends on parity, which is hardest to learn.
  ///
  ///       0 ..  41  the viewer's stones, by cell
  ///      42 ..  83  the other player's stones
  ///      84 .. 125  the viewer's threats
  ///     126 .. 167  the other player's threats
  ///     168 .. 174  the next stone in this column completes four for the viewer, by column
  ///     175 .. 181  ... for the other player: must be blocked
  ///     182 .. 188  the stone after the next completes four for the viewer
  ///     189 .. 195  ... for the other player: a stone below it loses
  ///     196         the viewer is the first player
  ///     197 .. 203  this column takes an odd number of stones before one that is below a threat,
  ///                 by column
  ///     204         all columns together take an odd number of such stones
  ///     205, 206    the viewer, the other player wins if the board fills up without new threats
  ///     207, 208    ... if the other player were to move
  ///     209 .. 277  a line of four contains two stones of the viewer and none of the other player:
  ///                 21 vertical, 24 horizontal, 12 falling and 12 rising lines, by left column,
  ///                 then by row
  ///     278 .. 346  ... two stones of the other player and none of the viewer
  static constexpr std::size_t kLines = 69;
  static constexpr std::size_t kFeatures = 4 * kCells + 5 * kColumns + 6 + 2 * kLines;
  // At most one stone or two threats per cell; five features per column; one feature per line,
  // which cannot count for both players; and four of the other six features, because at most one of
  // 205 and 206 is set, and at most one of 207 and 208.
  static constexpr std::size_t kMaxActive = 2 * kCells + 5 * kColumns + 4 + kLines;

  /// The game is over at the first four in a line or when the board is full.
  Turn turn() const {
    return over() ? Turn::kOver : viewer() == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
  }
  /// The player to move; after the end, the player who would be next.
  Player viewer() const { return static_cast<Player>(plies() & 1); }
  void legal(ActionList<kMaxLegal>& out) const;
  /// A single winning move if there is one. Otherwise the moves that block an immediate threat (if
  /// any) and are not below a threat of the other player. If all moves lose immediately, one of
  /// them.
  void sound(ActionList<kMaxLegal>& out) const;
  void play(Action action);
  std::uint8_t outcome() const;
  /// Exact: different positions have different keys.
  std::uint64_t key() const;
  void encode(FeatureRow& row) const;
  FeatureBits<kFeatures> feature_bits() const;
  static std::array<std::uint16_t, kLogitsPerAction> logits_of(Action action) { return {action}; }

  using Stones = std::array<std::uint64_t, 2>;
  /// The stones of each player as bitboards.
  Stones stones() const { return {first_ & kStones, second_}; }

  std::string text() const;
  /// Reads a board as text() writes it, "startpos" or "" for the empty board, or the columns played
  /// from the empty board, "4453". Fails on positions that cannot arise in play: a full column, a
  /// move after the end, wrong numbers of stones, floating stones, two winners. Does not check that
  /// some order of moves leads to the board.
  static Result<ConnectFour> from_text(std::string_view text);
  std::string action_text(Action action) const;
  /// Reads "1" .. "7". Fails when that move is not legal here.
  Result<Action> action_from_text(std::string_view text) const;

  /// Swaps left and right.
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

  // Search trees hold a state per node, so the ply count and the end of the game share the first
  // board's word:
  //
  //       63     62 .. 56   55                            0
  //      | over | plies    | stones of player 0            |
  //      |                   stones of player 1            |
  std::uint64_t first_ = 0;
  std::uint64_t second_ = 0;
};

// Inline, because a search calls these at every node.

inline void ConnectFour::play(Action action) {
  assert(is_decision(turn()) && action < kColumns);
  const std::uint64_t stone = connect_four::landing_cell(occupied(), action);
  assert(stone != 0);
  // Branch-free: the CPU cannot predict the player to move.
  const std::uint64_t second_moves = 0 - std::uint64_t{viewer()};
  const std::uint64_t mine =
      ((second_moves & second_) | (~second_moves & first_ & kStones)) | stone;
  second_ |= stone & second_moves;
  first_ = (first_ | (stone & ~second_moves)) + kPly;
  const std::uint64_t full = plies() == kCells, won = connect_four::has_four(mine);
  if ((full | won) != 0) first_ |= kOver;
}

inline void ConnectFour::legal(ActionList<kMaxLegal>& out) const {
  const std::uint64_t all = occupied();
  std::size_t count = 0;
  out.resize(kMaxLegal);
  for (Action column = 0; column < kColumns; ++column) {
    out[count] = column;
    count += connect_four::landing_cell(all, column) != 0 ? 1 : 0;
  }
  out.resize(count);
}

inline std::uint64_t ConnectFour::key() const {
  // In each column the highest set bit marks its height; below it are the first player's stones.
  return mix(connect_four::landing_cells(occupied()) | (first_ & kStones));
}

inline void ConnectFour::sound(ActionList<kMaxLegal>& out) const {
  assert(is_decision(turn()));
  const std::uint64_t all = occupied(),
                      landing = connect_four::landing_cells(all) & connect_four::kBoard;
  const Stones by_player = stones();
  const connect_four::CellsOfBoth both = connect_four::threats(
      connect_four::CellsOfBoth{by_player[viewer()], by_player[other(viewer())]}, all);
  std::uint64_t cells = connect_four::first_of(landing & both[0]);  // it wins
  if (cells == 0) {
    const std::uint64_t blocks = landing & both[1];
    cells = connect_four::safe_cells(landing, both[1]);
    if (cells == 0) cells = connect_four::first_of(blocks != 0 ? blocks : landing);
  }
  std::size_t count = 0;
  out.resize(kMaxLegal);
  for (; cells != 0; cells &= cells - 1) {
    out[count++] = static_cast<Action>(std::countr_zero(cells) / connect_four::kRight);
  }
  out.resize(count);
}

static_assert(sizeof(ConnectFour) == 16);
static_assert(MirrorGame<ConnectFour> && SoundMovesGame<ConnectFour> &&
              BinaryFeaturesGame<ConnectFour>);

}  // namespace senet
