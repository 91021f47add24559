// Rows cut into pieces of weights: their lists give back the rows, whatever came before.
#include "nn/row_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "games/random.hpp"

namespace senet {
namespace {

constexpr std::size_t kWeights = 2 * RowPieces::kMost;

struct Row {
  std::vector<std::uint16_t> index;
  std::vector<float> value;
};

/// For each feature, the value that the lists give it.
std::map<std::uint16_t, double> values_of(const RowPieces& pieces, std::size_t row,
                                          std::map<std::uint16_t, int>& wholes) {
  const ShortCounts& counts = *pieces.counts(row);
  if (!counts.follows) wholes.clear();
  const std::uint16_t* change = pieces.changes(row);
  for (std::size_t i = 0; i < counts.added; ++i) ++wholes[*change++];
  for (std::size_t i = 0; i < counts.removed; ++i) --wholes[*change++];
  std::map<std::uint16_t, double> values(wholes.begin(), wholes.end());
  for (std::size_t i = 0; i < counts.parts; ++i) {
    values[pieces.parts(row)[i]] += pieces.shares(row)[i] / 32768.0;
  }
  std::erase_if(values, [](const auto& entry) { return entry.second == 0; });
  return values;
}

class RowPiecesTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kRows = 40;

  /// Checks the rows' lists; a row that is not cut has the value NaN somewhere.
  void expect_values(const std::vector<Row>& rows) {
    std::map<std::uint16_t, int> wholes;
    pieces_.begin();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::map<std::uint16_t, double> wanted;
      bool is_whole = true;
      for (std::size_t k = 0; k < rows[i].index.size(); ++k) {
        if (rows[i].value[k] != 0) wanted[rows[i].index[k]] = rows[i].value[k];
        is_whole = is_whole && !std::isnan(rows[i].value[k]);
      }
      ASSERT_EQ(pieces_.cut(i, rows[i].index, rows[i].value), is_whole);
      if (!is_whole) {
        wholes.clear();  // the next row follows none
        continue;
      }
      const auto found = values_of(pieces_, i, wholes);
      ASSERT_EQ(found.size(), wanted.size()) << i;
      for (const auto& [feature, value] : wanted) {
        ASSERT_NEAR(found.at(feature), value, 1.0 / 65536) << i;
      }
      following_ += pieces_.counts(i)->follows;
    }
  }

  RowPieces pieces_{kRows, kWeights, default_heap()};
  std::size_t following_ = 0;
};

TEST_F(RowPiecesTest, GiveBackAnyRows) {
  Random random(1, 0, 0, Purpose::kTest);
  const float kinds[] = {1, 1, 1, 1, 1, 0.25f, -1, 0.7f, 2, 1.5f, -1.75f, -2, 0};
  for (int times = 0; times < 50; ++times) {
    std::vector<Row> rows(kRows);
    for (Row& row : rows) {
      const Row& before = &row == &rows[0] ? row : *(&row - 1);
      for (std::uint16_t feature = 0; feature < 80; ++feature) {
        // Mostly as in the row before.
        const auto at = std::ranges::find(before.index, feature);
        const bool was = at != before.index.end();
        const float old =
            was ? before.value[static_cast<std::size_t>(at - before.index.begin())] : 0.0f;
        const bool changes = random.below(8) == 0;
        const float value = !changes ? old
                            : was    ? 0.0f
                                     : kinds[random.below(times % 2 == 0 ? 6 : std::size(kinds))];
        if (!changes && !was) continue;
        if (row.index.size() == 40) continue;
        row.index.push_back(feature);
        row.value.push_back(value);
      }
    }
    if (times % 3 == 0) rows[7].value.assign(rows[7].index.size(), NAN);
    expect_values(rows);
  }
  EXPECT_GT(following_, 500u);
}

TEST_F(RowPiecesTest, AFeatureOfTwoWholeWeightsIsCountedTwice) {
  const Row once{{1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}}, twice{{1, 2, 3, 4, 5}, {1, 1, 2, 1, 1}};
  expect_values({once, twice, once, once, twice, twice, once});
  EXPECT_GT(following_, 0u);
}

TEST_F(RowPiecesTest, RefusesWhatIsTooMuch) {
  const std::vector<std::uint16_t> index = {1, 2};
  EXPECT_FALSE(pieces_.cut(0, index, std::vector<float>{1, 2.5f}));
  EXPECT_FALSE(pieces_.cut(0, index, std::vector<float>{1, -INFINITY}));
  std::vector<std::uint16_t> many(RowPieces::kMost + 1);
  EXPECT_FALSE(pieces_.cut(0, many, std::vector<float>(many.size(), 1.0f)));
  many.pop_back();
  std::vector<float> values(many.size(), 1.0f);
  EXPECT_TRUE(pieces_.cut(0, many, values));
  values.back() = 0.5f;  // which may take two pieces
  EXPECT_FALSE(pieces_.cut(0, many, values));
}

TEST_F(RowPiecesTest, TheLongestRowsMayFollowEachOther) {
  const auto row_from = [](std::uint16_t first) {
    Row row;
    for (std::uint16_t i = 0; i < RowPieces::kMost; ++i) {
      row.index.push_back(static_cast<std::uint16_t>((first + i) % kWeights));
      row.value.push_back(1);
    }
    return row;
  };
  // Nothing in common, almost nothing, almost everything, and after a row that is refused.
  Row refused = row_from(10);
  refused.index.push_back(1);
  refused.value.push_back(NAN);
  expect_values({row_from(0), row_from(RowPieces::kMost), row_from(1), row_from(2), row_from(2),
                 refused, row_from(2), row_from(3)});
  EXPECT_EQ(following_, 3u);
}

}  // namespace
}  // namespace senet
