// One training step on a device: which kernels and products, in which order, on which memory. The
// order never changes, so a device may record it once and replay it.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <type_traits>
#include <utility>
#include <vector>

#include "nn/layer_plan.hpp"
#include "train_bridge/device/loss_bodies.hpp"
#include "train_bridge/device/norm_bodies.hpp"
#include "train_bridge/device/optimizer_bodies.hpp"
#include "train_bridge/device/parameter_plan.hpp"
#include "train_bridge/device/relu_bodies.hpp"
#include "train_bridge/gradient_plan.hpp"
#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// Enough chunks to occupy a device's threads, and few enough to add up quickly.
inline Chunks chunks_of(std::size_t rows) {
  constexpr std::size_t kSmallest = 16, kMost = 128;
  return {rows, std::max(kSmallest, (rows + kMost - 1) / kMost)};
}

/// The memory of a network in training, and its step. A Device provides
///   Buffer<Value>(count)                     its own zeroed memory, with size() and data(), which
///                                            is null when it is empty
///   to_device(span, buffer), to_host(buffer, span)
///   each_row(rows, body)                     body(group, row), a group for each row
///   each_column(chunks, columns, body)       body(chunk, column), a thread for each pair
///   each_row_and_column(rows, body, chunks, columns, body)
///                                            both in one kernel; neither reads what the other
///                                            writes
///   multiply(product)
///   aside(task)                              calls of `task` may run in parallel with later calls
///                                            until await() of the returned token; they see the
///                                            results of earlier calls, including those made aside
/// and executes or records these calls in order. A step processes all rows of the capacity at once;
/// those beyond the batch's are empty.
///
///   Real     sums, statistics, gradients, master weights, the residual stream
///   Operand  inputs of matrix products
template <class Device, class Real, class Operand>
class DeviceStep {
 public:
  DeviceStep(Device& device, const LayerPlan& plan, const TrainBatch::Shape& shape,
             const TrainerSettings& settings, std::uint32_t scale_patience)
      : device_(device),
        plan_(plan),
        settings_(settings),
        scale_patience_(scale_patience),
        shape_(shape),
        rows_(shape.rows),
        fork_(plan.fork),
        policy_(plan.policy),
        advantages_(plan.advantages()),
        chunks_(chunks_of(rows_)) {
    const GradientPlan gradients(
        plan, {.activations_in_place = false, .policy_apart = false, .outcomes_in_parallel = true});
    while (gradients_.size() < gradients.buffers) {
      gradients_.emplace_back(rows_ * padded_size(plan.widest()));
    }
    const std::vector<ValueUse> uses = plan.uses();
    for (std::size_t value = 0; value < uses.size(); ++value) {
      const std::size_t stride = padded_size(plan.size_of(value));
      const auto size_if = [&](bool needed) { return needed ? rows_ * stride : 0; };
      const bool is_linears =
          value != kFeatures && plan.layers[value - 1].kind == LayerKind::kLinear;
      values_.push_back(
          {stride, Buffer<Real>(size_if(uses[value].to_activation || plan.is_output(value))),
           Buffer<Operand>(size_if(uses[value].to_linear)), Buffer<Operand>(size_if(is_linears))});
    }
    for (const Layer& layer : plan.layers) {
      const GradientPlan::Place& gradient = gradients.layers[layer.out - 1];
      const auto place = [&](std::size_t number) {
        return number == GradientPlan::kNone ? nullptr : gradients_[number].data();
      };
      const std::size_t norm_rows = layer.kind == LayerKind::kNormRelu ? rows_ : 0;
      // A Linear with a residual writes its product to the buffer of its input's gradient, which is
      // free until the backward pass.
      Real* const product =
          layer.added == kNoValue ? values_[layer.out].real.data() : place(gradient.d_in);
      const bool has_tensors = layer.kind != LayerKind::kRelu;
      steps_.push_back({layer, has_tensors ? plan_.tensor(layer.weight) : DeviceTensor{},
                        has_tensors ? plan_.tensor(layer.bias) : DeviceTensor{},
                        Buffer<Real>(norm_rows), Buffer<Real>(norm_rows), product,
                        place(gradient.d_in), place(gradient.d_out), gradient.add});
    }
  }

