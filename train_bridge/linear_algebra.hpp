// The matrix products of a training step, and their CPU implementation with OpenBLAS.
#pragma once

#include <cstddef>

namespace senet {

/// A row-major matrix: [rows, columns] with rows `stride` values apart.
template <class Value>
struct Matrix {
  Value* data;
  std::size_t rows, columns, stride;
};

/// result = left * right, or result += left * right; either factor may be read transposed.
template <class Real, class Operand>
struct Product {
  Matrix<const Operand> left;
  bool left_transposed;
  Matrix<const Operand> right;
  bool right_transposed;
  Matrix<Real> result;
  bool add;
};

/// Makes OpenBLAS run every matrix product on the calling thread. The setting applies to the whole
/// process, so only the program calls this, once, before it trains. Without it, OpenBLAS uses its
/// own threads for large products, which compete with self-play for the cores.
void use_single_threaded_blas();

/// Computes the product for Real = float or double. The factors do not overlap with the result.
template <class Real>
void multiply(const Product<Real, Real>& product);

}  // namespace senet
