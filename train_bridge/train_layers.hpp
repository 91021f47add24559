// The layers of a network as the trainer sees them: where their parameters lie, what their forward
// pass keeps, and their backward passes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/network_spec.hpp"
#include "train_bridge/scratch.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// What every layer needs while one group of rows passes: the flat parameter block, the gradient
/// block of the same layout (layers add to it), the scratch memory, the number of rows, and two
/// spare [rows, width] blocks that hold nothing from one call to the next.
template <class Real>
struct Pass {
  const Real* parameters;
  Real* gradient;
  ScratchPool<Real>* scratch;
  std::size_t rows;
  Real* work;
  Real* spare;
};

/// Finds tensors by name and plans scratch memory while a network is put together.
template <class Real>
struct LayerPlan {
  std::vector<TensorPlace> layout;
  ScratchPool<Real>* scratch;
  std::size_t rows;  // most rows of one pass

  /// Place of the tensor called `layer` + `suffix`, which must exist.
  const TensorPlace& tensor(const std::string& layer, std::string_view suffix) const;
};

/// Linear: output = input x weight^T + bias.
template <class Real>
class LinearLayer {
 public:
  LinearLayer(const LayerPlan<Real>& plan, const std::string& name);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }
  const Real* weight(const Pass<Real>& pass) const { return pass.parameters + weight_; }
  const Real* bias(const Pass<Real>& pass) const { return pass.parameters + bias_; }
  Real* d_weight(const Pass<Real>& pass) const { return pass.gradient + weight_; }
  Real* d_bias(const Pass<Real>& pass) const { return pass.gradient + bias_; }

  /// output[rows, outputs] from input[rows, inputs]; with `residual`[rows, outputs] added when not
  /// null.
  void forward(const Pass<Real>& pass, const Real* input, const Real* residual, Real* output) const;

  /// Adds the gradients of weight and bias, and writes d_input[rows, inputs], or adds to it when
  /// `add`.
  void backward(const Pass<Real>& pass, const Real* input, const Real* d_output, bool add,
                Real* d_input) const;

 private:
  std::size_t weight_, bias_, inputs_, outputs_;
};

/// LayerNorm, then ReLU. Keeps its input, output and row statistics for the backward pass.
template <class Real>
class NormLayer {
 public:
  /// `input`: where its input lies; a new piece when nothing is given.
  NormLayer(const LayerPlan<Real>& plan, const std::string& name,
            std::optional<ScratchPiece> input = {});

  ScratchPiece output_piece() const { return output_; }
  /// [rows, width]: written by the layer before, read again by backward().
  Real* input(const Pass<Real>& pass) const { return pass.scratch->at(input_); }
  Real* output(const Pass<Real>& pass) const { return pass.scratch->at(output_); }

  void forward(const Pass<Real>& pass) const;

  /// Adds the gradients of scale and shift, and writes d_input[rows, width] (which may be
  /// d_output), or adds to it when `add`.
  void backward(const Pass<Real>& pass, const Real* d_output, bool add, Real* d_input) const;

 private:
  std::size_t scale_, shift_, width_;
  ScratchPiece input_, output_, mean_, inverse_deviation_;
};

/// The layers between the trunk and a head's last Linear: `layers` times Linear, LayerNorm, ReLU.
template <class Real>
class Tower {
 public:
  Tower(const LayerPlan<Real>& plan, const std::string& head, std::size_t layers);

  /// Returns its output [rows, width], which is `input` itself when there are no layers.
  const Real* forward(const Pass<Real>& pass, const Real* input) const;

  /// Expects the gradient of its output in pass.work. Returns which of pass.work and pass.spare
  /// then holds the gradient of its input, [rows, width] either way.
  const Real* backward(const Pass<Real>& pass, const Real* input) const;

 private:
  struct Layer {
    LinearLayer<Real> linear;
    NormLayer<Real> norm;
  };
  std::vector<Layer> layers_;
};

/// The first Linear, over sparse features: only the weight columns of non-zero features are
/// touched. Works on a copy of the weight transposed to [features, outputs], made once a step.
template <class Real>
class SparseInputLayer {
 public:
  SparseInputLayer(const LayerPlan<Real>& plan, const std::string& name, std::size_t max_active);

  /// Transposes the weight and zeroes the gradient. Before the step's first pass.
  void begin_step(const Pass<Real>& pass) const;

  /// output[rows, outputs] of the batch's rows [first, first + rows).
  void forward(const Pass<Real>& pass, const TrainBatch& batch, std::size_t first,
               Real* output) const;

  /// Adds the gradients of weight and bias.
  void backward(const Pass<Real>& pass, const TrainBatch& batch, std::size_t first,
                const Real* d_output) const;

  /// Writes the gradient of the weight to its place. After the step's last pass.
  void end_step(const Pass<Real>& pass) const;

 private:
  const Real* values(const Pass<Real>& pass, std::span<const float> value) const;

  LinearLayer<Real> linear_;
  ScratchPiece transposed_, d_transposed_, values_;
};

}  // namespace senet
