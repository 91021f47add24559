#include "games/connect_four/connect_four.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "games/connect_four/cells.hpp"
#include "games/perft.hpp"
#include "games/random.hpp"
#include "tests/effort.hpp"
#include "tests/games/text_forms.hpp"

namespace senet {
namespace {

// An independently written, simple implementation of the rules: a grid of characters, ' ' if empty.
struct PlainBoard {
  static constexpr int kColumns = 7, kRows = 6;
  std::array<std::array<char, kRows>, kColumns> grid;

  PlainBoard() {
    for (auto& column : grid) column.fill(' ');
  }
  bool holds(int column, int row, char stone) const {
    return column >= 0 && column < kColumns && row >= 0 && row < kRows &&
           grid[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)] == stone;
  }
  int height(int column) const {
    int row = 0;
    while (row < kRows && !holds(column, row, ' ')) ++row;
    return row;
  }
  void set(int column, int row, char stone) {
    grid[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)] = stone;
  }
  bool has_four(char stone) const {
    constexpr std::array<std::array<int, 2>, 4> kSteps = {{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};
    for (int column = 0; column < kColumns; ++column) {
      for (int row = 0; row < kRows; ++row) {
        for (const auto& [right, up] : kSteps) {
          int length = 0;
          while (length < 4 && holds(column + length * right, row + length * up, stone)) ++length;
          if (length == 4) return true;
        }
      }
    }
    return false;
  }
  bool is_threat(int column, int row, char stone) const {
    if (!holds(column, row, ' ')) return false;
    PlainBoard after = *this;
    after.set(column, row, stone);
    return after.has_four(stone);
  }
};

std::set<std::size_t> features(const ConnectFour& state) {
  std::array<std::uint16_t, ConnectFour::kMaxActive> index;
  std::array<float, ConnectFour::kMaxActive> value;
  FeatureRow row(index.data(), value.data(), index.size());
  state.encode(row);
  for (std::size_t i = 0; i < row.count(); ++i) EXPECT_EQ(value[i], 1.0f);
  return {index.begin(), index.begin() + static_cast<std::ptrdiff_t>(row.count())};
}

// The winner, 'X', 'O' or ' ' for neither, if the board fills up without new threats and `mover`
// begins.
char winner_when_filled(const PlainBoard& board, char mover, char other) {
  std::array<int, PlainBoard::kColumns> heights;
  for (int column = 0; column < PlainBoard::kColumns; ++column) {
    heights[static_cast<std::size_t>(column)] = board.height(column);
  }
  for (;; std::swap(mover, other)) {
    std::vector<std::size_t> open, blocks, safe, harmless;
    const auto threat = [&](std::size_t column, int above, char stone) {
      return board.is_threat(static_cast<int>(column), heights[column] + above, stone);
    };
    for (std::size_t column = 0; column < heights.size(); ++column) {
      if (heights[column] == PlainBoard::kRows) continue;
      if (threat(column, 0, mover)) return mover;
      open.push_back(column);
      if (threat(column, 0, other)) blocks.push_back(column);
    }
    if (open.empty()) return ' ';
    if (blocks.size() > 1) return other;
    for (const std::size_t column : blocks.empty() ? open : blocks) {
      if (threat(column, 1, other)) continue;
      safe.push_back(column);
      if (!threat(column, 1, mover)) harmless.push_back(column);
    }
    if (safe.empty()) return other;
    ++heights[harmless.empty() ? safe.front() : harmless.front()];
  }
}

// The features, computed from their description in the header.
std::set<std::size_t> expected_features(const PlainBoard& board, int viewer) {
  const std::array<char, 2> stones = {"XO"[viewer], "XO"[1 - viewer]};
  std::set<std::size_t> expected;
  for (int column = 0; column < PlainBoard::kColumns; ++column) {
    const int height = board.height(column);
    for (std::size_t side = 0; side < 2; ++side) {
      for (int row = 0; row < PlainBoard::kRows; ++row) {
        const auto cell = static_cast<std::size_t>(6 * column + row);
        if (board.holds(column, row, stones[side])) expected.insert(42 * side + cell);
        if (board.is_threat(column, row, stones[side])) expected.insert(84 + 42 * side + cell);
      }
      const std::size_t mark = 168 + 7 * side + static_cast<std::size_t>(column);
      if (board.is_threat(column, height, stones[side])) expected.insert(mark);
      if (board.is_threat(column, height + 1, stones[side])) expected.insert(mark + 14);
    }
  }
  if (viewer == 0) expected.insert(196);
  std::size_t odd_columns = 0;
  for (int column = 0; column < PlainBoard::kColumns; ++column) {
    int row = board.height(column);
    while (row < PlainBoard::kRows && !board.is_threat(column, row + 1, 'X') &&
           !board.is_threat(column, row + 1, 'O')) {
      ++row;
    }
    if ((row - board.height(column)) % 2 == 0) continue;
    expected.insert(197 + static_cast<std::size_t>(column));
    ++odd_columns;
  }
  if (odd_columns % 2 == 1) expected.insert(204);
  for (std::size_t mover = 0; mover < 2; ++mover) {
    const char winner = winner_when_filled(board, stones[mover], stones[1 - mover]);
    if (winner == stones[0]) expected.insert(205 + 2 * mover);
    if (winner == stones[1]) expected.insert(206 + 2 * mover);
  }
  std::size_t line = 209;
  constexpr std::array<std::array<int, 2>, 4> kSteps = {{{0, 1}, {1, 0}, {1, -1}, {1, 1}}};
  for (const auto& [right, up] : kSteps) {
    for (int column = 0; column + 3 * right < PlainBoard::kColumns; ++column) {
      for (int row = 0; row < PlainBoard::kRows; ++row) {
        if (row + 3 * up < 0 || row + 3 * up >= PlainBoard::kRows) continue;
        std::array<int, 2> held{};
        for (int place = 0; place < 4; ++place) {
          for (std::size_t side = 0; side < 2; ++side) {
            held[side] += board.holds(column + place * right, row + place * up, stones[side]);
          }
        }
        if (held[0] == 2 && held[1] == 0) expected.insert(line);
        if (held[1] == 2 && held[0] == 0) expected.insert(line + 69);
        ++line;
      }
    }
  }
  EXPECT_EQ(line, 209u + 69u);
  return expected;
}

TEST(ConnectFour, Perft) {
  const std::array<std::uint64_t, 10> leaves = {1,     7,      49,     343,       2401,
                                                16807, 117649, 823536, 5'673'234, 39'394'572};
  for (std::size_t depth = 0; depth < leaves.size(); ++depth) {
    EXPECT_EQ(perft(ConnectFour{}, static_cast<int>(depth))->each_once, leaves[depth]) << depth;
  }
}

TEST(ConnectFour, AgreesWithThePlainRules) {
  std::array<int, 3> outcomes{};
  std::size_t most_features = 0;
  for (std::uint64_t game = 0; game < effort(600u); ++game) {
    Random random(21, game, 0, Purpose::kTest);
    ConnectFour state;
    PlainBoard board;
    for (int ply = 0;; ++ply) {
      const bool over = board.has_four('X') || board.has_four('O') || ply == 42;
      ASSERT_EQ(state.turn() == Turn::kOver, over) << state.text();
      ASSERT_EQ(state.viewer(), ply % 2);
      if (over) break;
      const std::set<std::size_t> seen = features(state);
      if (game < effort(60u)) {  // expected_features() is slow
        ASSERT_EQ(seen, expected_features(board, ply % 2)) << state.text();
      }
      most_features = std::max(most_features, seen.size());

      std::vector<Action> open;
      for (Action column = 0; column < 7; ++column) {
        if (board.height(column) < 6) open.push_back(column);
      }
      ActionList<ConnectFour::kMaxLegal> legal;
      state.legal(legal);
      ASSERT_TRUE(std::ranges::equal(legal, open)) << state.text();
      // Mostly avoids winning, so that boards fill up and there are many threats.
      const auto draw = [&] { return open[random.below(static_cast<std::uint32_t>(open.size()))]; };
      const auto wins = [&](Action column) {
        return board.is_threat(column, board.height(column), "XO"[ply % 2]);
      };
      Action action = draw();
      for (int again = 0; again < 3 && wins(action) && random.below(8) != 0; ++again) {
        action = draw();
      }
      board.set(action, board.height(action), "XO"[ply % 2]);
      state.play(action);
    }
    const int outcome = board.has_four('X') ? 0 : board.has_four('O') ? 2 : 1;
    ASSERT_EQ(state.outcome(), outcome) << state.text();
    ++outcomes[static_cast<std::size_t>(outcome)];
  }
  for (const int count : outcomes) EXPECT_GT(count, 0);
  EXPECT_GT(most_features, 42u);
  RecordProperty("most_features", static_cast<int>(most_features));
}

TEST(ConnectFour, ReadsAllNotationsOfAPosition) {
  const ConnectFour state = position<ConnectFour>("4453");
  EXPECT_EQ(state.text(), "7/7/7/7/3O3/2OXX2");
  EXPECT_EQ(position<ConnectFour>("7/7/7/7/3O3/2OXX2"), state);
  EXPECT_EQ(position<ConnectFour>("7/7/7/7/111O12/2OXX2"), state);
  EXPECT_EQ(position<ConnectFour>(""), ConnectFour{});
  EXPECT_EQ(position<ConnectFour>("startpos"), ConnectFour{});
  EXPECT_EQ(ConnectFour{}.text(), "7/7/7/7/7/7");
}

TEST(ConnectFour, RefusesTheImpossible) {
  expect_refused<ConnectFour>("1111111", "move 7: column 1 is full");
  expect_refused<ConnectFour>("12121213", "move 8: column 3: the game is over");
  expect_refused<ConnectFour>("4458", "move 4: \"8\" is not a column");
  expect_refused<ConnectFour>("445 3", "move 4: \" \" is not a column");
  expect_refused<ConnectFour>("startpos ", "move 1: \"s\" is not a column");
  expect_refused<ConnectFour>("7/7/7/7/7/3O3", "X must have as many stones");
  expect_refused<ConnectFour>("7/7/7/7/7/2XX3", "X must have as many stones");
  expect_refused<ConnectFour>("7/7/7/7/3X3/7", "floats");
  expect_refused<ConnectFour>("3X3/7/7/7/7/7", "floats");
  expect_refused<ConnectFour>("7/7/7/7/7/8", "more than 7 cells");
  expect_refused<ConnectFour>("7/7/7/7/7/6", "row 1 has 6 cells, not 7");
  expect_refused<ConnectFour>("7/7/7/7/7", "5 rows, not 6");
  expect_refused<ConnectFour>("7/7/7/7/7/7/7", "more than 6 rows");
  expect_refused<ConnectFour>("7/7/7/7/7/2XY3", "'Y'");
  expect_refused<ConnectFour>("7/7/7/7/OOOO3/XXXX3", "X has a line, but O moved after it");
  expect_refused<ConnectFour>("7/7/7/O6/OOO4/XXXX3", "X has a line, but O moved after it");
  expect_refused<ConnectFour>("7/7/7/7/XXX4/OOOOXX1", "O has a line, but X moved after it");
  expect_refused<ConnectFour>("7/7/7/7/OOXO3/XXXXO2", "no single last stone");
}

TEST(ConnectFour, RefusesImpossibleActions) {
  const ConnectFour state = position<ConnectFour>("111111");
  EXPECT_EQ(state.action_from_text("2").value_or(99), 1);
  for (const std::string_view text : {"", "0", "8", "1", "22", "a", " 2"}) {
    EXPECT_FALSE(state.action_from_text(text).has_value()) << text;
  }
  EXPECT_FALSE(position<ConnectFour>("1212121").action_from_text("3").has_value());
}

TEST(ConnectFour, Outcomes) {
  EXPECT_EQ(position<ConnectFour>("1212121").outcome(), 0);
  EXPECT_EQ(position<ConnectFour>("71212121").outcome(), 2);
  EXPECT_EQ(final_value(position<ConnectFour>("71212121"), 0), -1.0f);
  EXPECT_EQ(final_value(position<ConnectFour>("71212121"), 1), 1.0f);
}

std::vector<Action> sound_moves(std::string_view text) {
  ActionList<ConnectFour::kMaxLegal> sound;
  position<ConnectFour>(text).sound(sound);
  return {sound.begin(), sound.end()};
}

// Stone by stone, in the documented order: cells below no threat, then those below the player's own
// threat, then forced ones.
int filled_stone_by_stone(std::array<int, 7> heights, std::array<std::uint64_t, 2> threats) {
  const auto has = [](std::uint64_t cells, int column, int row) {
    return row < 6 && (cells >> (7 * column + row) & 1) != 0;
  };
  for (int player = 0;; player = 1 - player) {
    const std::uint64_t mine = threats[static_cast<std::size_t>(player)];
    const std::uint64_t theirs = threats[static_cast<std::size_t>(1 - player)];
    const int won = player == 0 ? 1 : -1;
    std::vector<int> open, blocks;
    for (int column = 0; column < 7; ++column) {
      const int row = heights[static_cast<std::size_t>(column)];
      if (row == 6) continue;
      open.push_back(column);
      if (has(mine, column, row)) return won;
      if (has(theirs, column, row)) blocks.push_back(column);
    }
    if (open.empty()) return 0;
    if (blocks.size() > 1) return -won;
    int chosen = -1;
    for (const bool spares_own : {true, false}) {
      for (const int column : blocks.empty() ? open : blocks) {
        const int above = heights[static_cast<std::size_t>(column)] + 1;
        if (chosen >= 0 || has(theirs, column, above)) continue;
        if (!spares_own || !has(mine, column, above)) chosen = column;
      }
    }
    if (chosen < 0) return -won;
    ++heights[static_cast<std::size_t>(chosen)];
  }
}

TEST(ConnectFour, FillsUpAsStoneByStone) {
  Random random(1, 0, 0, Purpose::kTest);
  std::array<std::size_t, 3> seen{};
  for (std::size_t i = 0; i < effort<std::size_t>(200'000); ++i) {
    std::array<int, 7> heights;
    std::uint64_t landing = 0, empty = 0;
    for (int column = 0; column < 7; ++column) {
      const int height = static_cast<int>(random.below(7));
      heights[static_cast<std::size_t>(column)] = height;
      if (height < 6) landing |= std::uint64_t{1} << (7 * column + height);
      for (int row = height; row < 6; ++row) empty |= std::uint64_t{1} << (7 * column + row);
    }
    std::array<std::uint64_t, 2> threats{};
    for (std::uint64_t& of_player : threats) {
      for (std::uint32_t left = random.below(6); left > 0; --left) {
        of_player |= std::uint64_t{1} << random.below(49);
      }
      of_player &= empty;
    }
    const int winner = filled_stone_by_stone(heights, threats);
    ASSERT_EQ(connect_four::filling_up(landing, threats[0], threats[1]), winner) << i;
    ++seen[static_cast<std::size_t>(winner + 1)];
  }
  EXPECT_GT(*std::ranges::min_element(seen), effort<std::size_t>(10'000));
}

TEST(ConnectFour, SoundMoves) {
  using Moves = std::vector<Action>;
  EXPECT_EQ(sound_moves(""), (Moves{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(sound_moves("112233"), (Moves{3}));    // a win before everything else
  EXPECT_EQ(sound_moves("223344"), (Moves{0}));    // one of two wins
  EXPECT_EQ(sound_moves("11223"), (Moves{3}));     // the block
  EXPECT_EQ(sound_moves("22334"), (Moves{0}));     // one of two blocks, as both lose
  EXPECT_EQ(sound_moves("11223374"), (Moves{3}));  // the block above the last block
  // O has the second row of columns 2, 3 and 4: a stone below either end would let it win.
  EXPECT_EQ(sound_moves("7/7/7/7/1OOO2X/1XXO2X"), (Moves{1, 2, 3, 5, 6}));
}

}  // namespace
}  // namespace senet
