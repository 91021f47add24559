// AdamW, for the CPU and for devices, with all steps around it: the gradient's norm and clipping,
// the check for non-finite values, the moving average, the copy for matrix products, and the loss
// scale of half precision. The host waits for none of it.
#pragma once

#include "train_bridge/device/batch_view.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// Decay of the moving average at step `step` (from 1):
/// min(decay, (1 + step) / (10 + step)), so that the average forgets the random start quickly
/// instead of after 1 / (1 - decay) steps.
SENET_DEVICE inline double ema_decay_at(float decay, std::uint64_t step) {
  const auto steps = static_cast<double>(step);
  const double young = (1 + steps) / (10 + steps), old = static_cast<double>(decay);
  return young < old ? young : old;
}

/// The factors of one step, common to all parameters, and the update of one parameter. At step t,
/// with g the gradient clipped to at most settings.gradient_clip in norm (Kingma and Ba 2015;
/// Loshchilov and Hutter 2019):
///   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2
///   w = w - rate (weight_decay w + (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon))
///   average = average + (1 - ema_decay_at(t)) (w - average)
/// weight_decay is 0 for tensors that do not decay. Moments below 1e-30 become 0: otherwise they
/// would decay into denormal numbers, which are slow, and stay there.
template <class Real>
struct AdamStep {
  Real gradient_scale;  // clips, and removes the loss scale
  Real beta1, beta2, epsilon;
  Real first_correction, second_correction;  // 1 / (1 - beta^t)
  Real rate, decayed;                        // `decayed`: factor of a decaying weight
  Real average_rate;

  /// The factors of step `step` for a gradient of this norm that was multiplied by `loss_scale`.
  SENET_DEVICE static AdamStep at(const TrainerSettings& settings, std::uint64_t step, double norm,
                                  double loss_scale, float learning_rate) {
    const auto steps = static_cast<double>(step);
    const auto limit = static_cast<double>(settings.gradient_clip);
    const auto rate = static_cast<Real>(learning_rate);
    return {.gradient_scale = static_cast<Real>((norm > limit ? limit / norm : 1.0) / loss_scale),
            .beta1 = static_cast<Real>(settings.beta1),
            .beta2 = static_cast<Real>(settings.beta2),
            .epsilon = static_cast<Real>(settings.epsilon),
            .first_correction = correction(settings.beta1, steps),
            .second_correction = correction(settings.beta2, steps),
            .rate = rate,
            .decayed = 1 - rate * static_cast<Real>(settings.weight_decay),
            .average_rate = static_cast<Real>(1 - ema_decay_at(settings.ema_decay, step))};
  }

  /// `keep`: `decayed`, or 1.
  SENET_DEVICE void update(Real gradient, Real keep, Real& weight, Real& average, Real& first,
                           Real& second) const {
    const Real g = gradient * gradient_scale;
    const Real m = beta1 * first + (1 - beta1) * g;
    const Real v = beta2 * second + (1 - beta2) * g * g;
    first = std::fabs(m) < static_cast<Real>(1e-30) ? Real{0} : m;
    second = v < static_cast<Real>(1e-30) ? Real{0} : v;
    const Real deviation = std::sqrt(second * second_correction) + epsilon;
    const Real next = keep * weight - rate * (first * first_correction) / deviation;
    weight = next;
    average += average_rate * (next - average);
  }

 private:
  SENET_DEVICE static Real correction(float beta, double steps) {
    return static_cast<Real>(1 / (1 - std::pow(static_cast<double>(beta), steps)));
  }
};

inline constexpr double kLargestLossScale = 65536;

/// State carried from step to step, and the report of the last step.
template <class Real>
struct OptimizerState {
  std::uint64_t steps = 0;  // steps that were not skipped
  Real loss_scale = 1;
  std::uint32_t good_steps = 0;  // since the scale last changed
  AdamStep<Real> factors = {};   // of the current step
  // The report:
  float policy_loss = 0, value_loss = 0, gradient_norm = 0;
  std::uint32_t skipped = 0;
};

/// Values summed up by one group.
inline constexpr std::size_t kSumChunk = 2048;

