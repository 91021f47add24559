// AdamW on the device, with everything that moves with it: the gradient's norm and its clip, the
// check that all is finite, the moving average, the copy that matrix products read, and the loss
// scale of half precision. The host waits for none of it.
#pragma once

#include "train_bridge/device/batch_view.hpp"

namespace senet {

/// What does not change during a run; see TrainerSettings and AdamW.
struct OptimizerSettings {
  double beta1, beta2;
  float epsilon, weight_decay;
  double ema_decay;
  double gradient_clip;
  /// Losses are multiplied by a scale so that small gradients survive half precision. It doubles
  /// after so many good steps and halves at each one that overflowed; 0: it is always 1.
  std::uint32_t scale_patience;
};

inline constexpr double kLargestLossScale = 65536;

/// What is carried from step to step, and the report of the last one.
template <class Real>
struct OptimizerState {
  std::uint64_t steps = 0;  // those that were not skipped
  Real loss_scale = 1;
  std::uint32_t good_steps = 0;  // since the scale last changed
  // Of the step under way:
  Real gradient_scale = 0;  // takes the loss scale away and clips
  Real rate = 0;
  Real first_correction = 0, second_correction = 0;
  Real average_rate = 0;
  // Its report:
  float policy_loss = 0, value_loss = 0, gradient_norm = 0;
  std::uint32_t skipped = 0;
};

/// Values that one group adds up.
inline constexpr std::size_t kSumChunk = 2048;

/// What a step has to know about all parameters and all rows, in chunks: squares of the gradient,
/// then losses of the policy, then of the value.
template <class Real>
struct StepSums {
  const Real* gradient;
  std::size_t parameters;
  const Real* policy_losses;  // [rows]
  const Real* value_losses;   // [rows]
  std::size_t rows;
  double* sums;  // [chunks()]

  SENET_DEVICE std::size_t of_parameters() const {
    return (parameters + kSumChunk - 1) / kSumChunk;
  }
  SENET_DEVICE std::size_t of_rows() const { return (rows + kSumChunk - 1) / kSumChunk; }
  SENET_DEVICE std::size_t chunks() const { return of_parameters() + 2 * of_rows(); }

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t chunk) const {
    double sum = 0;
    if (chunk < of_parameters()) {
      sum = sum_of(group, gradient, parameters, chunk, [](double value) { return value * value; });
    } else {
      chunk -= of_parameters();
      const bool policy = chunk < of_rows();
      sum = sum_of(group, policy ? policy_losses : value_losses, rows,
                   policy ? chunk : chunk - of_rows(), [](double value) { return value; });
      chunk += of_parameters();
    }
    if (group.lane() == 0) sums[chunk] = sum;
  }

 private:
  template <class Group, class Share>
  SENET_DEVICE double sum_of(const Group& group, const Real* values, std::size_t count,
                             std::size_t chunk, const Share& share) const {
    const std::size_t begin = chunk * kSumChunk;
    const std::size_t end = begin + kSumChunk < count ? begin + kSumChunk : count;
    double sum = 0;
    for (std::size_t i = begin + group.lane(); i < end; i += group.lanes()) {
      sum += share(static_cast<double>(values[i]));
    }
    return group.sum(sum);
  }
};

/// One group, once a step: from sums to the numbers that the update needs.
template <class Real>
struct FinishGradient {
  OptimizerSettings settings;
  BatchView batch;
  StepSums<Real> sums;  // made
  OptimizerState<Real>* state;

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t /*index*/) const {
    const double* const losses = sums.sums + sums.of_parameters();
    const double square = sum_of(group, sums.sums, sums.of_parameters());
    const double policy = sum_of(group, losses, sums.of_rows());
    const double value = sum_of(group, losses + sums.of_rows(), sums.of_rows());
    if (group.lane() != 0) return;
    const BatchHeader& header = batch.header();
    OptimizerState<Real> next = *state;
    const double norm = std::sqrt(square) / static_cast<double>(next.loss_scale);
    const double sum = norm + policy + value + static_cast<double>(header.learning_rate);
    // Neither infinite nor not a number.
    const bool finite = sum - sum == 0;
    next.policy_loss =
        header.policy_rows == 0 ? 0.0f : static_cast<float>(policy / header.policy_rows);
    next.value_loss = static_cast<float>(value / header.rows);
    next.gradient_norm = static_cast<float>(norm);
    next.skipped = finite ? 0 : 1;
    if (finite) {
      ++next.steps;
      const auto steps = static_cast<double>(next.steps);
      const double clip = norm > settings.gradient_clip ? settings.gradient_clip / norm : 1.0;
      next.gradient_scale = static_cast<Real>(clip / static_cast<double>(next.loss_scale));
      next.rate = static_cast<Real>(header.learning_rate);
      next.first_correction = static_cast<Real>(1 / (1 - std::pow(settings.beta1, steps)));
      next.second_correction = static_cast<Real>(1 / (1 - std::pow(settings.beta2, steps)));
      const double young = (1 + steps) / (10 + steps);  // see ema_decay_at
      next.average_rate =
          static_cast<Real>(1 - (young < settings.ema_decay ? young : settings.ema_decay));
    }
    adapt_scale(next, finite);
    *state = next;
  }

 private:
  template <class Group>
  SENET_DEVICE double sum_of(const Group& group, const double* values, std::size_t count) const {
    double sum = 0;
    for (std::size_t i = group.lane(); i < count; i += group.lanes()) sum += values[i];
    return group.sum(sum);
  }
  SENET_DEVICE void adapt_scale(OptimizerState<Real>& next, bool finite) const {
    if (settings.scale_patience == 0) return;
    if (!finite) {
      next.loss_scale = next.loss_scale > Real{1} ? next.loss_scale / 2 : Real{1};
      next.good_steps = 0;
    } else if (++next.good_steps >= settings.scale_patience) {
      const auto doubled = static_cast<double>(next.loss_scale) * 2;
      next.loss_scale =
          static_cast<Real>(doubled < kLargestLossScale ? doubled : kLargestLossScale);
      next.good_steps = 0;
    }
  }
};

/// The update of one parameter; formulas as in AdamW.
template <class Real, class Operand>
struct UpdateParameter {
  const OptimizerState<Real>* state;
  Real beta1, beta2, epsilon, weight_decay;
  std::size_t decaying;  // parameters before this one decay
  const Real* gradient;
  Real *weight, *average, *first, *second;
  Operand* operand;  // the weight in the products' precision; null when that is Real

  SENET_DEVICE void operator()(std::size_t /*chunk*/, std::size_t i) const {
    if (state->skipped != 0) return;
    const Real g = gradient[i] * state->gradient_scale;
    const Real m = kept(beta1 * first[i] + (1 - beta1) * g);
    const Real v = kept(beta2 * second[i] + (1 - beta2) * g * g);
    first[i] = m;
    second[i] = v;
    const Real deviation = std::sqrt(v * state->second_correction) + epsilon;
    const Real keep = i < decaying ? 1 - state->rate * weight_decay : Real{1};
    const Real next = keep * weight[i] - state->rate * (m * state->first_correction) / deviation;
    weight[i] = next;
    average[i] += state->average_rate * (next - average[i]);
    if (operand != nullptr) operand[i] = static_cast<Operand>(next);
  }

 private:
  /// Moments that decayed into nothing are nothing.
  SENET_DEVICE static Real kept(Real moment) {
    return moment < static_cast<Real>(1e-30) && moment > static_cast<Real>(-1e-30) ? Real{0}
                                                                                   : moment;
  }
};

}  // namespace senet
