#include "games/tic_tac_toe/tic_tac_toe.hpp"

#include <fmt/core.h>

#include <bit>
#include <cassert>
#include <optional>

#include "games/grid.hpp"

namespace senet {
namespace {

constexpr GridShape kShape{.columns = 3, .rows = 3, .column_stride = 1, .row_stride = 3};
constexpr std::uint64_t kFull = 0777;

// In octal, one digit per row.
constexpr std::array<std::uint64_t, 8> kLines = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

bool has_line(std::uint64_t board) {
  bool found = false;
  for (const std::uint64_t line : kLines) found |= (board & line) == line;
  return found;
}

Stones widened(const std::array<std::uint16_t, 2>& stones) { return {stones[0], stones[1]}; }

std::string square_text(Action cell) {
  return {static_cast<char>('a' + cell % 3), static_cast<char>('1' + cell / 3)};
}

// Removes a square, "a1" or "1", from the front of `text` and returns it; none when `text` begins
// with no square.
std::optional<Action> take_square(std::string_view& text) {
  for (Action cell = 0; cell < TicTacToe::kCells; ++cell) {
    for (const std::string& name : {square_text(cell), std::to_string(cell + 1)}) {
      if (!text.starts_with(name)) continue;
      text.remove_prefix(name.size());
      return cell;
    }
  }
  return std::nullopt;
}

}  // namespace

Player TicTacToe::viewer() const { return static_cast<Player>(std::popcount(occupied()) & 1); }

void TicTacToe::legal(ActionList<kMaxLegal>& out) const {
  for (std::uint64_t empty = kFull & ~std::uint64_t{occupied()}; empty != 0; empty &= empty - 1) {
    out.push_back(static_cast<Action>(std::countr_zero(empty)));
  }
}

void TicTacToe::play(Action action) {
  assert(is_decision(turn_) && action < kCells && (occupied() >> action & 1) == 0);
  std::uint16_t& mine = stones_[viewer()];
  mine = static_cast<std::uint16_t>(mine | 1u << action);
  settle();
}

void TicTacToe::settle() {
  const Player to_move = viewer();
  const bool over = has_line(stones_[other(to_move)]) || occupied() == kFull;
  turn_ = over ? Turn::kOver : to_move == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
}

std::uint8_t TicTacToe::outcome() const {
  assert(turn_ == Turn::kOver);
  return has_line(stones_[0]) ? 0 : has_line(stones_[1]) ? 2 : 1;
}

std::uint64_t TicTacToe::key() const {
  return mix(stones_[0] | static_cast<std::uint64_t>(stones_[1]) << kCells);
}

void TicTacToe::encode(FeatureRow& row) const {
  const Player me = viewer();
  unsigned rest = stones_[me] | static_cast<unsigned>(stones_[other(me)]) << kCells;
  for (; rest != 0; rest &= rest - 1) {
    row.add(static_cast<std::size_t>(std::countr_zero(rest)), 1.0f);
  }
  if (me == 0) row.add(2 * kCells, 1.0f);
}

std::string TicTacToe::text() const { return grid_text(kShape, widened(stones_)); }

Result<TicTacToe> TicTacToe::from_text(std::string_view text) {
  TicTacToe state;
  if (text == "startpos") return state;
  const auto refuse = [text](std::string_view reason) {
    return fail(fmt::format("tic_tac_toe position \"{}\": {}", text, reason));
  };
  if (text.find('/') != std::string_view::npos) {
    const Result<Stones> stones = grid_from_text(kShape, text);
    if (!stones) return refuse(stones.error().reason());
    const std::string_view reason = impossible_because(*stones, kFull, has_line);
    if (!reason.empty()) return refuse(reason);
    state.stones_ = {static_cast<std::uint16_t>((*stones)[0]),
                     static_cast<std::uint16_t>((*stones)[1])};
    state.settle();
    return state;
  }
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view before = rest;
    if (!take_square(rest)) {
      return refuse(fmt::format("\"{}\" does not begin with a square a1 .. c3 or 1 .. 9", rest));
    }
    const Result<Action> action =
        state.action_from_text(before.substr(0, before.size() - rest.size()));
    if (!action) return refuse(action.error().reason());
    state.play(*action);
  }
  return state;
}

std::string TicTacToe::action_text(Action action) const { return square_text(action); }

Result<Action> TicTacToe::action_from_text(std::string_view text) const {
  std::string_view rest = text;
  const std::optional<Action> action = take_square(rest);
  if (!action || !rest.empty()) {
    return fail(fmt::format("\"{}\" is not a square a1 .. c3 or 1 .. 9", text));
  }
  if (turn_ == Turn::kOver) return fail(fmt::format("{}: the game is over", text));
  if ((occupied() >> *action & 1) != 0) return fail(fmt::format("{}: the square is taken", text));
  return *action;
}

TicTacToe TicTacToe::mirrored() const {
  TicTacToe mirror = *this;
  for (std::uint16_t& board : mirror.stones_) {
    board = static_cast<std::uint16_t>((board & 0222) | (board & 0111) << 2 | (board & 0444) >> 2);
  }
  return mirror;
}

Action TicTacToe::mirrored(Action action) {
  return static_cast<Action>(action + 2 - 2 * (action % 3));
}

}  // namespace senet
