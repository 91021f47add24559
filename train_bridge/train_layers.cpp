#include "train_bridge/train_layers.hpp"

#include <algorithm>

#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/row_kernels.hpp"

namespace senet {

template <class Real>
void LinearLayer<Real>::forward(const Pass<Real>& pass) const {
  const std::size_t outputs = layer_.outputs;
  Real* const out = pass.at(layer_.to);
  if (layer_.added == kNoValue) {
    RowKernels<Real>::fill_rows(pass.bias(layer_), pass.rows, outputs, out);
  } else {
    RowKernels<Real>::add_row(pass.at(layer_.residual), pass.bias(layer_), pass.rows, outputs, out);
  }
  add_linear(pass.at(layer_.from), pass.weight(layer_), pass.rows, layer_.inputs, outputs, out);
}

template <class Real>
void LinearLayer<Real>::backward(const Pass<Real>& pass) const {
  const std::size_t inputs = layer_.inputs, outputs = layer_.outputs;
  const Real* const d_out = pass.at(layer_.d_to);
  RowKernels<Real>::add_column_sums(d_out, pass.rows, outputs, pass.d_bias(layer_));
  add_linear_weight_gradient(d_out, pass.at(layer_.from), pass.rows, inputs, outputs,
                             pass.d_weight(layer_));
  linear_input_gradient(d_out, pass.weight(layer_), pass.rows, inputs, outputs, layer_.add,
                        pass.at(layer_.d_from));
}

template <class Real>
NormLayer<Real>::NormLayer(const TrainLayer& layer, const ScratchPlan<Real>& plan)
    : layer_(layer),
      mean_(plan.scratch.reserve(plan.rows)),
      inverse_deviation_(plan.scratch.reserve(plan.rows)) {}

template <class Real>
void NormLayer<Real>::forward(const Pass<Real>& pass) const {
  RowKernels<Real>::norm_relu_forward(pass.at(layer_.from), pass.weight(layer_), pass.bias(layer_),
                                      pass.rows, layer_.outputs, pass.at(mean_),
                                      pass.at(inverse_deviation_), pass.at(layer_.to));
}

template <class Real>
void NormLayer<Real>::backward(const Pass<Real>& pass) const {
  const NormRelu<Real> forward{pass.at(layer_.from), pass.at(layer_.to), pass.weight(layer_),
                               pass.at(mean_), pass.at(inverse_deviation_)};
  RowKernels<Real>::norm_relu_backward(forward, pass.rows, layer_.outputs, pass.at(layer_.d_to),
                                       pass.d_weight(layer_), pass.d_bias(layer_), layer_.add,
                                       pass.at(layer_.d_from));
}

template <class Real>
SparseInputLayer<Real>::SparseInputLayer(const TrainLayer& layer, const ScratchPlan<Real>& plan)
    : layer_(layer),
      transposed_(plan.scratch.reserve(std::size_t{layer.inputs} * layer.outputs)),
      d_transposed_(plan.scratch.reserve(std::size_t{layer.inputs} * layer.outputs)),
      values_(plan.scratch.reserve(plan.batch.max_active)) {}

template <class Real>
void SparseInputLayer<Real>::begin_step(const Pass<Real>& pass) const {
  RowKernels<Real>::transpose(pass.weight(layer_), layer_.inputs, layer_.outputs,
                              pass.at(transposed_));
  std::fill_n(pass.at(d_transposed_), std::size_t{layer_.inputs} * layer_.outputs, Real{0});
}

template <class Real>
const Real* SparseInputLayer<Real>::values(const Pass<Real>& pass,
                                           std::span<const float> value) const {
  Real* converted = pass.at(values_);
  std::copy(value.begin(), value.end(), converted);
  return converted;
}

template <class Real>
void SparseInputLayer<Real>::forward(const Pass<Real>& pass) const {
  const std::size_t width = layer_.outputs;
  Real* const out = pass.at(layer_.to);
  RowKernels<Real>::fill_rows(pass.bias(layer_), pass.rows, width, out);
  for (std::size_t row = 0; row < pass.rows; ++row) {
    const std::size_t at = pass.batch_row(row);
    RowKernels<Real>::add_weighted_rows(pass.at(transposed_), width, pass.batch->index(at),
                                        values(pass, pass.batch->value(at)), out + row * width);
  }
}

template <class Real>
void SparseInputLayer<Real>::backward(const Pass<Real>& pass) const {
  const std::size_t width = layer_.outputs;
  const Real* const d_out = pass.at(layer_.d_to);
  RowKernels<Real>::add_column_sums(d_out, pass.rows, width, pass.d_bias(layer_));
  for (std::size_t row = 0; row < pass.rows; ++row) {
    const std::size_t at = pass.batch_row(row);
    RowKernels<Real>::add_to_rows(d_out + row * width, width, pass.batch->index(at),
                                  values(pass, pass.batch->value(at)), pass.at(d_transposed_));
  }
}

template <class Real>
void SparseInputLayer<Real>::end_step(const Pass<Real>& pass) const {
  RowKernels<Real>::transpose(pass.at(d_transposed_), layer_.outputs, layer_.inputs,
                              pass.d_weight(layer_));
}

template class LinearLayer<float>;
template class LinearLayer<double>;
template class NormLayer<float>;
template class NormLayer<double>;
template class SparseInputLayer<float>;
template class SparseInputLayer<double>;

}  // namespace senet
