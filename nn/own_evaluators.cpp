#include "nn/own_evaluators.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "nn/kernels.hpp"

namespace senet {
namespace {

/// out = weight in + bias
void linear(const LayerParameters& layer, std::span<const double> in, std::span<double> out) {
  for (std::size_t o = 0; o < out.size(); ++o) {
    double sum = layer.bias[o];
    for (std::size_t i = 0; i < in.size(); ++i) {
      sum += double{layer.weight[o * in.size() + i]} * in[i];
    }
    out[o] = sum;
  }
}

/// out = relu(norm(in))
void norm_relu(const LayerParameters& norm, std::span<const double> in, std::span<double> out) {
  const double count = static_cast<double>(in.size());
  double mean = 0, variance = 0;
  for (const double x : in) mean += x / count;
  for (const double x : in) variance += (x - mean) * (x - mean) / count;
  const double inverse = 1.0 / std::sqrt(variance + kNormEpsilon);
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = std::max(0.0, (in[i] - mean) * inverse * norm.weight[i] + norm.bias[i]);
  }
}

void softmax(std::span<double> values) {
  const double largest = *std::ranges::max_element(values);
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - largest);
  for (double& value : values) value /= sum;
}

/// A sum over the features, so that their order does not matter. Features of value zero are
/// skipped.
std::uint64_t hash_row(std::span<const std::uint16_t> index, std::span<const float> value) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (value[i] == 0.0f) continue;
    sum += mix((std::uint64_t{index[i]} << 32) | std::bit_cast<std::uint32_t>(value[i]));
  }
  return mix(sum);
}

/// 16 bits of this hash's stream, by number: logit i has number i, outcome i number 2^32 + i.
/// `scattered` is mix(number).
std::uint32_t bits_of(std::uint64_t hash, std::uint64_t scattered) {
  return static_cast<std::uint32_t>(mix(hash ^ scattered) >> 48);
}

/// mix(first + i), which does not depend on the row.
template <std::size_t kCount>
constexpr std::array<std::uint64_t, kCount> scattered_numbers(std::uint64_t first) {
  std::array<std::uint64_t, kCount> scattered;
  for (std::size_t i = 0; i < kCount; ++i) scattered[i] = mix(first + i);
  return scattered;
}
constexpr auto kScatteredLogits = scattered_numbers<1024>(0);
constexpr auto kScatteredOutcomes = scattered_numbers<256>(std::uint64_t{1} << 32);

}  // namespace

ReferenceEvaluator::ReferenceEvaluator(LayerPlan plan, std::span<const float> parameters)
    : plan_(std::move(plan)), parameters_(parameters.begin(), parameters.end()) {
  assert(parameters_.size() == plan_.parameters);
  for (std::size_t i = 0; i <= plan_.layers.size(); ++i) values_.emplace_back(plan_.size_of(i));
}

std::size_t ReferenceEvaluator::bytes(const LayerPlan& plan) {
  std::size_t values = 0;
  for (std::size_t i = 0; i <= plan.layers.size(); ++i) values += plan.size_of(i);
  return sizeof(ReferenceEvaluator) + plan.parameters * sizeof(float) + values * sizeof(double) +
         plan.layers.size() * (sizeof(Layer) + sizeof(std::vector<double>)) +
         plan.tensors.size() * sizeof(TensorPlace);
}

void ReferenceEvaluator::load(const Weights& weights) {
  if (loaded_ == weights.id()) return;
  const std::span<const float> parameters = weights.network().parameters();
  assert(parameters.size() == parameters_.size());
  std::ranges::copy(parameters, parameters_.begin());
  loaded_ = weights.id();
}

void ReferenceEvaluator::run(const Layer& layer) {
  const std::span<const double> in = values_[layer.in];
  const std::span<double> out = values_[layer.out];
  switch (layer.kind) {
    case LayerKind::kLinear:
      linear({layer, parameters_}, in, out);
      break;
    case LayerKind::kNormRelu:
      norm_relu({layer, parameters_}, in, out);
      break;
    case LayerKind::kRelu:
      std::ranges::transform(in, out.begin(), [](double x) { return std::max(0.0, x); });
      break;
  }
  if (layer.added == kNoValue) return;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += values_[layer.added][i];
}

void ReferenceEvaluator::forward(Batch& batch, std::size_t first, std::size_t last) {
  const SparseRows& features = batch.encode(first, last);
  for (std::size_t row = first; row < last; ++row) {
    std::ranges::fill(values_[kFeatures], 0.0);
    for (std::size_t i = 0; i < features.index(row).size(); ++i) {
      values_[kFeatures][features.index(row)[i]] = features.value(row)[i];
    }
    for (const Layer& layer : plan_.layers) run(layer);

    const std::span<const double> logits = values_[plan_.policy];
    const std::span<double> outcomes = values_[plan_.outcomes];
    softmax(outcomes);
    const RowResult& answer = batch.answer(row);
    for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
      answer.outcomes[i] = static_cast<float>(outcomes[i]);
    }
    for (std::size_t i = 0; i < answer.wanted.size(); ++i) {
      const std::uint16_t wanted = answer.wanted[i];
      answer.logits[i] = wanted == kNoLogit ? 0.0f : static_cast<float>(logits[wanted]);
    }
  }
}

void HashEvaluator::forward(Batch& batch, std::size_t first, std::size_t last) {
  const SparseRows& features = batch.encode(first, last);
  for (std::size_t row = first; row < last; ++row) {
    const std::uint64_t hash = hash_row(features.index(row), features.value(row));
    const RowResult& answer = batch.answer(row);
    for (std::size_t i = 0; i < answer.wanted.size(); ++i) {
      const std::uint16_t wanted = answer.wanted[i];
      if (wanted == kNoLogit) {
        answer.logits[i] = 0;
        continue;
      }
      const std::uint64_t scattered =
          wanted < kScatteredLogits.size() ? kScatteredLogits[wanted] : mix(wanted);
      answer.logits[i] = (static_cast<float>(bits_of(hash, scattered)) - 32768.0f) * 0x1p-13f;
    }
    // At most 255 outcomes of at most 2^16 each: the sum is exact in a float's 24 bits.
    float sum = 0;
    for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
      answer.outcomes[i] = static_cast<float>(1 + bits_of(hash, kScatteredOutcomes[i]));
      sum += answer.outcomes[i];
    }
    for (float& outcome : answer.outcomes) outcome /= sum;
  }
}

}  // namespace senet
