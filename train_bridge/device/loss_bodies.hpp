// Kernel bodies at both ends of the network: dense inputs from sparse rows, and the gradients of
// the two cross entropies with respect to the logits.
#pragma once

#include "senet/game.hpp"
#include "train_bridge/device/batch_view.hpp"

namespace senet {

/// Writes the sparse features of a row to a dense one.
template <class Operand>
struct SpreadFeatures {
  BatchView batch;
  Operand* features;  // [rows, stride]
  std::size_t stride;

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t row) const {
    Operand* const to = features + row * stride;
    for (std::size_t i = group.lane(); i < stride; i += group.lanes()) {
      to[i] = static_cast<Operand>(0.0f);
    }
    group.meet();
    const SampleView sample = batch.sample(row);
    const std::uint16_t* const index = sample.index();
    const float* const value = sample.value();
    const std::size_t entries = sample.header().entries;
    for (std::size_t i = group.lane(); i < entries; i += group.lanes()) {
      to[index[i]] = static_cast<Operand>(value[i]);
    }
  }
};

/// Softmax and cross entropy in nats of `count` values; a lane owns the values at lane, lane +
/// lanes ... Replaces each value by share * (softmax * sum of targets - target). The gradient is
/// exact even if the targets do not add up to one.
template <class Real, class Group, class Target>
SENET_DEVICE Real cross_entropy_of_row(const Group& group, Real* values, std::size_t count,
                                       const Target& target, Real share) {
  Real largest = static_cast<Real>(-1e30);
  for (std::size_t i = group.lane(); i < count; i += group.lanes()) {
    largest = values[i] > largest ? values[i] : largest;
  }
  largest = group.largest(largest);
  Real sum = 0, target_sum = 0, expected = 0;
  for (std::size_t i = group.lane(); i < count; i += group.lanes()) {
    const Real shifted = values[i] - largest, wanted = static_cast<Real>(target(i));
    target_sum += wanted;
    expected += wanted * shifted;
    sum += values[i] = std::exp(shifted);
  }
  sum = group.sum(sum);
  target_sum = group.sum(target_sum);
  expected = group.sum(expected);
  const Real scale = target_sum / sum;
  for (std::size_t i = group.lane(); i < count; i += group.lanes()) {
    values[i] = share * (values[i] * scale - static_cast<Real>(target(i)));
  }
  return target_sum * std::log(sum) - expected;
}

/// The value loss of a row, and its gradient with respect to the logits.
template <class Real, class Operand>
struct ValueLoss {
  BatchView batch;
  Real* logits;      // [rows, stride]: overwritten
  const Real* bias;  // [outcomes]
  std::size_t outcomes, stride;
  Real weight;        // of the value loss
  const Real* scale;  // loss scale of all losses, see FinishGradient
  Operand* d_logits;  // [rows, stride], zero after the outcomes
  Real* losses;       // [rows]

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t row) const {
    Real* const values = logits + row * stride;
    for (std::size_t i = group.lane(); i < outcomes; i += group.lanes()) values[i] += bias[i];
    const float* const targets = batch.sample(row).outcomes();
    const Real own_weight = static_cast<Real>(batch.weight(row));
    const Real share = weight * own_weight * *scale / static_cast<Real>(batch.header().rows);
    const Real loss = cross_entropy_of_row(
        group, values, outcomes, [&](std::size_t i) { return targets[i]; }, share);
    for (std::size_t i = group.lane(); i < stride; i += group.lanes()) {
      d_logits[row * stride + i] = static_cast<Operand>(i < outcomes ? values[i] : Real{0});
    }
    if (group.lane() == 0) losses[row] = own_weight * loss;
  }
};

