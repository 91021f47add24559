#include "nn/reference_evaluator.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "nn/norm_epsilon.hpp"
#include "nn/parameter_cursor.hpp"

namespace senet {
namespace {

/// out = weight in + bias
void linear(const LinearView& layer, std::span<const double> in, std::span<double> out) {
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    double sum = layer.bias[o];
    for (std::size_t i = 0; i < layer.inputs; ++i) {
      sum += double{layer.weight[o * layer.inputs + i]} * in[i];
    }
    out[o] = sum;
  }
}

/// out = relu(norm(in)); in and out may be the same.
void norm_relu(const NormView& norm, std::span<const double> in, std::span<double> out) {
  const double count = static_cast<double>(in.size());
  double mean = 0, variance = 0;
  for (const double x : in) mean += x / count;
  for (const double x : in) variance += (x - mean) * (x - mean) / count;
  const double inverse = 1.0 / std::sqrt(variance + kNormEpsilon);
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = std::max(0.0, (in[i] - mean) * inverse * norm.scale[i] + norm.shift[i]);
  }
}

void softmax(std::span<double> values) {
  const double largest = *std::ranges::max_element(values);
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - largest);
  for (double& value : values) value /= sum;
}

}  // namespace

ReferenceEvaluator::ReferenceEvaluator(const Weights& weights)
    : spec_(weights.spec()),
      loaded_(weights.id()),
      parameters_(weights.network().parameters().begin(), weights.network().parameters().end()),
      features_(spec_.features),
      trunk_(spec_.width),
      hidden_(spec_.width),
      scratch_(spec_.width),
      logits_(spec_.policy_logits),
      outcomes_(spec_.outcomes) {}

std::size_t ReferenceEvaluator::bytes(const NetworkSpec& spec) {
  const std::size_t activations =
      spec.features + 3 * std::size_t{spec.width} + spec.policy_logits + spec.outcomes;
  return sizeof(ReferenceEvaluator) + spec.game.size() + parameter_count(spec) * sizeof(float) +
         activations * sizeof(double);
}

void ReferenceEvaluator::load(const Weights& weights) {
  assert(weights.spec() == spec_);
  if (weights.id() == loaded_) return;
  loaded_ = weights.id();
  std::ranges::copy(weights.network().parameters(), parameters_.begin());
}

void ReferenceEvaluator::forward(const Batch& batch, std::size_t first, std::size_t last) {
  for (std::size_t row = first; row < last; ++row) forward_row(batch, row);
}

void ReferenceEvaluator::forward_row(const Batch& batch, std::size_t row) {
  ParameterCursor at(parameters_);
  const std::size_t width = spec_.width;

  std::ranges::fill(features_, 0.0);
  for (std::size_t i = 0; i < batch.index(row).size(); ++i) {
    features_[batch.index(row)[i]] = batch.value(row)[i];
  }
  linear(at.linear(spec_.features, width), features_, trunk_);
  norm_relu(at.norm(width), trunk_, trunk_);

  for (std::uint32_t block = 0; block < spec_.blocks; ++block) {
    norm_relu(at.norm(width), trunk_, hidden_);
    linear(at.linear(width, width), hidden_, scratch_);
    norm_relu(at.norm(width), scratch_, hidden_);
    linear(at.linear(width, width), hidden_, scratch_);
    for (std::size_t i = 0; i < width; ++i) trunk_[i] += scratch_[i];
  }
  norm_relu(at.norm(width), trunk_, trunk_);

  const auto head = [&](std::uint32_t layers, std::span<double> out) {
    hidden_ = trunk_;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      linear(at.linear(width, width), hidden_, scratch_);
      norm_relu(at.norm(width), scratch_, hidden_);
    }
    linear(at.linear(width, out.size()), hidden_, out);
  };
  head(spec_.policy_layers, logits_);
  head(spec_.value_layers, outcomes_);
  assert(at.done());
  softmax(outcomes_);

  const RowAnswer& answer = batch.answer(row);
  for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
    answer.outcomes[i] = static_cast<float>(outcomes_[i]);
  }
  for (std::size_t i = 0; i < answer.wanted.size(); ++i) {
    const std::uint16_t wanted = answer.wanted[i];
    answer.logits[i] = wanted == kNoLogit ? 0.0f : static_cast<float>(logits_[wanted]);
  }
}

}  // namespace senet
