// Idle workers evaluate rows of others' batches: results have the same bits, helpers sleep when not
// needed, and leave at once when called away.
#include "engine/host/row_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "nn/own_evaluators.hpp"
#include "tests/effort.hpp"
#include "tests/engine/services.hpp"
#include "tests/nn/random_rows.hpp"

namespace senet {
namespace {

/// Waits until the condition holds, for kPatience at most.
bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Runs members of a team in help(), each on its own thread, until destruction.
class Helpers {
 public:
  Helpers(RowTeam& team, std::size_t first, std::size_t end) : team_(team), first_(first) {
    for (std::size_t i = first; i < end; ++i) {
      threads_.emplace_back([&team, i] { team.help(i); });
    }
  }
  ~Helpers() {
    for (std::size_t i = 0; i < threads_.size(); ++i) team_.leave(first_ + i);
  }

 private:
  RowTeam& team_;
  std::size_t first_;
  std::vector<std::jthread> threads_;
};

std::vector<std::unique_ptr<Evaluator>> evaluators_for(const Weights& weights, std::size_t members,
                                                       EvaluatorKind kind = EvaluatorKind::kFused) {
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  for (std::size_t i = 0; i < members; ++i) {
    evaluators.push_back(std::move(*make_evaluator(kind, weights, 128)));
  }
  return evaluators;
}

std::vector<Question> questions_for(const NetworkSpec& spec, std::size_t rows, std::uint64_t seed) {
  Random random(seed, 0, 0, Purpose::kTest);
  std::vector<Question> questions;
  for (std::size_t row = 0; row < rows; ++row) {
    questions.push_back(random_question(spec, 20, row % 5, random));
  }
  return questions;
}

bool same_bits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return std::ranges::equal(x, y, {}, std::bit_cast<std::uint32_t, float>,
                              std::bit_cast<std::uint32_t, float>);
  });
}

bool same_bits(const Answers& a, const Answers& b) {
  return same_bits(a.outcomes, b.outcomes) && same_bits(a.logits, b.logits);
}

class RowTeams : public ::testing::TestWithParam<EvaluatorKind> {};

// Two owners, whose networks have different shapes, and two helpers for both. Each owner's weights
// change every 16 passes.
TEST_P(RowTeams, AnswerAsOneThreadWould) {
  constexpr std::size_t kMembers = 4, kOwners = 2;
  RowTeam team(kMembers);
  const Helpers helpers(team, kOwners, kMembers);
  const auto own = [&](std::size_t owner) {
    NetworkSpec spec = reference_spec<Backgammon>();
    spec.width = owner == 0 ? 16 : 32;
    const Weights first(untidy_network(spec, owner));
    const Weights second(untidy_network(spec, owner + 10));
    const auto evaluators = evaluators_for(first, kMembers, GetParam());
    TeamEvaluator shared_out(team, owner, first, evaluators);
    const auto alone = std::move(evaluators_for(first, 1, GetParam()).front());
    std::uint64_t pass = 0;
    const std::uint64_t before = team.ranges_helped();
    EXPECT_TRUE(comes_true([&] {
      const std::size_t rows = 1 + pass * 7 % 90;
      const std::vector<Question> questions = questions_for(spec, rows, pass);
      Asked shared(spec, questions), whole(spec, questions);
      const Weights& weights = pass / 16 % 2 == 0 ? first : second;
      shared_out.load(weights);
      alone->load(weights);
      const std::size_t middle = pass % 3 == 0 ? rows / 3 : 0;
      shared_out.forward(shared.batch(), 0, middle);
      shared_out.forward(shared.batch(), middle, rows);
      alone->forward(whole.batch());
      EXPECT_TRUE(same_bits(shared.answers(), whole.answers())) << "pass " << pass;
      return ++pass >= effort(200u) && team.ranges_helped() > before + 20;
    }));
  };
  std::jthread other([&] { own(1); });
  own(0);
}

INSTANTIATE_TEST_SUITE_P(, RowTeams,
                         ::testing::Values(EvaluatorKind::kFused, EvaluatorKind::kReference,
                                           EvaluatorKind::kHash),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST(RowTeam, SleepsWhenThereIsNothingToHelpWith) {
  NetworkSpec spec = reference_spec<ConnectFour>();
  const Weights weights(untidy_network(spec, 1));
  const auto evaluators = evaluators_for(weights, 2);
  RowTeam team(2);
  TeamEvaluator evaluator(team, 0, weights, evaluators);
  const Helpers helper(team, 1, 2);
  Asked few(spec, questions_for(spec, 7, 1)), many(spec, questions_for(spec, 40, 1));
  for (int i = 0; i < 1000; ++i) {
    evaluator.forward(few.batch());
    ASSERT_EQ(team.awake(), 0u);  // a few rows wake no helper
  }
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(comes_true([&] {
      evaluator.forward(many.batch());
      return team.awake() == 1;
    }));
    EXPECT_TRUE(comes_true([&] { return team.awake() == 0; }));
  }
}

