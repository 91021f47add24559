// Batches of random features with memory for their answers, and networks with fully random
// parameters.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "games/random.hpp"
#include "nn/batch.hpp"
#include "nn/network.hpp"

namespace senet {

/// A network of this shape in which every parameter is random, including biases, scales and shifts.
inline Network untidy_network(const NetworkSpec& spec, std::uint64_t seed) {
  const Network fresh = initial_network(spec, seed);
  std::vector<float> parameters(fresh.parameters().begin(), fresh.parameters().end());
  Random random(seed, 1, 0, Purpose::kTest);
  for (float& parameter : parameters) parameter += 0.2f * random.uniform() - 0.1f;
  return Network(spec, std::move(parameters));
}

/// One row's features and wanted logits.
struct Question {
  std::vector<std::uint16_t> index;
  std::vector<float> value;
  std::vector<std::uint16_t> wanted;
};

/// `active` distinct features in random order, and `wanted` logits with repeats and an occasional
/// kNoLogit.
inline Question random_question(const NetworkSpec& spec, std::size_t active, std::size_t wanted,
                                Random& random) {
  Question question;
  std::vector<std::uint16_t> every(spec.features);
  std::iota(every.begin(), every.end(), std::uint16_t{0});
  for (std::size_t i = 0; i < std::min<std::size_t>(active, spec.features); ++i) {
    std::swap(every[i], every[i + random.below(static_cast<std::uint32_t>(every.size() - i))]);
    question.index.push_back(every[i]);
    question.value.push_back(random.below(3) == 0 ? random.normal() : 1.0f);
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    question.wanted.push_back(random.below(10) == 0
                                  ? kNoLogit
                                  : static_cast<std::uint16_t>(random.below(spec.policy_logits)));
  }
  return question;
}

/// The answers to a list of questions, in their order.
struct Answers {
  std::vector<std::vector<float>> outcomes;
  std::vector<std::vector<float>> logits;
};

/// A batch of `questions` with the memory for the answers.
class Asked {
 public:
  Asked(const NetworkSpec& spec, std::vector<Question> questions)
      : questions_(std::move(questions)), batch_(questions_.size(), {.max_active = spec.features}) {
    answers_.outcomes.assign(questions_.size(), std::vector<float>(spec.outcomes, -1.0f));
    for (std::size_t row = 0; row < questions_.size(); ++row) {
      const Question& question = questions_[row];
      answers_.logits.emplace_back(question.wanted.size(), -1.0f);
      batch_.add({answers_.outcomes[row], question.wanted, answers_.logits[row].data()},
                 [&](FeatureRow& features) {
                   for (std::size_t i = 0; i < question.index.size(); ++i) {
                     features.add(question.index[i], question.value[i]);
                   }
                 });
    }
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  Batch& batch() { return batch_; }
  const Answers& answers() const { return answers_; }

 private:
  std::vector<Question> questions_;  // the batch points into it
  Batch batch_;
  Answers answers_;
};

}  // namespace senet