  /// The state of the trainer, in the plan's order. Waits for the device.
  TrainerState state() {
    TrainerState state;
    std::vector<Real> values(plan_.size());
    for (std::size_t i = 0; i < kStateTensors.size(); ++i) {
      AlignedVector<float>& to = state.*kStateTensors[i].values;
      device_.to_host(this->*kTensors[i], std::span<Real>(values));
      to.resize(plan_.parameters());
      plan_.gather(std::span<const Real>(values), std::span<float>(to));
    }
    state.steps = optimizer().steps;
    return state;
  }
  void restore(const TrainerState& state) {
    std::vector<Real> values(plan_.size());
    for (std::size_t i = 0; i < kStateTensors.size(); ++i) {
      plan_.spread(std::span<const float>(state.*kStateTensors[i].values), std::span<Real>(values));
      device_.to_device(std::span<const Real>(values), this->*kTensors[i]);
    }
    if constexpr (!std::is_same_v<Real, Operand>) {
      std::vector<Operand> operands(plan_.size());
      plan_.spread(std::span<const float>(state.weights), std::span<Operand>(operands));
      device_.to_device(std::span<const Operand>(operands), operand_);
    }
    OptimizerState<Real> fresh;
    fresh.steps = state.steps;
    fresh.loss_scale = scale_patience_ == 0 ? Real{1} : static_cast<Real>(kLargestLossScale);
    device_.to_device(std::span<const OptimizerState<Real>>(&fresh, 1), state_);
  }

  /// The optimiser state after the last step: copied to the host (waits for the device), and its
  /// address on the device.
  OptimizerState<Real> optimizer() {
    OptimizerState<Real> state;
    device_.to_host(state_, std::span(&state, 1));
    return state;
  }
  const OptimizerState<Real>* optimizer_on_device() const { return state_.data(); }

  /// A whole step on a batch in device memory.
  void run(BatchView batch) {
    differentiate(batch);
    update(batch);
  }

  /// The first half of a step, for tests: the gradient in the plan's order.
  void gradient(BatchView batch, std::span<Real> flat) {
    differentiate(batch);
    std::vector<Real> values(plan_.size());
    device_.to_host(gradient_, std::span<Real>(values));
    plan_.gather(std::span<const Real>(values), flat);
  }

 private:
  template <class Value>
  using Buffer = typename Device::template Buffer<Value>;
  using Token = typename Device::Token;
  /// A bias whose gradient is not yet summed up. The next kernel that sums columns includes it,
  /// which saves a kernel.
  using Bias = ColumnSums<Real, Operand>;

  /// The device memory of a value, [rows, stride] each, where needed.
  struct Kept {
    std::size_t stride;
    Buffer<Real> real;          // input of activations; an output before its loss
    Buffer<Operand> operand;    // input of Linears
    Buffer<Operand> d_operand;  // the gradient of a Linear's output
  };
  struct Step {
    Layer layer;
    DeviceTensor weight, bias;   // of a norm: scale and shift
    Buffer<Real> mean, inverse;  // per row, of a norm
    Real* product;               // of a Linear, until an activation adds bias and residual
    Real *d_in, *d_out;          // see GradientPlan; null if it has none
    bool add;
  };

  const Real* weights(const DeviceTensor& tensor) const { return weight_.data() + tensor.offset; }
  Real* gradients(const DeviceTensor& tensor) { return gradient_.data() + tensor.offset; }
  /// Where the gradient of a vector is summed up per chunk.
  ChunkSums<Real> sums(const DeviceTensor& vector) {
    return {sums_.data() + (vector.offset - plan_.decaying()), plan_.vectors()};
  }
  const Operand* operands() const {
    if constexpr (std::is_same_v<Real, Operand>) {
      return weight_.data();
    } else {
      return operand_.data();
    }
  }
  Matrix<const Operand> matrix(const DeviceTensor& weight) const {
    return {operands() + weight.offset, weight.rows, weight.columns, weight.columns};
  }
  template <class Value>
  Matrix<Value> rows(Value* data, const Kept& value) const {
    return {data, rows_, value.stride, value.stride};
  }

