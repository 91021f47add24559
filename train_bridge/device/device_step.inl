// The order of a step's kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "train_bridge/device/device_step.hpp"

namespace senet {

/// Chunks that are enough for all of a device's threads, and few enough to be added up.
inline Chunks chunks_of(std::size_t rows) {
  constexpr std::size_t kSmallest = 16, kMost = 128;
  return {rows, std::max(kSmallest, (rows + kMost - 1) / kMost)};
}

template <class Device, class Real, class Operand>
DeviceStep<Device, Real, Operand>::DeviceStep(Device& device, const NetworkSpec& spec,
                                              const TrainBatch::Shape& shape,
                                              const TrainerSettings& settings,
                                              std::uint32_t scale_patience)
    : device_(device),
      plan_(spec),
      settings_(settings),
      optimizer_settings_{.beta1 = static_cast<double>(settings.beta1),
                          .beta2 = static_cast<double>(settings.beta2),
                          .epsilon = settings.epsilon,
                          .weight_decay = settings.weight_decay,
                          .ema_decay = static_cast<double>(settings.ema_decay),
                          .gradient_clip = static_cast<double>(settings.gradient_clip),
                          .scale_patience = scale_patience},
      shape_(shape),
      rows_(shape.rows),
      width_(spec.width),
      stride_(padded_size(spec.width)),
      features_(padded_size(spec.features)),
      chunks_(chunks_of(rows_)),
      weight_(plan_.size()),
      average_(plan_.size()),
      first_(plan_.size()),
      second_(plan_.size()),
      gradient_(plan_.size()),
      operand_(std::is_same_v<Real, Operand> ? 0 : plan_.size()),
      state_(1),
      input_(linear("input.linear")),
      input_norm_(norm("input.norm")),
      trunk_norm_(norm("trunk.norm")),
      policy_(head("policy", spec.policy_layers, spec.policy_logits)),
      value_(head("value", spec.value_layers, spec.outcomes)),
      spread_(rows_ * features_),
      stream_(rows_ * stride_),
      action_values_(shape.action_room),
      branch_(rows_ * stride_),
      d_trunk_(rows_ * stride_),
      d_stream_(rows_ * stride_),
      sums_(chunks_.count() * plan_.vectors()),
      step_sums_(StepSums<Real>{nullptr, plan_.size(), nullptr, nullptr, rows_, nullptr}.chunks()) {
  for (std::uint32_t i = 0; i < spec.blocks; ++i) {
    const std::string name = "block." + std::to_string(i);
    blocks_.push_back({norm(name + ".norm1"), linear(name + ".linear1"), norm(name + ".norm2"),
                       linear(name + ".linear2")});
  }
}

template <class Device, class Real, class Operand>
auto DeviceStep<Device, Real, Operand>::head(const std::string& name, std::size_t layers,
                                             std::size_t outputs) const -> Head {
  const std::size_t padded = padded_size(outputs);
  Head head{{},
            linear(name + ".out"),
            padded,
            Buffer<Real>(rows_ * padded),
            Buffer<Operand>(rows_ * padded),
            Buffer<Real>(rows_),
            Buffer<Real>(layers == 0 ? 0 : rows_ * stride_)};
  for (std::size_t i = 0; i < layers; ++i) {
    const std::string layer = name + "." + std::to_string(i);
    head.layers.push_back({linear(layer + ".linear"), norm(layer + ".norm")});
  }
  return head;
}

// ---- Forward ------------------------------------------------------------------------------------

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::normalise(Norm& norm, const Real* product,
                                                  const Linear* linear, const Real* residual,
                                                  Real* stream) {
  const Real* const bias = linear == nullptr ? nullptr : weights(linear->bias);
  device_.each_row(
      rows_, NormForward<Real, Operand>{product, bias, residual, weights(norm.scale),
                                        weights(norm.shift), norm.x.data(), norm.y.data(), stream,
                                        norm.mean.data(), norm.inverse.data(), width_, stride_});
}

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::run_tower(Head& head) {
  Matrix<const Operand> in = wide(trunk_norm_.y);
  for (Layer& layer : head.layers) {
    apply(layer.linear, in, wide(layer.norm.x.data()));
    normalise(layer.norm, layer.norm.x.data(), &layer.linear, nullptr, nullptr);
    in = wide(layer.norm.y);
  }
  apply(head.out, in, {head.logits.data(), rows_, head.outputs, head.outputs});
}

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::forward(BatchView batch) {
  device_.each_row(rows_, SpreadFeatures<Operand>{batch, spread_.data(), features_});
  apply(input_, {spread_.data(), rows_, features_, features_}, wide(input_norm_.x.data()));
  normalise(input_norm_, input_norm_.x.data(), &input_, nullptr, stream_.data());
  // The residual stream passes from norm to norm: each keeps it as its input.
  const Real* product = stream_.data();
  const Real* residual = nullptr;
  const Linear* before = nullptr;
  for (Block& block : blocks_) {
    normalise(block.norm1, product, before, residual, nullptr);
    apply(block.linear1, wide(block.norm1.y), wide(block.norm2.x.data()));
    normalise(block.norm2, block.norm2.x.data(), &block.linear1, nullptr, nullptr);
    apply(block.linear2, wide(block.norm2.y), wide(branch_.data()));
    product = branch_.data();
    residual = block.norm1.x.data();
    before = &block.linear2;
  }
  normalise(trunk_norm_, product, before, residual, nullptr);
}

// ---- Heads and backward -------------------------------------------------------------------------

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::run_value(BatchView batch) {
  run_tower(value_);
  const OptimizerState<Real>* const state = state_.data();
  device_.each_row(
      rows_, ValueLoss<Real, Operand>{batch, value_.logits.data(), weights(value_.out.bias),
                                      shape_.outcomes, value_.outputs,
                                      static_cast<Real>(settings_.value_weight), &state->loss_scale,
                                      value_.d_logits.data(), value_.losses.data()});
  Bias waiting;
  const Matrix<const Operand> d_out = run_tower_backward(value_, waiting);
  apply_backward(first_linear(value_), d_out, d_trunk_.data(), false);
  serve(waiting);
}

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::run_policy(BatchView batch) {
  run_tower(policy_);
  const OptimizerState<Real>* const state = state_.data();
  device_.each_row(
      rows_, PolicyLoss<Real, Operand>{batch, policy_.logits.data(), weights(policy_.out.bias),
                                       policy_.outputs, shape_.logits_per_action,
                                       static_cast<Real>(settings_.policy_weight),
                                       &state->loss_scale, action_values_.data(),
                                       policy_.d_logits.data(), policy_.losses.data()});
  const Matrix<const Operand> d_out = run_tower_backward(policy_, waiting_);
  device_.await(value_done_);
  apply_backward(first_linear(policy_), d_out, d_trunk_.data(), true);
}

template <class Device, class Real, class Operand>
auto DeviceStep<Device, Real, Operand>::run_tower_backward(Head& head, Bias& waiting)
    -> Matrix<const Operand> {
  Matrix<const Operand> d_out{head.d_logits.data(), rows_, head.outputs, head.outputs};
  const Linear* linear = &head.out;
  for (std::size_t i = head.layers.size(); i-- > 0;) {
    Layer& layer = head.layers[i];
    learn(*linear, wide(layer.norm.y), d_out, waiting);
    apply_backward(*linear, d_out, head.d_y.data(), false);
    d_out = normalise_backward(layer.norm, head.d_y.data(), nullptr, false, waiting);
    linear = &layer.linear;
  }
  learn(*linear, wide(trunk_norm_.y), d_out, waiting);
  return d_out;
}

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::backward() {
  Matrix<const Operand> d_out =
      normalise_backward(trunk_norm_, d_trunk_.data(), d_stream_.data(), false, waiting_);
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    Block& block = blocks_[i];
    learn(block.linear2, wide(block.norm2.y), d_out, waiting_);
    apply_backward(block.linear2, d_out, branch_.data(), false);
    d_out = normalise_backward(block.norm2, branch_.data(), nullptr, false, waiting_);
    learn(block.linear1, wide(block.norm1.y), d_out, waiting_);
    apply_backward(block.linear1, d_out, branch_.data(), false);
    d_out = normalise_backward(block.norm1, branch_.data(), d_stream_.data(), true, waiting_);
  }
  d_out = normalise_backward(input_norm_, d_stream_.data(), nullptr, false, waiting_);
  const Token learnt =
      learn(input_, {spread_.data(), rows_, features_, features_}, d_out, waiting_);
  serve(waiting_);
  device_.each_column(
      1, plan_.vectors(),
      AddChunks<Real>{
          {sums_.data(), plan_.vectors()}, chunks_.count(), gradient_.data() + plan_.decaying()});
  device_.await(learnt);
}

