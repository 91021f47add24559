#include "games/connect_four/connect_four.hpp"

#include <fmt/core.h>

#include <bit>
#include <cassert>

#include "games/connect_four/cells.hpp"
#include "games/grid.hpp"

namespace senet {
using namespace connect_four;

namespace {

constexpr GridShape kShape{.columns = 7, .rows = 6, .column_stride = kRight, .row_stride = kUp};

}  // namespace

void ConnectFour::legal(ActionList<kMaxLegal>& out) const {
  for (Action column = 0; column < kColumns; ++column) {
    if (landing_cell(occupied(), column) != 0) out.push_back(column);
  }
}

void ConnectFour::sound(ActionList<kMaxLegal>& out) const {
  for (std::uint64_t cells = sound_cells(); cells != 0; cells &= cells - 1) {
    out.push_back(static_cast<Action>(std::countr_zero(cells) / kRight));
  }
}

std::uint64_t ConnectFour::sound_cells() const {
  assert(is_decision(turn()));
  const std::uint64_t all = occupied(), landing = landing_cells(all) & kBoard;
  const Stones by_player = stones();
  const std::uint64_t wins = landing & threats(by_player[viewer()], all);
  if (wins != 0) return first_of(wins);
  const std::uint64_t their_threats = threats(by_player[other(viewer())], all);
  const std::uint64_t safe = safe_cells(landing, their_threats);
  if (safe != 0) return safe;
  const std::uint64_t blocks = landing & their_threats;
  return first_of(blocks != 0 ? blocks : landing);
}

void ConnectFour::play(Action action) {
  assert(is_decision(turn()) && action < kColumns);
  const std::uint64_t stone = landing_cell(occupied(), action);
  assert(stone != 0);
  // Who moves is as good as random to a processor: no branch asks.
  const std::uint64_t second_moves = 0 - std::uint64_t{viewer()};
  const std::uint64_t mine =
      ((second_moves & second_) | (~second_moves & first_ & kStones)) | stone;
  second_ |= stone & second_moves;
  first_ = (first_ | (stone & ~second_moves)) + kPly;
  if ((plies() == kCells) | has_four(mine)) first_ |= kOver;
}

ConnectFour ConnectFour::of(const Stones& stones) {
  ConnectFour state;
  const auto plies = static_cast<std::uint64_t>(std::popcount(stones[0] | stones[1]));
  state.first_ = stones[0] | plies * kPly;
  state.second_ = stones[1];
  if (plies == kCells || has_four(stones[other(state.viewer())])) state.first_ |= kOver;
  return state;
}

std::uint8_t ConnectFour::outcome() const {
  assert(turn() == Turn::kOver);
  const Stones by_player = stones();
  return has_four(by_player[0]) ? 0 : has_four(by_player[1]) ? 2 : 1;
}

std::uint64_t ConnectFour::key() const {
  // In each column the highest set bit marks its height; below it stand the first player's stones.
  return mix(landing_cells(occupied()) | (first_ & kStones));
}

std::string ConnectFour::text() const { return grid_text(kShape, stones()); }

Result<ConnectFour> ConnectFour::from_text(std::string_view text) {
  ConnectFour state;
  if (text == "startpos") return state;
  const auto refuse = [text](std::string_view reason) {
    return fail(fmt::format("connect_four position \"{}\": {}", text, reason));
  };
  if (text.find('/') != std::string_view::npos) {
    const Result<Stones> stones = grid_from_text(kShape, text);
    if (!stones) return refuse(stones.error().reason());
    // A cell is supported when it is at the bottom or the cell below it is occupied.
    const std::uint64_t all = (*stones)[0] | (*stones)[1];
    if ((all & ~((all << kUp) | kBottom)) != 0) return refuse("a stone floats above an empty cell");
    const std::uint64_t tops = all & ~(all >> kUp);
    const std::string_view reason = impossible_because(*stones, tops, has_four);
    if (!reason.empty()) return refuse(reason);
    return of(*stones);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Result<Action> action = state.action_from_text(text.substr(i, 1));
    if (!action) return refuse(fmt::format("move {}: {}", i + 1, action.error().reason()));
    state.play(*action);
  }
  return state;
}

std::string ConnectFour::action_text(Action action) const {
  return {static_cast<char>('1' + action)};
}

Result<Action> ConnectFour::action_from_text(std::string_view text) const {
  if (text.size() != 1 || text[0] < '1' || text[0] > '7') {
    return fail(fmt::format("\"{}\" is not a column 1 .. 7", text));
  }
  if (turn() == Turn::kOver) return fail(fmt::format("column {}: the game is over", text));
  const auto action = static_cast<Action>(text[0] - '1');
  if (landing_cell(occupied(), action) == 0) return fail(fmt::format("column {} is full", text));
  return action;
}

ConnectFour ConnectFour::mirrored() const {
  const Stones by_player = stones();
  return of({mirror_board(by_player[0]), mirror_board(by_player[1])});
}

}  // namespace senet