  void differentiate(BatchView batch) {
    Kept& features = values_[kFeatures];
    device_.each_row(rows_,
                     SpreadFeatures<Operand>{batch, features.operand.data(), features.stride});
    forward(0, fork_);
    const bool has_policy = policy_ != fork_;
    if (advantages_ > 0) {
      duel(batch);
    } else if (has_policy) {
      value_done_ = device_.aside([this, batch] { run_value(batch); });
      run_policy(batch);
    } else {
      run_value(batch);
    }
    const Token trained = backward(0, fork_, waiting_);
    serve(waiting_);
    device_.each_column(
        1, plan_.vectors(),
        AddChunks<Real>{
            {sums_.data(), plan_.vectors()}, chunks_.count(), gradient_.data() + plan_.decaying()});
    device_.await(trained);
  }
  void run_value(BatchView batch) {
    forward(policy_, steps_.size());
    const Step& last = steps_.back();
    Kept& logits = values_[last.layer.out];
    device_.each_row(
        rows_, ValueLoss<Real, Operand>{
                   batch, logits.real.data(), weights(last.bias), shape_.outcomes, logits.stride,
                   static_cast<Real>(settings_.value_weight), &state_.data()->loss_scale,
                   logits.d_operand.data(), value_losses_.data()});
    Bias waiting;
    backward(policy_, steps_.size(), waiting);
    serve(waiting);
  }
  // The two heads have one loss: they part only after it.
  void duel(BatchView batch) {
    forward(fork_, policy_);
    forward(policy_, steps_.size());
    using Loss = DuelingLoss<Real, Operand>;
    const auto logits_of = [&](const Step& last) {
      Kept& logits = values_[last.layer.out];
      return typename Loss::Logits{logits.real.data(), weights(last.bias), logits.stride,
                                   logits.d_operand.data()};
    };
    device_.each_row(rows_, Loss{batch, logits_of(steps_.back()), logits_of(steps_[policy_ - 1]),
                                 shape_.outcomes, shape_.logits_per_action,
                                 static_cast<Real>(settings_.value_weight),
                                 &state_.data()->loss_scale, value_losses_.data()});
    value_done_ = device_.aside([this] {
      Bias waiting;
      backward(policy_, steps_.size(), waiting);
      serve(waiting);
    });
    backward(fork_, policy_, waiting_);
  }
  void run_policy(BatchView batch) {
    forward(fork_, policy_);
    const Step& last = steps_[policy_ - 1];
    Kept& logits = values_[policy_];
    device_.each_row(rows_,
                     PolicyLoss<Real, Operand>{batch, logits.real.data(), weights(last.bias),
                                               logits.stride, shape_.logits_per_action,
                                               static_cast<Real>(settings_.policy_weight),
                                               &state_.data()->loss_scale, action_values_.data(),
                                               logits.d_operand.data(), policy_losses_.data()});
    backward(fork_, policy_, waiting_);
  }

