// Rows that begin as states, which the thread that answers them encodes.
#include "nn/batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

#include "games/connect_four/connect_four.hpp"

namespace senet {
namespace {

constexpr std::size_t kBatched = 40;

std::vector<ConnectFour> states() {
  std::vector<ConnectFour> all(1);
  while (all.size() < kBatched) {
    ConnectFour next = all.back();
    next.play(static_cast<Action>(all.size() * 5 % 7));
    if (next.turn() == Turn::kOver || all.size() % 20 == 0) next = ConnectFour();
    all.push_back(next);
  }
  return all;
}

/// A batch of `of`, and their rows as they are when encoded at once.
struct Filled {
  explicit Filled(const std::vector<ConnectFour>& of)
      : batch(of.size(), row_size<ConnectFour>()), expected(of.size(), ConnectFour::kMaxActive) {
    for (const ConnectFour& state : of) {
      batch.add({}, state);
      expected.add([&](FeatureRow& row) { state.encode(row); });
    }
  }
  void expect_same(const SparseRows& rows) const {
    for (std::size_t row = 0; row < expected.size(); ++row) {
      EXPECT_TRUE(std::ranges::equal(rows.index(row), expected.index(row))) << row;
      EXPECT_TRUE(std::ranges::equal(rows.value(row), expected.value(row))) << row;
    }
  }

  Batch batch;
  SparseRows expected;
};

TEST(Batch, StatesBecomeTheRowsThatTheyEncode) {
  Filled filled(states());
  filled.batch.encode(3, 9);
  filled.expect_same(filled.batch.encode());
  filled.expect_same(filled.batch.encode());  // once more changes nothing
}

TEST(Batch, ThreadsEncodeDifferentRowsAtTheSameTime) {
  Filled filled(states());
  const auto encode = [&](std::size_t first, std::size_t last) {
    return std::thread([&, first, last] { filled.batch.encode(first, last); });
  };
  std::thread one = encode(0, 17), two = encode(17, kBatched);
  one.join();
  two.join();
  filled.expect_same(filled.batch.encode(0, 0));
}

TEST(Batch, MixesStatesWithRowsWrittenAtOnce) {
  Batch batch(3, row_size<ConnectFour>());
  const auto write = [](FeatureRow& row) { row.add(7, 0.5f); };
  batch.add({}, write);
  ConnectFour played;
  played.play(3);
  batch.add({}, played);
  batch.add({}, write);
  const SparseRows& rows = batch.encode();
  for (const std::size_t row : {0, 2}) {
    ASSERT_EQ(rows.index(row).size(), 1u);
    EXPECT_EQ(rows.index(row)[0], 7);
    EXPECT_EQ(rows.value(row)[0], 0.5f);
  }
  EXPECT_GT(rows.index(1).size(), 1u);
  // The same memory again, with other kinds of rows.
  batch.clear();
  batch.add({}, played);
  EXPECT_GT(batch.encode().index(0).size(), 1u);
}

/// Throws on demand.
struct Refusing : ConnectFour {
  explicit Refusing(const bool& when) : refuses(&when) {}
  Refusing() = default;
  void encode(FeatureRow& row) const {
    if (*refuses) throw std::runtime_error("no features");
    ConnectFour::encode(row);
  }
  static Result<Refusing> from_text(std::string_view) { return Refusing(); }
  const bool* refuses = nullptr;
};

TEST(Batch, ARowThatThrewCanBeEncodedAgain) {
  bool no = true;
  Batch batch(2, row_size<Refusing>());
  batch.add({}, Refusing(no));
  EXPECT_THROW(batch.encode(), std::runtime_error);
  no = false;
  EXPECT_GT(batch.encode().index(0).size(), 0u);
}

}  // namespace
}  // namespace senet
