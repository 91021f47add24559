#include "train_bridge/train_layers.hpp"

#include <algorithm>
#include <cmath>

#include "train_bridge/row_kernels.hpp"

namespace senet {
namespace {

// Cross entropy of softmax(logits) with `target(i)`, in nats. Replaces the logits by weight times
// their gradients. The targets need not add up to one: the gradient is exact for any.
template <class Real, class Target>
double cross_entropy(std::span<Real> logits, Target target, Real weight) {
  Real largest = logits[0];
  for (const Real logit : logits) largest = std::max(largest, logit);
  Real sum = 0;
  Real target_sum = 0;
  Real expected = 0;  // sum of target * (logit - largest)
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const Real shifted = logits[i] - largest;
    const Real wanted = static_cast<Real>(target(i));
    target_sum += wanted;
    expected += wanted * shifted;
    logits[i] = std::exp(shifted);
    sum += logits[i];
  }
  const Real scale = target_sum / sum;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    logits[i] = weight * (logits[i] * scale - static_cast<Real>(target(i)));
  }
  return static_cast<double>(target_sum * std::log(sum) - expected);
}

}  // namespace

template <class Real>
void OutcomesLayer<Real>::backward(const Pass<Real>& pass) const {
  const std::size_t outcomes = this->layer_.outputs;
  Real* const logits = pass.at(this->layer_.to);
  double loss = 0;
  for (std::size_t row = 0; row < pass.rows; ++row) {
    const std::span<const float> target = pass.batch->outcomes(pass.batch_row(row));
    loss += cross_entropy(
        std::span<Real>(logits + row * outcomes, outcomes),
        [&](std::size_t i) { return target[i]; }, pass.value_share);
  }
  pass.losses->value += loss;
  LinearLayer<Real>::backward(pass);
}

template <class Real>
PolicyLayer<Real>::PolicyLayer(const TrainLayer& layer, const ScratchPlan<Real>& plan)
    : layer_(layer),
      action_logits_(plan.scratch.reserve(plan.batch.action_room)),
      pair_values_(plan.scratch.reserve(plan.batch.action_room * plan.batch.logits_per_action)),
      pair_logit_(plan.batch.action_room * plan.batch.logits_per_action),
      pair_action_(plan.batch.action_room * plan.batch.logits_per_action) {}

// Lists the (action, logit) pairs of a row, actions counted from the row's first.
template <class Real>
std::span<const std::uint16_t> PolicyLayer<Real>::pairs_of(const TrainBatch& batch,
                                                           std::size_t row) {
  const std::size_t begin = batch.first_action(row);
  const std::size_t end = batch.first_action(row + 1);
  std::size_t pairs = 0;
  for (std::size_t action = begin; action < end; ++action) {
    for (const std::uint16_t logit : batch.logits(action)) {
      if (logit == kNoLogit) continue;
      pair_logit_[pairs] = logit;
      pair_action_[pairs] = static_cast<std::uint32_t>(action - begin);
      ++pairs;
    }
  }
  return {pair_logit_.data(), pairs};
}

template <class Real>
double PolicyLayer<Real>::learn_row(const Pass<Real>& pass, std::size_t row) {
  const TrainBatch& batch = *pass.batch;
  const std::size_t at = pass.batch_row(row), begin = batch.first_action(at);
  const std::size_t width = layer_.inputs;
  const Real* const features = pass.at(layer_.from) + row * width;
  Real* const d_features = pass.at(layer_.d_from) + row * width;
  const std::span<const std::uint16_t> pairs = pairs_of(batch, at);
  const std::span<Real> logits(pass.at(action_logits_), batch.first_action(at + 1) - begin);
  Real* const pair_value = pass.at(pair_values_);

  RowKernels<Real>::row_products(pass.weight(layer_), width, pairs, features, pair_value);
  std::fill(logits.begin(), logits.end(), Real{0});
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    logits[pair_action_[pair]] += pair_value[pair] + pass.bias(layer_)[pairs[pair]];
  }
  const double loss = cross_entropy(
      logits, [&](std::size_t i) { return batch.target(begin + i); }, pass.policy_share);

  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    pair_value[pair] = logits[pair_action_[pair]];
    pass.d_bias(layer_)[pairs[pair]] += pair_value[pair];
  }
  RowKernels<Real>::add_to_rows(features, width, pairs, pair_value, pass.d_weight(layer_));
  if (!layer_.add) std::fill_n(d_features, width, Real{0});
  RowKernels<Real>::add_weighted_rows(pass.weight(layer_), width, pairs, pair_value, d_features);
  return loss;
}

template <class Real>
void PolicyLayer<Real>::backward(const Pass<Real>& pass) {
  double loss = 0;
  for (std::size_t row = 0; row < pass.rows; ++row) loss += learn_row(pass, row);
  pass.losses->policy += loss;
}

template class OutcomesLayer<float>;
template class OutcomesLayer<double>;
template class PolicyLayer<float>;
template class PolicyLayer<double>;

}  // namespace senet
