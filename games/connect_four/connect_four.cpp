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

// Offsets of the groups of features listed in connect_four.hpp.
constexpr std::size_t kMarks = 4 * ConnectFour::kCells;
constexpr std::size_t kFirstPlayer = kMarks + 4 * ConnectFour::kColumns;
constexpr std::size_t kOdd = kFirstPlayer + 1;
constexpr std::size_t kFilling = kOdd + ConnectFour::kColumns + 1;
constexpr std::size_t kTwos = kFilling + 4;
static_assert(kTwos + 2 * ConnectFour::kLines == ConnectFour::kFeatures);

// A set of features under construction.
class FeatureSet {
 public:
  // Adds feature kFirst + i for each bit i of `bits`, which has no other bits than kWidth.
  template <std::size_t kFirst, std::size_t kWidth>
  void add(std::uint64_t bits) {
    constexpr std::size_t kWord = kFirst / 64, kShift = kFirst % 64;
    words_[kWord] |= bits << kShift;
    if constexpr (kShift + kWidth > 64) words_[kWord + 1] |= bits >> (64 - kShift);
  }
  const FeatureBits<ConnectFour::kFeatures>& words() const { return words_; }

 private:
  FeatureBits<ConnectFour::kFeatures> words_{};
};

// The cells of kRows rows from row kLowest of the first kColumns columns, without gaps. Other cells
// must be empty.
template <std::size_t kColumns, std::size_t kLowest, std::size_t kRows>
CellsOfBoth packed(CellsOfBoth cells) {
  constexpr std::uint64_t kMask = ((std::uint64_t{1} << kRows) - 1) << kLowest;
  CellsOfBoth bits{};
  for (std::size_t column = 0; column < kColumns; ++column) {
    const CellsOfBoth own = cells & (kMask << (kRight * column));
    bits |= own >> static_cast<int>(kLowest + (kRight - kRows) * column);
  }
  return bits;
}

// Bit i of the result is the bottom cell of column i.
std::uint64_t bottom_row(std::uint64_t cells) {
  constexpr std::uint64_t kFactor = [] {  // moves bit 7 i to bit 42 + i, and others elsewhere
    std::uint64_t factor = 0;
    for (int i = 1; i <= 7; ++i) factor |= std::uint64_t{1} << 6 * i;
    return factor;
  }();
  return ((cells & kBottom) * kFactor) >> 42 & 0x7f;
}

// The bottom cells of the columns that contain any of the cells.
CellsOfBoth columns_with(CellsOfBoth cells) {
  const CellsOfBoth two = cells | cells >> 1;
  return two | two >> 2 | two >> 4;
}

// The columns that contain an odd number of the cells.
std::uint64_t columns_with_odd(std::uint64_t cells) {
  const std::uint64_t two = cells ^ cells >> 1;
  return bottom_row(two ^ two >> 2 ^ two >> 4);
}

// The cells, in each column, from the landing cell up to, but not including, the lowest cell below
// a threat.
std::uint64_t cells_before_threats(std::uint64_t landing, std::uint64_t threats) {
  // With a bit in every column, a subtraction stays inside the columns.
  constexpr std::uint64_t kSeventh = kBottom << 6;
  const std::uint64_t empty = (kSeventh - landing) & kBoard;
  const std::uint64_t stops = (threats >> kUp & empty) | kSeventh;
  return empty & ((stops & ~(stops - kBottom)) - kBottom);
}

template <std::size_t kFirst>
void add_winner(FeatureSet& features, int winner) {
  features.add<kFirst, 2>(static_cast<std::uint64_t>(winner > 0) |
                          static_cast<std::uint64_t>(winner < 0) << 1);
}

// A group of features of the viewer, and after it the same of the other player.
template <std::size_t kFirst, std::size_t kWidth, std::size_t kNext = kFirst + kWidth>
void add_both(FeatureSet& features, CellsOfBoth bits) {
  features.add<kFirst, kWidth>(bits[0]);
  features.add<kNext, kWidth>(bits[1]);
}

template <std::size_t kFirst>
void add_columns(FeatureSet& features, CellsOfBoth cells) {
  const CellsOfBoth with = columns_with(cells);
  add_both<kFirst, ConnectFour::kColumns>(features,
                                          CellsOfBoth{bottom_row(with[0]), bottom_row(with[1])});
}

// The lines of a direction start in the first kColumns columns, in kRows rows from row kLowest.
template <std::size_t kFirst, std::size_t kColumns, std::size_t kLowest, std::size_t kRows>
void add_twos(FeatureSet& features, CellsOfBoth stones, int step) {
  add_both<kFirst, kColumns * kRows, kFirst + ConnectFour::kLines>(
      features, packed<kColumns, kLowest, kRows>(lines_of_two(stones, step)));
}

}  // namespace

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

FeatureBits<ConnectFour::kFeatures> ConnectFour::feature_bits() const {
  const std::uint64_t all = occupied(), landing = landing_cells(all) & kBoard;
  const Stones by_player = stones();
  const CellsOfBoth both{by_player[viewer()], by_player[other(viewer())]};
  const CellsOfBoth threat = threats(both, all);
  const std::uint64_t mine = threat[0], theirs = threat[1];
  FeatureSet features;
  add_both<0, kCells>(features, packed<7, 0, 6>(both));
  add_both<2 * kCells, kCells>(features, packed<7, 0, 6>(threat));
  add_columns<kMarks>(features, threat & landing);
  add_columns<kMarks + 2 * kColumns>(features, threat & (landing << kUp));
  features.add<kFirstPlayer, 1>(viewer() == 0 ? 1 : 0);
  const std::uint64_t before_threats = cells_before_threats(landing, mine | theirs);
  const std::uint64_t odd = columns_with_odd(before_threats);
  features.add<kOdd, kColumns>(odd);
  features.add<kOdd + kColumns, 1>(is_odd(odd) ? 1 : 0);
  add_winner<kFilling>(features, filling_up(landing, mine, theirs));
  add_winner<kFilling + 2>(features, -filling_up(landing, theirs, mine));
  add_twos<kTwos, 7, 0, 3>(features, both, kUp);
  add_twos<kTwos + 21, 4, 0, 6>(features, both, kRight);
  add_twos<kTwos + 45, 4, 3, 3>(features, both, kDownRight);
  add_twos<kTwos + 57, 4, 0, 3>(features, both, kUpRight);
  return features.words();
}

void ConnectFour::encode(FeatureRow& row) const {
  std::size_t first = 0;
  for (std::uint64_t word : feature_bits()) {
    for (; word != 0; word &= word - 1) {
      row.add(first + static_cast<std::size_t>(std::countr_zero(word)), 1.0f);
    }
    first += 64;
  }
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
