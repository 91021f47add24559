#include "train_bridge/train_layers.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/row_kernels.hpp"

namespace senet {

template <class Real>
const TensorPlace& LayerPlan<Real>::tensor(const std::string& layer,
                                           std::string_view suffix) const {
  const std::string name = layer + std::string(suffix);
  const auto found = std::find_if(layout.begin(), layout.end(),
                                  [&](const TensorPlace& place) { return place.name == name; });
  assert(found != layout.end());
  return *found;
}

template <class Real>
LinearLayer<Real>::LinearLayer(const LayerPlan<Real>& plan, const std::string& name)
    : weight_(plan.tensor(name, ".weight").offset),
      bias_(plan.tensor(name, ".bias").offset),
      inputs_(plan.tensor(name, ".weight").columns),
      outputs_(plan.tensor(name, ".weight").rows) {}

template <class Real>
void LinearLayer<Real>::forward(const Pass<Real>& pass, const Real* input, const Real* residual,
                                Real* output) const {
  if (residual == nullptr) {
    RowKernels<Real>::fill_rows(bias(pass), pass.rows, outputs_, output);
  } else {
    RowKernels<Real>::add_row(residual, bias(pass), pass.rows, outputs_, output);
  }
  add_linear(input, weight(pass), pass.rows, inputs_, outputs_, output);
}

template <class Real>
void LinearLayer<Real>::backward(const Pass<Real>& pass, const Real* input, const Real* d_output,
                                 bool add, Real* d_input) const {
  RowKernels<Real>::add_column_sums(d_output, pass.rows, outputs_, d_bias(pass));
  add_linear_weight_gradient(d_output, input, pass.rows, inputs_, outputs_, d_weight(pass));
  linear_input_gradient(d_output, weight(pass), pass.rows, inputs_, outputs_, add, d_input);
}

template <class Real>
NormLayer<Real>::NormLayer(const LayerPlan<Real>& plan, const std::string& name,
                           std::optional<ScratchPiece> input)
    : scale_(plan.tensor(name, ".weight").offset),
      shift_(plan.tensor(name, ".bias").offset),
      width_(plan.tensor(name, ".weight").columns),
      input_(input ? *input : plan.scratch->reserve(plan.rows * width_)),
      output_(plan.scratch->reserve(plan.rows * width_)),
      mean_(plan.scratch->reserve(plan.rows)),
      inverse_deviation_(plan.scratch->reserve(plan.rows)) {}

template <class Real>
void NormLayer<Real>::forward(const Pass<Real>& pass) const {
  RowKernels<Real>::norm_relu_forward(
      input(pass), pass.parameters + scale_, pass.parameters + shift_, pass.rows, width_,
      pass.scratch->at(mean_), pass.scratch->at(inverse_deviation_), output(pass));
}

template <class Real>
void NormLayer<Real>::backward(const Pass<Real>& pass, const Real* d_output, bool add,
                               Real* d_input) const {
  const NormRelu<Real> forward{input(pass), output(pass), pass.parameters + scale_,
                               pass.scratch->at(mean_), pass.scratch->at(inverse_deviation_)};
  RowKernels<Real>::norm_relu_backward(forward, pass.rows, width_, d_output, pass.gradient + scale_,
                                       pass.gradient + shift_, add, d_input);
}

template <class Real>
Tower<Real>::Tower(const LayerPlan<Real>& plan, const std::string& head, std::size_t layers) {
  for (std::size_t i = 0; i < layers; ++i) {
    const std::string name = head + "." + std::to_string(i);
    layers_.push_back(
        {LinearLayer<Real>(plan, name + ".linear"), NormLayer<Real>(plan, name + ".norm")});
  }
}

template <class Real>
const Real* Tower<Real>::forward(const Pass<Real>& pass, const Real* input) const {
  for (const Layer& layer : layers_) {
    layer.linear.forward(pass, input, nullptr, layer.norm.input(pass));
    layer.norm.forward(pass);
    input = layer.norm.output(pass);
  }
  return input;
}

template <class Real>
const Real* Tower<Real>::backward(const Pass<Real>& pass, const Real* input) const {
  Real* d_output = pass.work;
  Real* spare = pass.spare;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    layers_[i].norm.backward(pass, d_output, false, d_output);
    const Real* layer_input = i == 0 ? input : layers_[i - 1].norm.output(pass);
    layers_[i].linear.backward(pass, layer_input, d_output, false, spare);
    std::swap(d_output, spare);
  }
  return d_output;
}

template <class Real>
SparseInputLayer<Real>::SparseInputLayer(const LayerPlan<Real>& plan, const std::string& name,
                                         std::size_t max_active)
    : linear_(plan, name),
      transposed_(plan.scratch->reserve(linear_.inputs() * linear_.outputs())),
      d_transposed_(plan.scratch->reserve(linear_.inputs() * linear_.outputs())),
      values_(plan.scratch->reserve(max_active)) {}

template <class Real>
void SparseInputLayer<Real>::begin_step(const Pass<Real>& pass) const {
  RowKernels<Real>::transpose(linear_.weight(pass), linear_.inputs(), linear_.outputs(),
                              pass.scratch->at(transposed_));
  std::fill_n(pass.scratch->at(d_transposed_), linear_.inputs() * linear_.outputs(), Real{0});
}

template <class Real>
const Real* SparseInputLayer<Real>::values(const Pass<Real>& pass,
                                           std::span<const float> value) const {
  Real* converted = pass.scratch->at(values_);
  std::copy(value.begin(), value.end(), converted);
  return converted;
}

template <class Real>
void SparseInputLayer<Real>::forward(const Pass<Real>& pass, const TrainBatch& batch,
                                     std::size_t first, Real* output) const {
  const std::size_t width = linear_.outputs();
  RowKernels<Real>::fill_rows(linear_.bias(pass), pass.rows, width, output);
  for (std::size_t row = 0; row < pass.rows; ++row) {
    RowKernels<Real>::add_weighted_rows(
        pass.scratch->at(transposed_), width, batch.index(first + row),
        values(pass, batch.value(first + row)), output + row * width);
  }
}

template <class Real>
void SparseInputLayer<Real>::backward(const Pass<Real>& pass, const TrainBatch& batch,
                                      std::size_t first, const Real* d_output) const {
  const std::size_t width = linear_.outputs();
  RowKernels<Real>::add_column_sums(d_output, pass.rows, width, linear_.d_bias(pass));
  for (std::size_t row = 0; row < pass.rows; ++row) {
    RowKernels<Real>::add_to_rows(d_output + row * width, width, batch.index(first + row),
                                  values(pass, batch.value(first + row)),
                                  pass.scratch->at(d_transposed_));
  }
}

template <class Real>
void SparseInputLayer<Real>::end_step(const Pass<Real>& pass) const {
  RowKernels<Real>::transpose(pass.scratch->at(d_transposed_), linear_.outputs(), linear_.inputs(),
                              linear_.d_weight(pass));
}

template struct LayerPlan<float>;
template struct LayerPlan<double>;
template class LinearLayer<float>;
template class LinearLayer<double>;
template class NormLayer<float>;
template class NormLayer<double>;
template class Tower<float>;
template class Tower<double>;
template class SparseInputLayer<float>;
template class SparseInputLayer<double>;

}  // namespace senet