template <class Device, class Real, class Operand>
auto DeviceStep<Device, Real, Operand>::learn(const Linear& layer, Matrix<const Operand> in,
                                              Matrix<const Operand> d_out, Bias& waiting) -> Token {
  assert(waiting.columns == 0);
  waiting = {d_out.data, d_out.columns, d_out.stride, chunks_, sums(layer.bias)};
  const DeviceTensor& weight = layer.weight;
  const Product<Real, Operand> product{
      d_out, true, in, false, {gradients(weight), weight.rows, weight.columns, weight.columns},
      false};
  return device_.aside([this, product] { device_.multiply(product); });
}

template <class Device, class Real, class Operand>
auto DeviceStep<Device, Real, Operand>::normalise_backward(Norm& norm, const Real* d_y,
                                                           Real* d_stream, bool add, Bias& waiting)
    -> Matrix<const Operand> {
  const NormSaved<Real> saved{norm.x.data(),    weights(norm.scale), weights(norm.shift),
                              norm.mean.data(), norm.inverse.data(), width_,
                              stride_};
  const BackwardColumns<Real, Operand> columns{
      {saved, d_y, chunks_, sums(norm.scale), sums(norm.shift)}, std::exchange(waiting, {})};
  device_.each_row_and_column(
      rows_, NormBackward<Real, Operand>{saved, d_y, d_stream, add, norm.d_x.data()},
      chunks_.count(), columns.columns(), columns);
  return wide(norm.d_x);
}

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::serve(Bias& waiting) {
  const Bias bias = std::exchange(waiting, {});
  device_.each_column(chunks_.count(), bias.columns, bias);
}

