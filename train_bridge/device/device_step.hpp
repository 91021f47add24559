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
///   multiply(product)
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
    forward(batch);
    backward();
    update(batch);
  }

  /// Its first half alone, for tests: the gradient in parameter_layout's order.
  void gradient(BatchView batch, std::span<Real> flat);

 private:
  template <class Value>
  using Buffer = typename Device::template Buffer<Value>;

  struct Linear {
    DeviceTensor weight, bias;
  };
  /// A LayerNorm with ReLU: its parameters, and what its backward pass needs.
  struct Norm {
    DeviceTensor scale, shift;
    Buffer<Real> x, mean, inverse;
    Buffer<Operand> y;
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
            Buffer<Operand>(rows_ * stride_)};
  }
  Head head(const std::string& name, std::size_t layers, std::size_t outputs) const;

  const Real* weights(const DeviceTensor& tensor) const { return weight_.data() + tensor.offset; }
  Real* gradients(const DeviceTensor& tensor) { return gradient_.data() + tensor.offset; }
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

  void forward(BatchView batch);
  void backward();
  void update(BatchView batch);

  /// out = in * weight^T; the bias is added by whoever reads it.
  void apply(const Linear& layer, Matrix<const Operand> in, Matrix<Real> out) {
    device_.multiply(Product<Real, Operand>{in, false, matrix(layer.weight), true, out, false});
  }
  /// Gradients of weight and bias, and d_in (null: nobody asks) = or += d_out * weight.
  void apply_backward(const Linear& layer, Matrix<const Operand> in, Matrix<const Operand> d_out,
                      Real* d_in, bool add);
  /// x = product + bias + residual and what follows; see NormForward.
  void normalise(Norm& norm, const Real* product, const Linear* linear, const Real* residual,
                 Real* stream);
  /// From d_y to d_x in d_operand_, and to d_stream if not null; see NormBackward.
  void normalise_backward(const Norm& norm, const Real* d_y, Real* d_stream, bool add);
  const Operand* run_tower(Head& head);
  void run_tower_backward(Head& head, bool add);
  void add_up(std::size_t chunks, std::size_t width, const Real* sums, Real* gradient) {
    device_.each_column(1, width, AddChunks<Real>{sums, chunks, width, gradient});
  }

  Device& device_;
  ParameterPlan plan_;
  TrainerSettings settings_;
  OptimizerSettings optimizer_settings_;
  TrainBatch::Shape shape_;
  std::size_t rows_, width_, stride_, features_, chunks_;

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
  Buffer<Real> d_y_, d_trunk_, d_stream_;  // [rows, stride]
  Buffer<Operand> d_operand_;              // [rows, stride]
  Buffer<Real> sums_, more_sums_;          // [chunks, widest]
  Buffer<double> squares_;
};

}  // namespace senet

#include "train_bridge/device/device_step.inl"
