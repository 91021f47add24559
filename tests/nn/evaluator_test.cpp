// Every evaluator agrees with the reference, and a row's answer does not depend on the other rows.
#include "nn/evaluator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "nn/own_evaluators.hpp"
#include "tests/nn/random_rows.hpp"

namespace senet {
namespace {

NetworkSpec make_spec(std::uint32_t features, std::uint32_t policy_logits, std::uint32_t outcomes,
                      std::uint32_t width, std::uint32_t blocks, std::uint32_t policy_layers,
                      std::uint32_t value_layers) {
  NetworkSpec spec;
  spec.game = "test";
  spec.features = features;
  spec.policy_logits = policy_logits;
  spec.outcomes = outcomes;
  spec.width = width;
  spec.blocks = blocks;
  spec.policy_layers = policy_layers;
  spec.value_layers = value_layers;
  return spec;
}

/// ReLU without norms; a value head of its own width.
NetworkSpec plain(NetworkSpec spec, std::uint32_t value_width) {
  spec.norm = false;
  spec.value_width = value_width;
  return spec;
}
NetworkSpec without_policy(NetworkSpec spec) {
  spec.policy_head = false;
  return spec;
}

NetworkSpec reference_shape() { return make_spec(344, 676, 6, 128, 3, 2, 1); }

/// Shapes, including odd widths, missing parts and heads with one output.
std::vector<NetworkSpec> shapes() {
  return {reference_shape(),
          make_spec(84, 7, 3, 64, 2, 1, 1),
          make_spec(18, 9, 3, 32, 1, 0, 0),
          make_spec(129, 65, 2, 48, 0, 1, 2),
          make_spec(5, 1, 1, 1, 1, 1, 1),
          make_spec(33, 100, 255, 37, 2, 3, 0),
          make_spec(40, 21, 5, 200, 4, 2, 2),
          make_spec(300, 17, 6, 15, 6, 0, 3),
          plain(make_spec(120, 40, 6, 48, 0, 1, 1), 20),
          plain(make_spec(50, 9, 3, 33, 3, 0, 2), 0),
          without_policy(make_spec(90, 12, 6, 40, 2, 2, 1)),
          without_policy(plain(make_spec(344, 676, 6, 256, 0, 0, 1), 128))};
}

/// A row with every feature and every logit, both in order.
Question all_in_order(const NetworkSpec& spec, Random& random) {
  const std::size_t logits = spec.policy_head ? spec.policy_logits : 0;
  Question question = random_question(spec, spec.features, logits, random);
  std::iota(question.index.begin(), question.index.end(), std::uint16_t{0});
  std::iota(question.wanted.begin(), question.wanted.end(), std::uint16_t{0});
  return question;
}

/// Rows with no features to all, which want no logits or more than all (without a policy, none).
std::vector<Question> questions_for(const NetworkSpec& spec, std::size_t rows) {
  Random random(rows, spec.width, spec.features, Purpose::kTest);
  std::vector<Question> questions;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t active = row % 7 == 3 ? 0 : random.below(std::min(spec.features, 60u) + 1);
    const std::size_t wanted = !spec.policy_head ? 0
                               : row % 5 == 4    ? spec.policy_logits + 3
                                                 : random.below(24);
    Question& question = questions.emplace_back(random_question(spec, active, wanted, random));
    // Rows with all features or all logits, in order and not: evaluators use other code paths for
    // them.
    if (row % 9 == 5) question = random_question(spec, spec.features, wanted, random);
    if (row % 9 == 6) question = all_in_order(spec, random);
  }
  return questions;
}

Answers ask(Evaluator& evaluator, const NetworkSpec& spec, const std::vector<Question>& questions) {
  Asked asked(spec, questions);
  evaluator.forward(asked.batch());
  return asked.answers();
}

std::unique_ptr<Evaluator> make(EvaluatorKind kind, const Weights& weights, std::size_t max_rows,
                                bool exact = false) {
  auto evaluator = make_evaluator(kind, weights, max_rows, exact);
  EXPECT_TRUE(evaluator.has_value());
  return std::move(*evaluator);
}

void expect_close(const Answers& got, const Answers& wanted, double tolerance = 1e-4) {
  for (std::size_t row = 0; row < wanted.outcomes.size(); ++row) {
    for (std::size_t i = 0; i < wanted.outcomes[row].size(); ++i) {
      EXPECT_NEAR(got.outcomes[row][i], wanted.outcomes[row][i], tolerance) << "row " << row;
    }
    for (std::size_t i = 0; i < wanted.logits[row].size(); ++i) {
      EXPECT_NEAR(got.logits[row][i], wanted.logits[row][i], tolerance) << "row " << row;
    }
  }
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<std::uint32_t, float>,
                            std::bit_cast<std::uint32_t, float>);
}