/// The sum of share(value) over the values [begin, end).
template <class Group, class Real, class Share>
SENET_DEVICE double sum_over(const Group& group, const Real* values, std::size_t begin,
                             std::size_t end, const Share& share) {
  double sum = 0;
  for (std::size_t i = begin + group.lane(); i < end; i += group.lanes()) {
    sum += share(static_cast<double>(values[i]));
  }
  return group.sum(sum);
}

/// Sums over all parameters and rows that a step needs, in chunks: squares of the gradient, then
/// policy losses, then value losses.
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
    const bool squares = chunk < of_parameters(), policy = chunk < of_parameters() + of_rows();
    const Real* const values = squares ? gradient : policy ? policy_losses : value_losses;
    const std::size_t before = squares ? 0 : of_parameters() + (policy ? 0 : of_rows());
    const std::size_t count = squares ? parameters : rows, begin = (chunk - before) * kSumChunk;
    const std::size_t end = begin + kSumChunk < count ? begin + kSumChunk : count;
    const double sum = sum_over(group, values, begin, end,
                                [&](double value) { return squares ? value * value : value; });
    if (group.lane() == 0) sums[chunk] = sum;
  }
};

/// Computes the inputs of the update from the sums; run by one group, once per step.
template <class Real>
struct FinishGradient {
  TrainerSettings settings;
  /// Losses are multiplied by a scale so that small gradients survive half precision. It doubles
  /// after this many good steps and is halved after each overflow; 0: it is always 1.
  std::uint32_t scale_patience;
  BatchView batch;
  StepSums<Real> sums;  // already computed
  OptimizerState<Real>* state;

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t /*index*/) const {
    const double* const losses = sums.sums + sums.of_parameters();
    const std::size_t rows = sums.of_rows();
    const auto sum_of = [&](const double* values, std::size_t count) {
      return sum_over(group, values, 0, count, [](double value) { return value; });
    };
    const double square = sum_of(sums.sums, sums.of_parameters());
    const double policy = sum_of(losses, rows), value = sum_of(losses + rows, rows);
    if (group.lane() != 0) return;
    const BatchHeader& header = batch.header();
    OptimizerState<Real> next = *state;
    const double norm = std::sqrt(square) / static_cast<double>(next.loss_scale);
    const double sum = norm + policy + value + static_cast<double>(header.learning_rate);
    // Neither infinite nor NaN.
    const bool finite = sum - sum == 0;
    next.policy_loss =
        header.policy_rows == 0 ? 0.0f : static_cast<float>(policy / header.policy_rows);
    next.value_loss = static_cast<float>(value / header.rows);
    next.gradient_norm = static_cast<float>(norm);
    next.skipped = finite ? 0 : 1;
    if (finite) {
      ++next.steps;
      next.factors = AdamStep<Real>::at(settings, next.steps, norm,
                                        static_cast<double>(next.loss_scale), header.learning_rate);
    }
    adapt_scale(next, finite);
    *state = next;
  }

 private:
  SENET_DEVICE void adapt_scale(OptimizerState<Real>& next, bool finite) const {
    if (scale_patience == 0) return;
    if (!finite) {
      next.loss_scale = next.loss_scale > Real{1} ? next.loss_scale / 2 : Real{1};
      next.good_steps = 0;
    } else if (++next.good_steps >= scale_patience) {
      const auto doubled = static_cast<double>(next.loss_scale) * 2;
      next.loss_scale =
          static_cast<Real>(doubled < kLargestLossScale ? doubled : kLargestLossScale);
      next.good_steps = 0;
    }
  }
};

template <class Real, class Operand>
struct UpdateParameter {
  const OptimizerState<Real>* state;
  std::size_t decaying;  // parameters before this one decay
  const Real* gradient;
  Real *weight, *average, *first, *second;
  Operand* operand;  // the weight in the products' precision; null if that is Real

  SENET_DEVICE void operator()(std::size_t /*chunk*/, std::size_t i) const {
    if (state->skipped != 0) return;
    const AdamStep<Real>& step = state->factors;
    step.update(gradient[i], i < decaying ? step.decayed : Real{1}, weight[i], average[i], first[i],
                second[i]);
    if (operand != nullptr) operand[i] = static_cast<Operand>(weight[i]);
  }
};

}  // namespace senet
