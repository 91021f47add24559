// Matrix products as the steps of a trainer ask for them.
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

}  // namespace senet