void expect_well_formed(const Answers& answers, const std::vector<Question>& questions) {
  for (std::size_t row = 0; row < questions.size(); ++row) {
    float sum = 0;
    for (const float outcome : answers.outcomes[row]) {
      EXPECT_GE(outcome, 0.0f);
      sum += outcome;
    }
    EXPECT_NEAR(sum, 1.0f, 1e-5f) << "row " << row;
    for (std::size_t i = 0; i < questions[row].wanted.size(); ++i) {
      EXPECT_TRUE(std::isfinite(answers.logits[row][i]));
      if (questions[row].wanted[i] == kNoLogit) {
        EXPECT_EQ(answers.logits[row][i], 0.0f);
      }
    }
  }
}

/// Of these evaluators the ones that are built in.
std::vector<EvaluatorKind> built_in(std::vector<EvaluatorKind> kinds) {
  if (!SENET_HAS_ONEDNN) std::erase(kinds, EvaluatorKind::kOneDnn);
  return kinds;
}

std::string kind_name(const ::testing::TestParamInfo<EvaluatorKind>& kind) {
  switch (kind.param) {
    case EvaluatorKind::kOneDnn:
      return "OneDnn";
    case EvaluatorKind::kReference:
      return "Reference";
    case EvaluatorKind::kHash:
      return "Hash";
    case EvaluatorKind::kFused:
      return "Fused";
    case EvaluatorKind::kInt8:
      return "Int8";
    case EvaluatorKind::kAuto:
      return "Auto";
  }
  return "Unknown";
}

class FastEvaluator : public ::testing::TestWithParam<EvaluatorKind> {
 protected:
  /// The largest difference from the reference, for networks with large random biases.
  static double tolerance() { return GetParam() == EvaluatorKind::kInt8 ? 0.1 : 1e-4; }
};

TEST_P(FastEvaluator, AgreesWithTheReference) {
  constexpr std::size_t kMaxRows = 100;  // not a power of two
  for (const NetworkSpec& spec : shapes()) {
    const Weights weights(untidy_network(spec, 7));
    const auto evaluator = make(GetParam(), weights, kMaxRows);
    const auto reference = make(EvaluatorKind::kReference, weights, kMaxRows);
    for (const std::size_t rows : {1, 2, 3, 5, 7, 8, 13, 31, 64, 65, 99, 100}) {
      SCOPED_TRACE(::testing::Message() << "width " << spec.width << ", rows " << rows);
      const std::vector<Question> questions = questions_for(spec, rows);
      const Answers answers = ask(*evaluator, spec, questions);
      expect_close(answers, ask(*reference, spec, questions), tolerance());
      expect_well_formed(answers, questions);
    }
  }
}

TEST_P(FastEvaluator, SurvivesConstantRows) {
  // All weights zero: every norm reads a constant row, large or small, and writes relu(shift).
  const NetworkSpec spec = make_spec(20, 30, 4, 24, 2, 1, 1);
  for (const float bias : {0.0f, 1e-3f, 1.0f, 1000.0f}) {
    std::vector<float> parameters(parameter_count(spec), 0.0f);
    for (const TensorPlace& place : parameter_layout(spec)) {
      if (!place.decays) {
        std::fill_n(parameters.begin() + static_cast<std::ptrdiff_t>(place.offset), place.size(),
                    bias);
      }
    }
    const Weights weights(Network(spec, std::move(parameters)));
    const std::vector<Question> questions = questions_for(spec, 9);
    const auto evaluator = make(GetParam(), weights, 9);
    const auto reference = make(EvaluatorKind::kReference, weights, 9);
    expect_close(ask(*evaluator, spec, questions), ask(*reference, spec, questions));
  }
}

