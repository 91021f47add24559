// A cached evaluator gives the same answers, evaluates no row twice, and never mixes up two
// networks.
#include "nn/cached_evaluator.hpp"

#include <gtest/gtest.h>

#include "tests/nn/random_rows.hpp"

namespace senet {
namespace {

NetworkSpec cached_spec() {
  NetworkSpec spec;
  spec.game = "test";
  spec.features = 40;
  spec.policy_logits = 30;
  spec.outcomes = 3;
  spec.width = 16;
  spec.blocks = 1;
  return spec;
}

/// Counts the evaluated rows.
class CountedRows final : public Evaluator {
 public:
  CountedRows(std::unique_ptr<Evaluator> inner, std::size_t& rows)
      : inner_(std::move(inner)), rows_(rows) {}
  std::string_view name() const override { return inner_->name(); }
  void load(const Weights& weights) override { inner_->load(weights); }
  void forward(Batch& batch, std::size_t first, std::size_t last) override {
    EXPECT_GT(last, first);
    rows_ += last - first;
    inner_->forward(batch, first, last);
  }

 private:
  std::unique_ptr<Evaluator> inner_;
  std::size_t& rows_;
};

class Cached : public ::testing::Test {
 protected:
  static constexpr std::size_t kRows = 50;

  std::unique_ptr<CachedEvaluator> make(std::size_t bytes, std::size_t logits = 20) {
    auto inner = make_evaluator(EvaluatorKind::kFused, first_, kRows);
    EXPECT_TRUE(inner);
    return std::make_unique<CachedEvaluator>(
        std::make_unique<CountedRows>(std::move(*inner), asked_), first_, kRows,
        CacheSettings{bytes, spec_.features, logits});
  }
  std::vector<Question> questions(std::size_t count, std::uint64_t seed) const {
    Random random(seed, 0, 0, Purpose::kTest);
    std::vector<Question> all;
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back(random_question(spec_, 1 + random.below(12), random.below(20), random));
    }
    return all;
  }
  Answers answers_without_cache(const Weights& weights, std::vector<Question> all) const {
    auto plain = make_evaluator(EvaluatorKind::kFused, weights, all.size());
    EXPECT_TRUE(plain);
    Asked asked(spec_, std::move(all));
    (*plain)->forward(asked.batch());
    return asked.answers();
  }
  void expect_same(Evaluator& cached, const Weights& weights, const std::vector<Question>& all) {
    Asked asked(spec_, all);
    cached.forward(asked.batch());
    const Answers plain = answers_without_cache(weights, all);
    EXPECT_EQ(asked.answers().outcomes, plain.outcomes);
    EXPECT_EQ(asked.answers().logits, plain.logits);
  }

  const NetworkSpec spec_ = cached_spec();
  const Weights first_{untidy_network(spec_, 1)};
  const Weights second_{untidy_network(spec_, 2)};
  std::size_t asked_ = 0;
};

TEST_F(Cached, AsksNoQuestionTwice) {
  const auto cached = make(1 << 20);
  const auto all = questions(kRows, 1);
  expect_same(*cached, first_, all);
  EXPECT_EQ(asked_, kRows);
  EXPECT_EQ(cached->cache_hits(), 0u);
  for (int again = 1; again <= 3; ++again) {
    expect_same(*cached, first_, all);
    EXPECT_EQ(asked_, kRows);
    EXPECT_EQ(cached->cache_hits(), kRows * static_cast<std::size_t>(again));
  }
  // Known and new rows in one batch, interleaved.
  auto mixed = questions(kRows / 2, 2);
  for (std::size_t i = 0; i < kRows / 2; ++i) mixed.insert(mixed.begin() + 2 * i, all[i]);
  expect_same(*cached, first_, mixed);
  EXPECT_EQ(asked_, kRows + kRows / 2);
}

TEST_F(Cached, TheSamePositionWithOtherWishesIsAnotherQuestion) {
  const auto cached = make(1 << 20);
  auto all = questions(10, 3);
  expect_same(*cached, first_, all);
  for (Question& question : all) question.wanted = {1, 2, 3};
  expect_same(*cached, first_, all);
  EXPECT_EQ(asked_, 20u);
  for (Question& question : all) question.value[0] += 0.5f;
  expect_same(*cached, first_, all);
  EXPECT_EQ(asked_, 30u);
}

TEST_F(Cached, OtherWeightsAreOtherAnswersAndTheOldOnesAreStillKnown) {
  const auto cached = make(1 << 20);
  const auto all = questions(kRows, 4);
  expect_same(*cached, first_, all);
  cached->load(second_);
  expect_same(*cached, second_, all);
  EXPECT_EQ(asked_, 2 * kRows);
  cached->load(first_);
  expect_same(*cached, first_, all);
  EXPECT_EQ(asked_, 2 * kRows);
}

TEST_F(Cached, ASmallOneForgetsAndStaysRight) {
  for (const std::size_t bytes : {1, 4000}) {
    asked_ = 0;
    const auto cached = make(bytes);
    for (std::uint64_t round = 0; round < 40; ++round) {
      expect_same(*cached, first_, questions(kRows, round % 10));
    }
    EXPECT_GT(asked_, 10 * kRows) << bytes;
    EXPECT_EQ(asked_ + cached->cache_hits(), 40 * kRows);
  }
}

TEST_F(Cached, RowsThatWantTooMuchAreAskedEveryTime) {
  const auto cached = make(1 << 20, 5);
  auto all = questions(20, 5);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].wanted.assign(i < 8 ? 6 : 5, static_cast<std::uint16_t>(i));
  }
  expect_same(*cached, first_, all);
  expect_same(*cached, first_, all);
  EXPECT_EQ(asked_, 20u + 8u);
  EXPECT_EQ(cached->cache_hits(), 12u);
}

TEST_F(Cached, TakesTheMemoryItIsGiven) {
  for (const std::size_t bytes : {1u << 12, 1u << 20, 3'000'000u}) {
    const std::size_t slots = make(bytes, 7)->slots();
    const std::size_t slot = 8 + 10 * 4;
    EXPECT_LE(slots * slot + slots / 4, bytes);
    EXPECT_GT((slots + 8) * slot + slots / 4, bytes);
  }
}

}  // namespace
}  // namespace senet
