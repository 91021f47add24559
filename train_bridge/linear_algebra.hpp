// Matrix products of the trainer: the three shapes a Linear layer needs, over OpenBLAS, in float or
// double.
#pragma once

#include <cstddef>

namespace senet {

/// Makes OpenBLAS run every matrix product on the calling thread. This is a setting of the whole
/// process, so the library never does it by itself: a program calls it once, before it trains.
/// Without it OpenBLAS wakes its own threads for large products and they compete with self-play for
/// the cores.
void use_single_threaded_blas();

/// output[rows, outputs] += input[rows, inputs] x weight[outputs, inputs]^T. All row-major, no
/// overlap.
template <class Real>
void add_linear(const Real* input, const Real* weight, std::size_t rows, std::size_t inputs,
                std::size_t outputs, Real* output);

/// d_input[rows, inputs] = d_output[rows, outputs] x weight[outputs, inputs], added to what is
/// there when `add`. All row-major, no overlap.
template <class Real>
void linear_input_gradient(const Real* d_output, const Real* weight, std::size_t rows,
                           std::size_t inputs, std::size_t outputs, bool add, Real* d_input);

/// d_weight[outputs, inputs] += d_output[rows, outputs]^T x input[rows, inputs]. All row-major, no
/// overlap.
template <class Real>
void add_linear_weight_gradient(const Real* d_output, const Real* input, std::size_t rows,
                                std::size_t inputs, std::size_t outputs, Real* d_weight);

}  // namespace senet