TEST_P(FastEvaluator, TakesOverOtherWeights) {
  const NetworkSpec spec = make_spec(84, 70, 3, 64, 2, 1, 1);
  const Weights first_weights(untidy_network(spec, 1)), second_weights(untidy_network(spec, 2));
  const auto evaluator = make(GetParam(), first_weights, 16);
  const auto reference = make(EvaluatorKind::kReference, first_weights, 16);
  const std::vector<Question> questions = questions_for(spec, 11);
  const Answers first = ask(*evaluator, spec, questions);
  evaluator->load(second_weights);
  reference->load(second_weights);
  const Answers then = ask(*evaluator, spec, questions);
  EXPECT_FALSE(same_bits(first.outcomes[0], then.outcomes[0]));
  expect_close(then, ask(*reference, spec, questions), tolerance());
  evaluator->load(first_weights);
  EXPECT_TRUE(same_bits(first.outcomes[0], ask(*evaluator, spec, questions).outcomes[0]));
}

TEST_P(FastEvaluator, EmptyBatchIsNothing) {
  const NetworkSpec spec = make_spec(84, 70, 3, 64, 2, 1, 1);
  const Weights weights(untidy_network(spec, 1));
  const auto evaluator = make(GetParam(), weights, 4);
  Batch none(4, {.max_active = spec.features});
  evaluator->forward(none);
}

INSTANTIATE_TEST_SUITE_P(All, FastEvaluator,
                         ::testing::ValuesIn(built_in({EvaluatorKind::kFused, EvaluatorKind::kInt8,
                                                       EvaluatorKind::kOneDnn,
                                                       EvaluatorKind::kAuto})),
                         kind_name);

/// Evaluators whose answer to a row must have the same bits in every batch.
class ExactEvaluator : public ::testing::TestWithParam<EvaluatorKind> {};

TEST_P(ExactEvaluator, ARowDoesNotSeeItsBatch) {
  constexpr std::size_t kMaxRows = 100;
  for (const NetworkSpec& spec : shapes()) {
    const Weights weights(untidy_network(spec, 3));
    const auto evaluator = make(GetParam(), weights, kMaxRows, /*exact=*/true);
    const std::vector<Question> questions = questions_for(spec, kMaxRows);
    const Answers together = ask(*evaluator, spec, questions);
    Random random(5, spec.width, 0, Purpose::kTest);
    for (const std::size_t rows : {1, 1, 1, 2, 3, 4, 6, 7, 11, 12, 13, 16, 25, 47, 48, 49, 97}) {
      std::vector<Question> some;
      std::vector<std::size_t> which;
      for (std::size_t row = 0; row < rows; ++row) {
        which.push_back(random.below(kMaxRows));
        some.push_back(questions[which.back()]);
      }
      const Answers apart = ask(*evaluator, spec, some);
      for (std::size_t row = 0; row < rows; ++row) {
        ASSERT_TRUE(same_bits(apart.outcomes[row], together.outcomes[which[row]]))
            << "width " << spec.width << ", row " << row << " of " << rows;
        ASSERT_TRUE(same_bits(apart.logits[row], together.logits[which[row]]))
            << "width " << spec.width << ", row " << row << " of " << rows;
      }
    }
  }
}

// Threads may share a batch: the bits must not depend on how the rows are cut into ranges, which
// evaluator answers a range, or the order of the ranges.
TEST_P(ExactEvaluator, RangesOfRowsGiveTheBitsOfTheWhole) {
  constexpr std::size_t kRows = 100;
  for (const NetworkSpec& spec : shapes()) {
    SCOPED_TRACE(::testing::Message() << "width " << spec.width);
    const Weights weights(untidy_network(spec, 17));
    const std::unique_ptr<Evaluator> evaluators[] = {
        make(GetParam(), weights, kRows, /*exact=*/true),
        make(GetParam(), weights, kRows, /*exact=*/true)};
    const std::vector<Question> questions = questions_for(spec, kRows);
    const Answers whole = ask(*evaluators[0], spec, questions);
    for (const std::vector<std::size_t>& cuts :
         std::vector<std::vector<std::size_t>>{{50},
                                               {1, 2, 3, 99},
                                               {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96},
                                               {0, 7, 7, 62},
                                               {10, 20, 30, 40, 50, 60, 70, 80, 90},
                                               {49, 98},
                                               {47, 95}}) {
      Asked parts(spec, questions);
      std::size_t last = kRows;
      for (std::size_t i = cuts.size() + 1; i-- > 0;) {  // the last range first
        const std::size_t first = i == 0 ? 0 : cuts[i - 1];
        evaluators[i % 2]->forward(parts.batch(), first, last);
        last = first;
      }
      for (std::size_t row = 0; row < kRows; ++row) {
        ASSERT_TRUE(same_bits(parts.answers().outcomes[row], whole.outcomes[row])) << row;
        ASSERT_TRUE(same_bits(parts.answers().logits[row], whole.logits[row])) << row;
      }
    }
  }
}

