#include "train_bridge/train_heads.hpp"

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
ValueHead<Real>::ValueHead(const LayerPlan<Real>& plan, const NetworkSpec& spec)
    : tower_(plan, "value", spec.value_layers),
      last_(plan, "value.out"),
      width_(spec.width),
      logits_(plan.scratch->reserve(plan.rows * spec.outcomes)) {}

template <class Real>
double ValueHead<Real>::learn(const Pass<Real>& pass, const TrainBatch& batch, std::size_t first,
                              const Real* trunk, Real weight, Real* d_trunk) const {
  const Real* features = tower_.forward(pass, trunk);
  Real* logits = pass.scratch->at(logits_);
  last_.forward(pass, features, nullptr, logits);
  double loss = 0;
  for (std::size_t row = 0; row < pass.rows; ++row) {
    const std::span<const float> target = batch.outcomes(first + row);
    loss += cross_entropy(
        std::span<Real>(logits + row * last_.outputs(), last_.outputs()),
        [&](std::size_t i) { return target[i]; }, weight);
  }
  last_.backward(pass, features, logits, false, pass.work);
  const Real* d_input = tower_.backward(pass, trunk);
  std::copy_n(d_input, pass.rows * width_, d_trunk);
  return loss;
}

template <class Real>
PolicyHead<Real>::PolicyHead(const LayerPlan<Real>& plan, const NetworkSpec& spec,
                             const TrainBatch::Shape& shape)
    : tower_(plan, "policy", spec.policy_layers),
      last_(plan, "policy.out"),
      width_(spec.width),
      trunk_(plan.scratch->reserve(plan.rows * spec.width)),
      action_logits_(plan.scratch->reserve(shape.action_room)),
      pair_values_(plan.scratch->reserve(shape.action_room * shape.logits_per_action)),
      rows_(plan.rows),
      pair_logit_(shape.action_room * shape.logits_per_action),
      pair_action_(shape.action_room * shape.logits_per_action) {}

// Lists the (action, logit) pairs of a row, actions counted from the row's first.
template <class Real>
std::span<const std::uint16_t> PolicyHead<Real>::pairs_of(const TrainBatch& batch,
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
double PolicyHead<Real>::learn_row(const Pass<Real>& pass, const TrainBatch& batch, std::size_t row,
                                   const Real* features, Real weight, Real* d_features) {
  const std::size_t begin = batch.first_action(row);
  const std::span<const std::uint16_t> pairs = pairs_of(batch, row);
  const std::span<Real> logits(pass.scratch->at(action_logits_),
                               batch.first_action(row + 1) - begin);
  Real* pair_value = pass.scratch->at(pair_values_);

  RowKernels<Real>::row_products(last_.weight(pass), width_, pairs, features, pair_value);
  std::fill(logits.begin(), logits.end(), Real{0});
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    logits[pair_action_[pair]] += pair_value[pair] + last_.bias(pass)[pairs[pair]];
  }
  const double loss = cross_entropy(
      logits, [&](std::size_t i) { return batch.target(begin + i); }, weight);

  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    pair_value[pair] = logits[pair_action_[pair]];
    last_.d_bias(pass)[pairs[pair]] += pair_value[pair];
  }
  RowKernels<Real>::add_to_rows(features, width_, pairs, pair_value, last_.d_weight(pass));
  std::fill_n(d_features, width_, Real{0});
  RowKernels<Real>::add_weighted_rows(last_.weight(pass), width_, pairs, pair_value, d_features);
  return loss;
}

template <class Real>
double PolicyHead<Real>::learn(const Pass<Real>& pass, const TrainBatch& batch, std::size_t first,
                               const Real* trunk, Real weight, Real* d_trunk) {
  Pass<Real> mine = pass;
  mine.rows = 0;
  Real* my_trunk = pass.scratch->at(trunk_);
  for (std::size_t row = 0; row < pass.rows; ++row) {
    if (batch.first_action(first + row) == batch.first_action(first + row + 1)) continue;
    std::copy_n(trunk + row * width_, width_, my_trunk + mine.rows * width_);
    rows_[mine.rows++] = static_cast<std::uint32_t>(row);
  }
  if (mine.rows == 0) return 0;

  const Real* features = tower_.forward(mine, my_trunk);
  double loss = 0;
  for (std::size_t row = 0; row < mine.rows; ++row) {
    loss += learn_row(mine, batch, first + rows_[row], features + row * width_, weight,
                      pass.work + row * width_);
  }
  const Real* d_input = tower_.backward(mine, my_trunk);
  for (std::size_t row = 0; row < mine.rows; ++row) {
    Real* d_row = d_trunk + rows_[row] * width_;
    RowKernels<Real>::add_row(d_row, d_input + row * width_, 1, width_, d_row);
  }
  return loss;
}

template class ValueHead<float>;
template class ValueHead<double>;
template class PolicyHead<float>;
template class PolicyHead<double>;

}  // namespace senet