/// The policy loss of a row over its actions in the batch only, and its gradient with respect to
/// the logits. An action's logit is the sum of some of the network's logits.
template <class Real, class Operand>
struct PolicyLoss {
  BatchView batch;
  Real* logits;        // [rows, stride]: overwritten
  const Real* bias;    // [stride]
  std::size_t stride;  // >= policy logits
  std::size_t per_action;
  Real weight;
  const Real* scale;
  Real* action_values;  // [actions], scratch
  Operand* d_logits;    // [rows, stride]
  Real* losses;         // [rows]

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t row) const {
    Real* const values = logits + row * stride;
    Operand* const d_values = d_logits + row * stride;
    const SampleView sample = batch.sample(row);
    const std::size_t actions = sample.header().actions;
    const std::uint16_t* const numbers = sample.logit();
    Real* const own = action_values + batch.first_action(row);
    for (std::size_t action = group.lane(); action < actions; action += group.lanes()) {
      Real sum = 0;
      for (std::size_t i = action * per_action; i < (action + 1) * per_action; ++i) {
        if (numbers[i] != kNoLogit) sum += values[numbers[i]] + bias[numbers[i]];
      }
      own[action] = sum;
    }
    Real loss = 0;
    if (actions > 0) {
      const float* const targets = sample.target();
      const Real own_weight = static_cast<Real>(batch.weight(row));
      const Real share =
          weight * own_weight * *scale / static_cast<Real>(batch.header().policy_rows);
      loss =
          own_weight * cross_entropy_of_row(
                           group, own, actions, [&](std::size_t i) { return targets[i]; }, share);
    }
    // Touches only the few logits of the row's hundreds that belong to an action.
    const std::size_t pairs = actions * per_action;
    group.meet();
    for (std::size_t i = group.lane(); i < stride; i += group.lanes()) {
      d_values[i] = static_cast<Operand>(Real{0});
    }
    each_logit(group, numbers, pairs, [&](std::size_t logit) { values[logit] = 0; });
    group.meet();
    spread(group, numbers, pairs, own, values);
    group.meet();
    each_logit(group, numbers, pairs,
               [&](std::size_t logit) { d_values[logit] = static_cast<Operand>(values[logit]); });
    if (group.lane() == 0) losses[row] = loss;
  }

 private:
  /// Visits a logit once for each action that shares it, possibly in several lanes at the same
  /// time, so `use` must be idempotent.
  template <class Group, class Use>
  SENET_DEVICE static void each_logit(const Group& group, const std::uint16_t* numbers,
                                      std::size_t pairs, const Use& use) {
    for (std::size_t i = group.lane(); i < pairs; i += group.lanes()) {
      if (numbers[i] != kNoLogit) use(numbers[i]);
    }
  }
  /// Several actions may share a logit: one lane adds to each logit, in the order of the actions,
  /// so that the sum is repeatable.
  template <class Group>
  SENET_DEVICE void spread(const Group& group, const std::uint16_t* numbers, std::size_t pairs,
                           const Real* own, Real* values) const {
    for (std::size_t begin = 0; begin < pairs; begin += group.lanes()) {
      const std::size_t mine = begin + group.lane();
      const std::uint16_t number = mine < pairs ? numbers[mine] : kNoLogit;
      const Real gradient = mine < pairs ? own[mine / per_action] : Real{0};
      for (std::size_t from = 0; from < group.lanes(); ++from) {
        const std::uint16_t to = group.broadcast(number, from);
        const Real added = group.broadcast(gradient, from);
        if (to != kNoLogit && to % group.lanes() == group.lane()) values[to] += added;
      }
    }
  }
};

/// The loss of a row of a dueling network, see TrainNetwork::duel, and its gradient with respect to
/// the logits of both heads. A lane owns the outcomes at lane, lane + lanes ... and their
/// advantages.
template <class Real, class Operand>
struct DuelingLoss {
  struct Logits {
    Real* values;  // [rows, stride]: overwritten
    const Real* bias;
    std::size_t stride;
    Operand* gradient;  // [rows, stride]
  };
  BatchView batch;
  Logits value, policy;
  std::size_t outcomes, per_action;
  Real weight;        // of the value loss
  const Real* scale;  // see ValueLoss
  Real* losses;       // [rows]

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t row) const {
    Real* const values = value.values + row * value.stride;
    Real* const advantages = policy.values + row * policy.stride;
    const SampleView sample = batch.sample(row);
    const std::size_t actions = sample.header().actions;
    for (std::size_t i = group.lane(); i < outcomes; i += group.lanes()) {
      Real sum = values[i] + value.bias[i];
      each_advantage(sample, i, [&](std::size_t at, Real share) {
        sum += share * (advantages[at] + policy.bias[at]);
      });
      values[i] = sum;
    }
    Real loss = 0;
    if (actions > 0) {
      const float* const targets = sample.outcomes();
      const Real own_weight = static_cast<Real>(batch.weight(row));
      const Real share = weight * own_weight * *scale / static_cast<Real>(batch.header().rows);
      loss = own_weight *
             cross_entropy_of_row(
                 group, values, outcomes, [&](std::size_t i) { return targets[i]; }, share);
    }
    for (std::size_t i = group.lane(); i < value.stride; i += group.lanes()) {
      const bool learns = actions > 0 && i < outcomes;
      value.gradient[row * value.stride + i] = static_cast<Operand>(learns ? values[i] : Real{0});
    }
    Operand* const d_advantages = policy.gradient + row * policy.stride;
    for (std::size_t i = group.lane(); i < policy.stride; i += group.lanes()) {
      d_advantages[i] = static_cast<Operand>(Real{0});
    }
    group.meet();
    for (std::size_t i = group.lane(); i < outcomes; i += group.lanes()) {
      // Several actions may share an advantage.
      each_advantage(sample, i, [&](std::size_t at, Real) { advantages[at] = 0; });
      each_advantage(sample, i,
                     [&](std::size_t at, Real share) { advantages[at] += share * values[i]; });
      each_advantage(sample, i, [&](std::size_t at, Real) {
        d_advantages[at] = static_cast<Operand>(advantages[at]);
      });
    }
    if (group.lane() == 0) losses[row] = loss;
  }

 private:
  /// Calls use(place, share) for the advantages for an outcome: the share is the action's target
  /// minus its part in the mean.
  template <class Use>
  SENET_DEVICE void each_advantage(const SampleView& sample, std::size_t outcome,
                                   const Use& use) const {
    const std::size_t actions = sample.header().actions;
    const std::uint16_t* const numbers = sample.logit();
    for (std::size_t i = 0; i < actions * per_action; ++i) {
      if (numbers[i] == kNoLogit) continue;
      const Real target = static_cast<Real>(sample.target()[i / per_action]);
      use(numbers[i] * outcomes + outcome, target - Real{1} / static_cast<Real>(actions));
    }
  }
};

}  // namespace senet