TEST_P(ExactEvaluator, ARangeLeavesOtherRowsAlone) {
  const NetworkSpec spec = reference_shape();
  const Weights weights(untidy_network(spec, 17));
  const auto evaluator = make(GetParam(), weights, 12, /*exact=*/true);
  Asked asked(spec, questions_for(spec, 30));
  evaluator->forward(asked.batch(), 9, 21);
  for (std::size_t row = 0; row < 30; ++row) {
    const bool is_answered = asked.answers().outcomes[row][0] >= 0;  // -1 before
    EXPECT_EQ(is_answered, row >= 9 && row < 21) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExactEvaluator,
                         ::testing::ValuesIn(built_in(
                             {EvaluatorKind::kFused, EvaluatorKind::kInt8, EvaluatorKind::kOneDnn,
                              EvaluatorKind::kReference, EvaluatorKind::kHash})),
                         kind_name);

TEST(FusedEvaluator, EveryInstructionSetAgreesWithTheReference) {
  for (std::size_t i = 0; const Kernels* kernels = runnable_kernels(i); ++i) {
    SCOPED_TRACE(kernels->name);
    for (const NetworkSpec& spec : shapes()) {
      const Weights weights(untidy_network(spec, 11), *kernels);
      FusedEvaluator evaluator(weights);
      const auto reference = make(EvaluatorKind::kReference, weights, 100);
      for (const std::size_t rows : {1, 2, 3, 4, 6, 11, 100}) {
        const std::vector<Question> questions = questions_for(spec, rows);
        expect_close(ask(evaluator, spec, questions), ask(*reference, spec, questions));
      }
    }
  }
}

TEST(ByteEvaluator, EveryInstructionSetIsNearTheReference) {
  for (std::size_t i = 0; const Kernels* kernels = runnable_kernels(i); ++i) {
    SCOPED_TRACE(kernels->name);
    for (const NetworkSpec& spec : shapes()) {
      const Weights weights(initial_network(spec, 11), *kernels);
      ByteEvaluator evaluator(weights);
      const auto reference = make(EvaluatorKind::kReference, weights, 100);
      for (const std::size_t rows : {1, 2, 3, 4, 6, 11, 100}) {
        const std::vector<Question> questions = questions_for(spec, rows);
        const Answers answers = ask(evaluator, spec, questions);
        expect_close(answers, ask(*reference, spec, questions), 0.03);
        expect_well_formed(answers, questions);
      }
    }
  }
}

// Only the first layer of these networks is quantised: to 16 bits, which must hold the largest sum.
TEST(ByteEvaluator, FirstLayerFitsIntoSixteenBits) {
  const NetworkSpec spec = without_policy(plain(make_spec(200, 1, 2, 48, 0, 0, 0), 0));
  const auto sign_of = [](std::size_t input) { return input % 4 < 2 ? 1.0f : -1.0f; };
  std::vector<Question> questions;
  const auto add = [&](std::size_t count, auto&& value) {
    Question& question = questions.emplace_back();
    for (std::size_t i = 0; i < count; ++i) {
      question.index.push_back(static_cast<std::uint16_t>(2 * i + count % 2));
      question.value.push_back(value(question.index.back()));
    }
  };
  for (const float sign : {1.0f, -1.0f}) {
    for (const float value : {2.0f, 2.0001f, 1.5f, 1.0f, 0.99999f, 0.3f, 1e-6f, 0.0f}) {
      for (const std::size_t count : {1, 47, 48, 49, 96, 97, 100}) {
        add(count, [&](std::size_t) { return sign * value; });
        add(count, [&](std::size_t input) { return sign * value * sign_of(input); });
      }
    }
  }
  for (std::size_t i = 0; i < 20; ++i) {
    Random random(i, 0, 0, Purpose::kTest);
    questions.push_back(random_question(spec, 5 * i, 0, random));
  }
  // All weights of the first layer the same, or of both signs, or random.
  const auto with_weights = [&](auto&& weight_of) {
    const Network untidy = untidy_network(spec, 2);
    std::vector<float> parameters(untidy.parameters().begin(), untidy.parameters().end());
    for (const TensorPlace& place : parameter_layout(spec)) {
      if (place.name != "input.linear.weight") continue;
      for (std::size_t i = 0; i < place.size(); ++i) {
        float& weight = parameters[place.offset + i];
        weight = weight_of(i % spec.features, weight);
      }
    }
    return Network(spec, std::move(parameters));
  };
  const std::array<Network, 3> networks = {
      with_weights([](std::size_t, float) { return 0.02f; }),
      with_weights(
          [&](std::size_t input, float) { return input < 96 ? 0.02f * sign_of(input) : 0.0f; }),
      with_weights([](std::size_t, float weight) { return weight; })};
  for (std::size_t i = 0; const Kernels* kernels = runnable_kernels(i); ++i) {
    SCOPED_TRACE(kernels->name);
    for (const Network& network : networks) {
      const Weights weights(network.clone(), *kernels);
      ByteEvaluator evaluator(weights);
      const auto reference = make(EvaluatorKind::kReference, weights, questions.size());
      const Answers answers = ask(evaluator, spec, questions);
      expect_close(answers, ask(*reference, spec, questions), 1e-3);
      FusedEvaluator fused(weights);
      const Answers floats = ask(fused, spec, questions);
      std::size_t same = 0;
      for (std::size_t row = 0; row < questions.size(); ++row) {
        const Answers alone = ask(evaluator, spec, {questions[row]});
        EXPECT_TRUE(same_bits(alone.outcomes[0], answers.outcomes[row])) << row;
        same += same_bits(floats.outcomes[row], answers.outcomes[row]) ? 1 : 0;
      }
      EXPECT_GT(same, 10u);  // rows of large values or many pieces
      EXPECT_LT(same, questions.size() - 20);
    }
  }
}

template <class Evaluator>
class EveryPackedEvaluator : public ::testing::Test {};
using PackedEvaluators = ::testing::Types<FusedEvaluator, ByteEvaluator>;
TYPED_TEST_SUITE(EveryPackedEvaluator, PackedEvaluators);

TYPED_TEST(EveryPackedEvaluator, InstructionSetsWithFusedMultiplyAddGiveTheSameBits) {
  std::vector<const Kernels*> with_fma;
  for (std::size_t i = 0; const Kernels* kernels = runnable_kernels(i); ++i) {
    if (kernels->fma) with_fma.push_back(kernels);
    const Weights weights(initial_network(reference_shape(), 1), *kernels);
    EXPECT_TRUE(TypeParam(weights).name().ends_with(kernels->fma ? "-fma" : "-plain"));
  }
  if (with_fma.size() < 2) GTEST_SKIP() << "this processor supports at most one of them";
  for (const NetworkSpec& spec : shapes()) {
    const Weights first_weights(untidy_network(spec, 13), *with_fma[0]);
    TypeParam first(first_weights);
    for (std::size_t i = 1; i < with_fma.size(); ++i) {
      const Weights weights(untidy_network(spec, 13), *with_fma[i]);
      TypeParam other(weights);
      for (const std::size_t rows : {1, 5, 60}) {
        const std::vector<Question> questions = questions_for(spec, rows);
        const Answers a = ask(first, spec, questions), b = ask(other, spec, questions);
        for (std::size_t row = 0; row < rows; ++row) {
          ASSERT_TRUE(same_bits(a.outcomes[row], b.outcomes[row])) << with_fma[i]->name;
          ASSERT_TRUE(same_bits(a.logits[row], b.logits[row])) << with_fma[i]->name;
        }
      }
    }
  }
}

TEST(HashEvaluator, DependsOnFeaturesButNotOnTheirOrder) {
  const NetworkSpec spec = reference_shape();
  const Weights weights(initial_network(spec, 1));
  const auto evaluator = make(EvaluatorKind::kHash, weights, 8);
  std::vector<Question> questions = questions_for(spec, 3);
  questions[1] = questions[0] =
      random_question(spec, 12, 20, *std::make_unique<Random>(1, 2, 3, Purpose::kTest));
  std::ranges::reverse(questions[1].index);
  std::ranges::reverse(questions[1].value);
  questions[1].index.push_back(343);  // a zero is ignored
  questions[1].value.push_back(-0.0f);
  questions[2] = questions[0];
  questions[2].value[5] += 1.0f;
  const Answers answers = ask(*evaluator, spec, questions);
  expect_well_formed(answers, questions);
  EXPECT_TRUE(same_bits(answers.logits[0], answers.logits[1]));
  EXPECT_TRUE(same_bits(answers.outcomes[0], answers.outcomes[1]));
  EXPECT_FALSE(same_bits(answers.logits[0], answers.logits[2]));
  EXPECT_FALSE(same_bits(answers.outcomes[0], answers.outcomes[2]));
}

TEST(HashEvaluator, AnswersAreTheSameOnEveryMachine) {
  const NetworkSpec spec = reference_shape();
  const Weights weights(initial_network(spec, 1));
  const auto evaluator = make(EvaluatorKind::kHash, weights, 1);
  const Answers answers =
      ask(*evaluator, spec, {Question{{3, 200}, {1.0f, 0.25f}, {0, 675, kNoLogit}}});
  // Search signatures depend on these answers: changing them changes every signature.
  EXPECT_EQ(answers.logits[0], (std::vector<float>{15994 * 0x1p-13f, -15178 * 0x1p-13f, 0.0f}));
  const float sum = 238149.0f;
  EXPECT_EQ(answers.outcomes[0], (std::vector<float>{57293 / sum, 34310 / sum, 44001 / sum,
                                                     32780 / sum, 4975 / sum, 64790 / sum}));
}

TEST(MakeEvaluator, SaysWhatIsWrong) {
  const Weights weights(initial_network(make_spec(5, 3, 3, 8, 1, 0, 0), 1));
  EXPECT_FALSE(make_evaluator(EvaluatorKind::kFused, weights, 0).has_value());
  EXPECT_FALSE(value_of<EvaluatorKind>("fast").has_value());
  EXPECT_EQ(all_names<EvaluatorKind>(), "fused, int8, onednn, auto, reference, hash");
  for (const EvaluatorKind kind :
       built_in({EvaluatorKind::kFused, EvaluatorKind::kInt8, EvaluatorKind::kOneDnn,
                 EvaluatorKind::kReference, EvaluatorKind::kHash})) {
    const auto evaluator = make_evaluator(kind, weights, 3);
    ASSERT_TRUE(evaluator.has_value());
    const std::string_view recorded = (*evaluator)->name();
    EXPECT_EQ(recorded.substr(0, recorded.find('-')), name_of(kind));
  }
  EXPECT_EQ(make_evaluator(EvaluatorKind::kOneDnn, weights, 3).has_value(), bool{SENET_HAS_ONEDNN});
  const EvaluatorKind resolved =
      resolve_kind(*value_of<EvaluatorKind>("auto"), weights.network(), 3);
  EXPECT_TRUE(resolved == EvaluatorKind::kFused || resolved == EvaluatorKind::kOneDnn);
  EXPECT_EQ(resolve_kind(EvaluatorKind::kHash, weights.network(), 3), EvaluatorKind::kHash);
}

/// A wider spec, with a wider value head that has `layers` more layers.
NetworkSpec larger(NetworkSpec spec, std::uint32_t layers) {
  spec.value_width = (spec.value_width == 0 ? spec.width : spec.value_width) + 9;
  spec.width += 13;
  spec.value_layers += layers;
  return spec;
}

TEST(EnlargedNetwork, ComputesTheSameFunction) {
  for (const NetworkSpec& spec :
       {plain(make_spec(120, 40, 6, 48, 0, 1, 1), 20), plain(make_spec(50, 9, 3, 33, 3, 0, 2), 0),
        plain(make_spec(50, 9, 3, 33, 3, 0, 0), 0),
        without_policy(plain(make_spec(344, 676, 6, 256, 0, 0, 1), 128))}) {
    const Network network = untidy_network(spec, 3);
    const std::vector<Question> questions = questions_for(spec, 40);
    const Answers before =
        ask(*make(EvaluatorKind::kReference, Weights(network.clone()), 40), spec, questions);
    for (const std::uint32_t layers : {0u, 2u}) {
      const NetworkSpec large = larger(spec, layers);
      Result<Network> enlarged = enlarged_network(network, large, 1);
      ASSERT_TRUE(enlarged.has_value()) << enlarged.error().reason();
      EXPECT_EQ(enlarged->spec(), large);
      expect_close(ask(*make(EvaluatorKind::kReference, Weights(std::move(*enlarged)), 40), large,
                       questions),
                   before, 1e-5);
    }
  }
}

TEST(EnlargedNetwork, NewUnitsReadRandomWeights) {
  const NetworkSpec spec = without_policy(plain(make_spec(30, 9, 3, 16, 0, 0, 1), 8));
  const NetworkSpec large = larger(spec, 1);
  const Network enlarged = enlarged_network(untidy_network(spec, 3), large, 1).value();
  const Network initial = initial_network(large, 1);
  const auto equal_share = [&](std::string_view name, std::uint32_t first_row) {
    const std::vector<TensorPlace> places = parameter_layout(large);
    const TensorPlace& place = *std::ranges::find(places, name, &TensorPlace::name);
    std::size_t equal = 0;
    for (std::size_t i = std::size_t{first_row} * place.columns; i < place.size(); ++i) {
      equal += enlarged.parameters()[place.offset + i] == initial.parameters()[place.offset + i];
    }
    return static_cast<double>(equal) / static_cast<double>(place.size());
  };
  EXPECT_DOUBLE_EQ(equal_share("input.linear.weight", 16), 13.0 / 29);
  EXPECT_DOUBLE_EQ(equal_share("value.0.linear.weight", 8), 9.0 / 17);
  EXPECT_DOUBLE_EQ(equal_share("value.1.linear.weight", 8), 9.0 / 17);
}

TEST(EnlargedNetwork, RefusesOtherChanges) {
  const NetworkSpec spec = plain(make_spec(50, 9, 3, 33, 2, 1, 1), 20);
  const Network network = initial_network(spec, 1);
  const auto reason = [&](auto&& change) {
    NetworkSpec other = spec;
    change(other);
    const Result<Network> enlarged = enlarged_network(network, other, 1);
    return enlarged ? std::string() : enlarged.error().reason();
  };
  EXPECT_EQ(reason([](NetworkSpec&) {}), "");
  EXPECT_EQ(reason([](NetworkSpec& s) { s.width = 32; }), "width 33 cannot become 32");
  EXPECT_EQ(reason([](NetworkSpec& s) { s.value_width = 19; }), "value_width 20 cannot become 19");
  EXPECT_EQ(reason([](NetworkSpec& s) { s.value_layers = 0; }), "value_layers 1 cannot become 0");
  EXPECT_EQ(reason([](NetworkSpec& s) { s.blocks = 3; }), "blocks 2 cannot become 3");
  EXPECT_EQ(reason([](NetworkSpec& s) { s.policy_layers = 2; }), "policy_layers 1 cannot become 2");
  EXPECT_EQ(reason([](NetworkSpec& s) { s.norm = true; }), "norm 0 cannot become 1");
  EXPECT_EQ(reason([](NetworkSpec& s) { s.features = 51; }), "features 50 cannot become 51");
  NetworkSpec with_norms = make_spec(50, 9, 3, 33, 2, 1, 1);
  NetworkSpec wider = with_norms;
  wider.width = 40;
  EXPECT_EQ(enlarged_network(initial_network(with_norms, 1), wider, 1).error().reason(),
            "width 33 cannot become 40 in a network with norms");
}

}  // namespace
}  // namespace senet
