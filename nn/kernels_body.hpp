// One instruction set's kernels, put together. Included by one source file per instruction set: see
// kernels_vectors.hpp.
#pragma once

#include "nn/kernels_linear.hpp"
#include "nn/kernels_rows.hpp"

namespace senet {
namespace {

/// The parameters are those of LinearKernel.
template <int kLanes, int kMaxRows, int kRegisters>
constexpr Kernels make_kernels(const char* name) {
  using Linear = LinearKernel<kLanes, kMaxRows, kRegisters>;
  using Rows = RowKernels<kLanes>;
  return {name,
          Vectors<kLanes>::kFma,
          kMaxRows,
          &Linear::template linear<false>,
          &Linear::template linear<true>,
          &Rows::norm_relu,
          &Rows::dots,
          &Rows::sparse_linear,
          &Rows::softmax,
          &Rows::centre,
          &Rows::sum_squares};
}

}  // namespace
}  // namespace senet
