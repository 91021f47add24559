// The order of a step's kernels.
#pragma once

#include <algorithm>
#include <array>

#include "train_bridge/device/device_step.hpp"

namespace senet {

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
      chunks_((rows_ + kChunkRows - 1) / kChunkRows),
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
      d_y_(rows_ * stride_),
      d_trunk_(rows_ * stride_),
      d_stream_(rows_ * stride_),
      d_operand_(rows_ * stride_),
      sums_(chunks_ * std::max({stride_, policy_.outputs, value_.outputs})),
      more_sums_(chunks_ * stride_),
      squares_((plan_.size() + kSquareChunk - 1) / kSquareChunk) {
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
            Buffer<Real>(rows_)};
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
const Operand* DeviceStep<Device, Real, Operand>::run_tower(Head& head) {
  const Operand* in = trunk_norm_.y.data();
  for (Layer& layer : head.layers) {
    apply(layer.linear, wide(in), wide(layer.norm.x.data()));
    normalise(layer.norm, layer.norm.x.data(), &layer.linear, nullptr, nullptr);
    in = layer.norm.y.data();
  }
  apply(head.out, wide(in), {head.logits.data(), rows_, head.outputs, head.outputs});
  return in;
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
    apply(block.linear1, wide(std::as_const(block.norm1.y).data()), wide(block.norm2.x.data()));
    normalise(block.norm2, block.norm2.x.data(), &block.linear1, nullptr, nullptr);
    apply(block.linear2, wide(std::as_const(block.norm2.y).data()), wide(d_y_.data()));
    product = d_y_.data();
    residual = block.norm1.x.data();
    before = &block.linear2;
  }
  normalise(trunk_norm_, product, before, residual, nullptr);

  run_tower(value_);
  const OptimizerState<Real>* const state = state_.data();
  device_.each_row(
      rows_, ValueLoss<Real, Operand>{batch, value_.logits.data(), weights(value_.out.bias),
                                      shape_.outcomes, value_.outputs,
                                      static_cast<Real>(settings_.value_weight), &state->loss_scale,
                                      value_.d_logits.data(), value_.losses.data()});
  run_tower(policy_);
  device_.each_row(
      rows_, PolicyLoss<Real, Operand>{batch, policy_.logits.data(), weights(policy_.out.bias),
                                       policy_.outputs, shape_.logits_per_action,
                                       static_cast<Real>(settings_.policy_weight),
                                       &state->loss_scale, action_values_.data(),
                                       policy_.d_logits.data(), policy_.losses.data()});
}

// ---- Backward -----------------------------------------------------------------------------------

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::apply_backward(const Linear& layer,
                                                       Matrix<const Operand> in,
                                                       Matrix<const Operand> d_out, Real* d_in,
                                                       bool add) {
  const DeviceTensor& weight = layer.weight;
  device_.multiply(
      Product<Real, Operand>{d_out,
                             true,
                             in,
                             false,
                             {gradients(weight), weight.rows, weight.columns, weight.columns},
                             false});
  device_.each_column(
      chunks_, d_out.columns,
      ColumnSums<Real, Operand>{d_out.data, rows_, d_out.columns, d_out.stride, sums_.data()});
  add_up(chunks_, d_out.columns, sums_.data(), gradients(layer.bias));
  if (d_in == nullptr) return;
  device_.multiply(Product<Real, Operand>{d_out, false, matrix(weight), false, wide(d_in), add});
}

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::normalise_backward(const Norm& norm, const Real* d_y,
                                                           Real* d_stream, bool add) {
  const NormSaved<Real> saved{norm.x.data(),    weights(norm.scale), weights(norm.shift),
                              norm.mean.data(), norm.inverse.data(), width_,
                              stride_};
  // First the columns: the rows may overwrite d_y.
  device_.each_column(chunks_, width_,
                      NormColumns<Real>{saved, d_y, rows_, sums_.data(), more_sums_.data()});
  add_up(chunks_, width_, sums_.data(), gradients(norm.scale));
  add_up(chunks_, width_, more_sums_.data(), gradients(norm.shift));
  device_.each_row(rows_,
                   NormBackward<Real, Operand>{saved, d_y, d_stream, add, d_operand_.data()});
}

// From the head's logits to the trunk's output, whose gradient it writes to d_trunk_ or adds to it.
template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::run_tower_backward(Head& head, bool add) {
  Matrix<const Operand> d_out{head.d_logits.data(), rows_, head.outputs, head.outputs};
  const Linear* linear = &head.out;
  for (std::size_t i = head.layers.size(); i-- > 0;) {
    Layer& layer = head.layers[i];
    apply_backward(*linear, wide(std::as_const(layer.norm.y).data()), d_out, d_y_.data(), false);
    normalise_backward(layer.norm, d_y_.data(), nullptr, false);
    d_out = wide(std::as_const(d_operand_).data());
    linear = &layer.linear;
  }
  apply_backward(*linear, wide(std::as_const(trunk_norm_.y).data()), d_out, d_trunk_.data(), add);
}

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::backward() {
  run_tower_backward(value_, false);
  run_tower_backward(policy_, true);
  normalise_backward(trunk_norm_, d_trunk_.data(), d_stream_.data(), false);
  const Matrix<const Operand> d_out = wide(std::as_const(d_operand_).data());
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    Block& block = blocks_[i];
    apply_backward(block.linear2, wide(std::as_const(block.norm2.y).data()), d_out, d_y_.data(),
                   false);
    normalise_backward(block.norm2, d_y_.data(), nullptr, false);
    apply_backward(block.linear1, wide(std::as_const(block.norm1.y).data()), d_out, d_y_.data(),
                   false);
    normalise_backward(block.norm1, d_y_.data(), d_stream_.data(), true);
  }
  normalise_backward(input_norm_, d_stream_.data(), nullptr, false);
  apply_backward(input_, {spread_.data(), rows_, features_, features_}, d_out, nullptr, false);
}

// ---- Update -------------------------------------------------------------------------------------

template <class Device, class Real, class Operand>
void DeviceStep<Device, Real, Operand>::update(BatchView batch) {
  device_.each_row(squares_.size(),
                   SumSquares<Real>{gradient_.data(), gradient_.size(), squares_.data()});
  device_.each_row(
      1, FinishGradient<Real>{optimizer_settings_, batch, squares_.data(), squares_.size(),
                              policy_.losses.data(), value_.losses.data(), rows_, state_.data()});
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
  forward(batch);
  backward();
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