TEST(RowTeam, WhoIsCalledAwayGoesAndMayComeBack) {
  NetworkSpec spec = reference_spec<ConnectFour>();
  const Weights weights(untidy_network(spec, 1));
  const auto evaluators = evaluators_for(weights, 2);
  Asked asked(spec, questions_for(spec, 40, 1));
  RowTeam team(2);
  TeamEvaluator evaluator(team, 0, weights, evaluators);
  team.leave(1);
  team.help(1);  // returns because leave() came first
  for (int round = 0; round < 5; ++round) {
    std::jthread helper([&] { team.help(1); });
    const std::uint64_t before = team.ranges_helped();
    EXPECT_TRUE(comes_true([&] {
      evaluator.forward(asked.batch());
      return team.ranges_helped() > before;
    }));
    team.leave(1);
    helper.join();
    EXPECT_EQ(team.awake(), 0u);
    const std::uint64_t after = team.ranges_helped();
    for (int i = 0; i < 10; ++i) evaluator.forward(asked.batch());
    EXPECT_EQ(team.ranges_helped(), after);
  }
}

SessionResult search_of_afterstates(Service& service, int turn) {
  Session& session = open_session(service, "backgammon");
  EXPECT_TRUE(session.set(turn % 2 == 0 ? "4HPwATDgc/ABMA:0:31" : "4HPwATDgc/ABMA:1:62", {}));
  const SessionResult result =
      search(service, session, {.visits = 60, .temperature = 1.0f, .noise = turn % 3 == 0});
  service.close_session(&session);
  return result;
}

// One session at a time, so that the other workers are free to help.
TEST(Service, ASearchFindsTheSameWithHelpers) {
  const ServiceSettings settings{.workers = 1, .sessions = 3, .visits = 60, .seed = 5};
  ServiceSettings with_helpers = settings;
  with_helpers.workers = 3;
  const auto alone = open_service(settings), helped = open_service(with_helpers);
  use_small_network<Backgammon>(*alone, 3, Evaluates::kAfterstates);
  use_small_network<Backgammon>(*helped, 3, Evaluates::kAfterstates);
  int turn = 0;
  EXPECT_TRUE(comes_true([&] {
    const SessionResult a = search_of_afterstates(*alone, turn),
                        b = search_of_afterstates(*helped, turn);
    EXPECT_EQ(a.action, b.action);
    EXPECT_EQ(a.value, b.value);
    EXPECT_EQ(a.visits, b.visits);
    EXPECT_EQ(a.evaluations, b.evaluations);
    EXPECT_EQ(a.depth, b.depth);
    EXPECT_EQ(a.outcomes, b.outcomes);
    EXPECT_EQ(a.choices.size(), b.choices.size());
    for (std::size_t i = 0; i < std::min(a.choices.size(), b.choices.size()); ++i) {
      EXPECT_EQ(a.choices[i].action, b.choices[i].action) << i;
      EXPECT_EQ(a.choices[i].visits, b.choices[i].visits) << i;
      EXPECT_EQ(a.choices[i].value, b.choices[i].value) << i;
      EXPECT_EQ(a.choices[i].prior, b.choices[i].prior) << i;
    }
    return ++turn >= 10 && helped->team().ranges_helped() > 20;
  }));
  EXPECT_EQ(alone->team().ranges_helped(), 0u);
  EXPECT_TRUE(comes_true([&] { return helped->team().awake() == 0; }));  // idle helpers sleep
}

/// Throws in the rows of every pass while `fails` is set.
class FailingEvaluator final : public HashEvaluator {
 public:
  explicit FailingEvaluator(const std::atomic<bool>& fails) : fails_(fails) {}
  using Evaluator::forward;
  void forward(Batch& batch, std::size_t first, std::size_t last) override {
    // On a quiet machine a helper wakes more slowly than a hash is computed.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (fails_) throw std::runtime_error("no connection");
    HashEvaluator::forward(batch, first, last);
  }

 private:
  const std::atomic<bool>& fails_;
};

// Whichever thread it is thrown on, and the pass after it succeeds. Which threads get rows of a
// pass is up to the machine.
TEST(RowTeam, ThrowsWhatAnEvaluatorThrew) {
  constexpr std::size_t kMembers = 3;
  RowTeam team(kMembers);
  const Helpers helpers(team, 1, kMembers);
  const NetworkSpec spec = reference_spec<Backgammon>();
  const Weights weights(untidy_network(spec, 1));
  std::atomic<bool> fails{false}, mine{false};
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  for (std::size_t i = 0; i < kMembers; ++i) {
    evaluators.push_back(std::make_unique<FailingEvaluator>(i == 0 ? mine : fails));
  }
  TeamEvaluator shared(team, 0, weights, evaluators);
  const std::vector<Question> questions = questions_for(spec, 60, 1);
  const auto throws_a_few_times = [&](std::atomic<bool>& where) {
    int thrown = 0;
    return comes_true([&] {
      Asked asked(spec, questions);
      where = true;
      try {
        shared.forward(asked.batch(), 0, questions.size());
      } catch (const std::runtime_error&) {
        ++thrown;
      }
      where = false;
      shared.forward(asked.batch(), 0, questions.size());
      return thrown >= 5;
    });
  };
  EXPECT_TRUE(throws_a_few_times(fails));
  EXPECT_TRUE(throws_a_few_times(mine));
}

}  // namespace
}  // namespace senet
