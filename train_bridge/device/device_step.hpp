// One training step as a device carries it out: which kernels and products, in which order, on
// which memory. The order never changes, so a device may record it once and replay it.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "train_bridge/device/loss_bodies.hpp"
#include "train_bridge/device/norm_bodies.hpp"
#include "train_bridge/device/optimizer_bodies.hpp"
#include "train_bridge/device/parameter_plan.hpp"
#include "train_bridge/device/product.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// The memory of a network in training, and its step. A Device offers
///   Buffer<Value>(count)                     zeroed memory of its own, with data() and size()
///   to_device(span, buffer), to_host(buffer, span)
///   each_row(rows, body)                     body(group, row), a group for each row
///   each_column(chunks, columns, body)       body(chunk, column), a thread for each pair
///   each_row_and_column(rows, body, chunks, columns, body)
///                                            both in one go; neither reads what the other writes
///   multiply(product)
///   aside(task)                              what `task` tells may run beside what is told next,
///                                            until await() of the token that this returns; what
///                                            was told before it, also aside, is seen by it
/// and does or records them in the order told. Rows pass all at once: with the capacity's rows,
/// those behind the batch's being empty.
///
///   Real     sums, statistics, gradients, master weights, the residual stream
///   Operand  what matrix products read
template <class Device, class Real, class Operand>
class DeviceStep {
 public:
  DeviceStep(Device& device, const NetworkSpec& spec, const TrainBatch::Shape& shape,
             const TrainerSettings& settings, std::uint32_t scale_patience);

  /// The state of a trainer, in parameter_layout's order. Waits for the device.
  TrainerState state();
  void restore(const TrainerState& state);
  /// Of the last step. The first waits for the device, the second says where it lies there.
  OptimizerState<Real> optimizer();
  const OptimizerState<Real>* optimizer_on_device() const { return state_.data(); }

  /// The whole step on a batch in the device's memory.
  void run(BatchView batch) {
    differentiate(batch);
    update(batch);
  }

  /// Its first half alone, for tests: the gradient in parameter_layout's order.
  void gradient(BatchView batch, std::span<Real> flat);

 private:
  template <class Value>
  using Buffer = typename Device::template Buffer<Value>;
  using Token = typename Device::Token;
  /// A bias whose gradient is not summed up yet: the sums need no kernel of their own where one
  /// that sums up columns follows.
  using Bias = ColumnSums<Real, Operand>;

  struct Linear {
    DeviceTensor weight, bias;
  };
  /// A LayerNorm with ReLU: its parameters, and what its backward pass needs.
  struct Norm {
    DeviceTensor scale, shift;
    Buffer<Real> x, mean, inverse;
    Buffer<Operand> y, d_x;
  };
  /// Linear and norm of one layer of a tower.
  struct Layer {
    Linear linear;
    Norm norm;
  };
  struct Head {
    std::vector<Layer> layers;
    Linear out;
    std::size_t outputs;  // padded
    Buffer<Real> logits;
    Buffer<Operand> d_logits;
    Buffer<Real> losses;
    Buffer<Real> d_y;  // [rows, stride]
  };
  struct Block {
    Norm norm1;
    Linear linear1;
    Norm norm2;
    Linear linear2;
  };

  Linear linear(const std::string& name) const {
    return {plan_.tensor(name + ".weight"), plan_.tensor(name + ".bias")};
  }
  Norm norm(const std::string& name) const {
    return {plan_.tensor(name + ".weight"),
            plan_.tensor(name + ".bias"),
            Buffer<Real>(rows_ * stride_),
            Buffer<Real>(rows_),
            Buffer<Real>(rows_),
            Buffer<Operand>(rows_ * stride_),
            Buffer<Operand>(rows_ * stride_)};
  }
  Head head(const std::string& name, std::size_t layers, std::size_t outputs) const;

  const Real* weights(const DeviceTensor& tensor) const { return weight_.data() + tensor.offset; }
  Real* gradients(const DeviceTensor& tensor) { return gradient_.data() + tensor.offset; }
  /// Where the chunks' sums of a vector's gradient go.
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
  Matrix<Value> wide(Value* rows) const {
    return {rows, rows_, stride_, stride_};
  }
  Matrix<const Operand> wide(const Buffer<Operand>& rows) const { return wide(rows.data()); }

  /// All gradients.
  void differentiate(BatchView batch) {
    forward(batch);
    value_done_ = device_.aside([this, batch] { run_value(batch); });
    run_policy(batch);
    backward();
  }
  void forward(BatchView batch);
  void run_value(BatchView batch);
  void run_policy(BatchView batch);
  void backward();
  void update(BatchView batch);

  /// out = in * weight^T; the bias is added by whoever reads it.
  void apply(const Linear& layer, Matrix<const Operand> in, Matrix<Real> out) {
    device_.multiply(Product<Real, Operand>{in, false, matrix(layer.weight), true, out, false});
  }
  /// The gradient of the weight, aside, and that of the bias when the next kernel passes by.
  Token learn(const Linear& layer, Matrix<const Operand> in, Matrix<const Operand> d_out,
              Bias& waiting);
  /// d_in = or += d_out * weight.
  void apply_backward(const Linear& layer, Matrix<const Operand> d_out, Real* d_in, bool add) {
    device_.multiply(
        Product<Real, Operand>{d_out, false, matrix(layer.weight), false, wide(d_in), add});
  }
  /// x = product + bias + residual and what follows; see NormForward.
  void normalise(Norm& norm, const Real* product, const Linear* linear, const Real* residual,
                 Real* stream);
  /// From d_y to norm.d_x, which is returned, and to d_stream if not null; see NormBackward. The
  /// waiting bias, if any, is served by the way.
  Matrix<const Operand> normalise_backward(Norm& norm, const Real* d_y, Real* d_stream, bool add,
                                           Bias& waiting);
  void run_tower(Head& head);
  /// From the head's logits to the gradient of its first Linear's output, which is returned.
  Matrix<const Operand> run_tower_backward(Head& head, Bias& waiting);
  const Linear& first_linear(const Head& head) const {
    return head.layers.empty() ? head.out : head.layers.front().linear;
  }
  void serve(Bias& waiting);

  Device& device_;
  ParameterPlan plan_;
  TrainerSettings settings_;
  OptimizerSettings optimizer_settings_;
  TrainBatch::Shape shape_;
  std::size_t rows_, width_, stride_, features_;
  Chunks chunks_;

  Buffer<Real> weight_, average_, first_, second_, gradient_;
  Buffer<Operand> operand_;  // the weights once more, unless Operand is Real
  Buffer<OptimizerState<Real>> state_;

  Linear input_;
  Norm input_norm_;
  std::vector<Block> blocks_;
  Norm trunk_norm_;
  Head policy_, value_;

  Buffer<Operand> spread_;  // [rows, features]
  Buffer<Real> stream_;     // [rows, stride]: what the first norm of all makes
  Buffer<Real> action_values_;
  Buffer<Real> branch_;              // [rows, stride]: what a block adds to the stream
  Buffer<Real> d_trunk_, d_stream_;  // [rows, stride]
  Buffer<Real> sums_;                // [chunks, vectors' values]
  Buffer<double> step_sums_;
  Token value_done_{};  // of the step under way
  Bias waiting_;
};

}  // namespace senet

#include "train_bridge/device/device_step.inl"