// ---- Update -------------------------------------------------------------------------------------

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::update(BatchView batch) {
  const StepSums<Real> sums{
      gradient_.data(), gradient_.size(), policy_.losses.data(), value_.losses.data(), rows_,
      step_sums_.data()};
  device_.each_row(sums.chunks(), sums);
  device_.each_row(1, FinishGradient<Real>{optimizer_settings_, batch, sums, state_.data()});
  device_.each_column(
      1, plan_.size(),
      UpdateParameter<Real, Operand>{
          state_.data(), static_cast<Real>(settings_.beta1), static_cast<Real>(settings_.beta2),
          static_cast<Real>(settings_.epsilon), static_cast<Real>(settings_.weight_decay),
          plan_.decaying(), gradient_.data(), weight_.data(), average_.data(), first_.data(),
          second_.data(), std::is_same_v<Real, Operand> ? nullptr : operand_.data()});
}

// ---- In and out ---------------------------------------------------------------------------------

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::gradient(BatchView batch, std::span<Real> flat) {
  differentiate(batch);
  std::vector<Real> values(plan_.size());
  device_.to_host(gradient_, std::span<Real>(values));
  plan_.gather(std::span<const Real>(values), flat);
}

template <class Device, class Real, class Operand>
OptimizerState<Real> DeviceStep<Device, Real, Operand>::optimizer() {
  OptimizerState<Real> state;
  device_.to_host(state_, std::span(&state, 1));
  return state;
}

template <class Device, class Real, class Operand>
TrainerState DeviceStep<Device, Real, Operand>::state() {
  TrainerState state;
  std::vector<Real> values(plan_.size());
  const std::array<std::pair<Buffer<Real>*, std::vector<float>*>, 4> parts{
      {{&weight_, &state.weights},
       {&average_, &state.ema},
       {&first_, &state.first_moment},
       {&second_, &state.second_moment}}};
  for (const auto& [from, to] : parts) {
    device_.to_host(*from, std::span<Real>(values));
    to->resize(plan_.parameters());
    plan_.gather(std::span<const Real>(values), std::span<float>(*to));
  }
  state.steps = optimizer().steps;
  return state;
}

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::restore(const TrainerState& state) {
  std::vector<Real> values(plan_.size());
  const std::array<std::pair<const std::vector<float>*, Buffer<Real>*>, 4> parts{
      {{&state.weights, &weight_},
       {&state.ema, &average_},
       {&state.first_moment, &first_},
       {&state.second_moment, &second_}}};
  for (const auto& [from, to] : parts) {
    plan_.spread(std::span<const float>(*from), std::span<Real>(values));
    device_.to_device(std::span<const Real>(values), *to);
  }
  if constexpr (!std::is_same_v<Real, Operand>) {
    std::vector<Operand> operands(plan_.size());
    plan_.spread(std::span<const float>(state.weights), std::span<Operand>(operands));
    device_.to_device(std::span<const Operand>(operands), operand_);
  }
  OptimizerState<Real> fresh;
  fresh.steps = state.steps;
  fresh.loss_scale =
      optimizer_settings_.scale_patience == 0 ? Real{1} : static_cast<Real>(kLargestLossScale);
  device_.to_device(std::span<const OptimizerState<Real>>(&fresh, 1), state_);
}

}  // namespace senet