  /// Layers [begin, end), forward and backward. backward() returns the token of the last weight
  /// gradient, which is computed by aside().
  void forward(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      switch (steps_[i].layer.kind) {
        case LayerKind::kLinear:
          multiply(steps_[i]);
          break;
        case LayerKind::kNormRelu:
        case LayerKind::kRelu:
          activate(steps_[i]);
          break;
      }
    }
  }
  Token backward(std::size_t begin, std::size_t end, Bias& waiting) {
    Token trained{};
    for (std::size_t i = end; i-- > begin;) {
      switch (steps_[i].layer.kind) {
        case LayerKind::kLinear:
          trained = multiply_backward(steps_[i], waiting);
          break;
        case LayerKind::kNormRelu:
          normalise_backward(steps_[i], waiting);
          break;
        case LayerKind::kRelu:
          relu_backward(steps_[i], waiting);
          break;
      }
    }
    return trained;
  }

  /// product = in * weight^T; the layer that reads it adds the bias.
  void multiply(Step& step) {
    const Kept &in = values_[step.layer.in], &out = values_[step.layer.out];
    device_.multiply(Product<Real, Operand>{rows(in.operand.data(), in), false, matrix(step.weight),
                                            true, rows(step.product, out), false});
  }
  /// The gradient of the bias is summed up by a later kernel.
  Token multiply_backward(Step& step, Bias& waiting) {
    const Layer& layer = step.layer;
    const Kept &in = values_[layer.in], &out = values_[layer.out];
    const Matrix<const Operand> d_out = rows(out.d_operand.data(), out);
    assert(waiting.columns == 0);
    waiting = {d_out.data, d_out.columns, d_out.stride, chunks_, sums(step.bias)};
    const DeviceTensor& weight = step.weight;
    const Matrix<Real> d_weight{gradients(weight), weight.rows, weight.columns, weight.columns};
    const Product<Real, Operand> learn{d_out, true,     rows(in.operand.data(), in),
                                       false, d_weight, false};
    const Token trained = device_.aside([this, learn] { device_.multiply(learn); });
    if (layer.in == kFeatures) return trained;
    // The outcomes' layers must have written their part of this gradient.
    if (layer.in == fork_ && layer.out <= policy_) device_.await(value_done_);
    device_.multiply(
        Product<Real, Operand>{d_out, false, matrix(weight), false, rows(step.d_in, in), step.add});
    return trained;
  }

  /// x = product + bias + residual, then norm and ReLU, or ReLU alone; see NormForward and
  /// ReluForward.
  void activate(Step& step) {
    Kept &in = values_[step.layer.in], &out = values_[step.layer.out];
    const Step& before = steps_[step.layer.in - 1];
    const bool is_linear = before.layer.kind == LayerKind::kLinear;
    const Real* const bias = is_linear ? weights(before.bias) : nullptr;
    const std::size_t added = before.layer.added;
    const Real* const residual = added == kNoValue ? nullptr : values_[added].real.data();
    if (step.layer.kind == LayerKind::kRelu) {
      device_.each_row(
          rows_, ReluForward<Real, Operand>{before.product, bias, residual, in.real.data(),
                                            out.operand.data(), out.real.data(), step.layer.outputs,
                                            in.stride});
      return;
    }
    device_.each_row(
        rows_, NormForward<Real, Operand>{before.product, bias, residual, weights(step.weight),
                                          weights(step.bias), in.real.data(), out.operand.data(),
                                          out.real.data(), step.mean.data(), step.inverse.data(),
                                          step.layer.outputs, in.stride});
  }
  void normalise_backward(Step& step, Bias& waiting) {
    Kept& in = values_[step.layer.in];
    const NormSaved<Real> saved{in.real.data(),   weights(step.weight), weights(step.bias),
                                step.mean.data(), step.inverse.data(),  step.layer.outputs,
                                in.stride};
    const BackwardColumns<Real, Operand> columns{
        {saved, step.d_out, chunks_, sums(step.weight), sums(step.bias)},
        std::exchange(waiting, {})};
    device_.each_row_and_column(
        rows_,
        NormBackward<Real, Operand>{saved, step.d_out, step.d_in, step.add, in.d_operand.data()},
        chunks_.count(), columns.columns(), columns);
  }
  void relu_backward(Step& step, Bias& waiting) {
    Kept& in = values_[step.layer.in];
    const Bias bias = std::exchange(waiting, {});
    device_.each_row_and_column(
        rows_,
        ReluBackward<Real, Operand>{in.real.data(), step.d_out, step.d_in, step.add,
                                    in.d_operand.data(), step.layer.outputs, in.stride},
        chunks_.count(), bias.columns, bias);
  }
  void serve(Bias& waiting) {
    const Bias bias = std::exchange(waiting, {});
    device_.each_column(chunks_.count(), bias.columns, bias);
  }

  void update(BatchView batch) {
    const StepSums<Real> sums{
        gradient_.data(), gradient_.size(), policy_losses_.data(), value_losses_.data(), rows_,
        step_sums_.data()};
    device_.each_row(sums.chunks(), sums);
    device_.each_row(1,
                     FinishGradient<Real>{settings_, scale_patience_, batch, sums, state_.data()});
    device_.each_column(1, plan_.size(),
                        UpdateParameter<Real, Operand>{
                            state_.data(), plan_.decaying(), gradient_.data(), weight_.data(),
                            average_.data(), first_.data(), second_.data(),
                            std::is_same_v<Real, Operand> ? nullptr : operand_.data()});
  }

  Device& device_;
  ParameterPlan plan_;
  TrainerSettings settings_;
  std::uint32_t scale_patience_;  // see FinishGradient
  TrainBatch::Shape shape_;
  std::size_t rows_, fork_, policy_, advantages_;  // rows per step; see LayerPlan
  Chunks chunks_;

  Buffer<Real> weight_{plan_.size()}, average_{plan_.size()}, first_{plan_.size()},
      second_{plan_.size()}, gradient_{plan_.size()};
  static constexpr std::array kTensors = {&DeviceStep::weight_, &DeviceStep::average_,
                                          &DeviceStep::first_, &DeviceStep::second_};
  // The weights as Operand, unless Operand is Real.
  Buffer<Operand> operand_{std::is_same_v<Real, Operand> ? 0 : plan_.size()};
  Buffer<OptimizerState<Real>> state_{1};

  std::vector<Kept> values_;             // by value number
  std::vector<Buffer<Real>> gradients_;  // of GradientPlan, [rows, widest stride] each
  std::vector<Step> steps_;              // one per layer
  Buffer<Real> policy_losses_{rows_}, value_losses_{rows_};
  Buffer<Real> action_values_{shape_.action_room};
  Buffer<Real> sums_{chunks_.count() * plan_.vectors()};  // [chunks, values of all vectors]
  Buffer<double> step_sums_{
      StepSums<Real>{nullptr, plan_.size(), nullptr, nullptr, rows_, nullptr}.chunks()};
  Token value_done_{};  // of the current step
  Bias waiting_;
};

}  // namespace senet
