// Matrix products as the steps of a trainer ask for them, and those of the CPU trainer, over
// OpenBLAS.
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

/// Makes OpenBLAS run every matrix product on the calling thread. This is a setting of the whole
/// process, so the library never does it by itself: a program calls it once, before it trains.
/// Without it OpenBLAS wakes its own threads for large products and they compete with self-play for
/// the cores.
void use_single_threaded_blas();

/// The product, Real being float or double. The factors do not overlap with the result.
template <class Real>
void multiply(const Product<Real, Real>& product);

}  // namespace senet
