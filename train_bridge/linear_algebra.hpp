// The matrix products of a training step.
#pragma once

#include <cstddef>

#include "nn/aligned_vector.hpp"

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

/// The right factor of products, packed for the kernels of the forward pass (nn/kernels.hpp). Used
/// by one thread at a time; allocates only when constructed. Real is float or, to check the float
/// version, double.
///
///   panels  [panels, rows, kPanel]   the matrix; 0 beyond its columns
///   row     [panels, kPanel]         is added to each row of a product
template <class Real>
class PackedMatrix {
 public:
  /// For matrices of up to `rows` x `columns`, and products of up to `product_rows` rows. If
  /// `columns` is a multiple of kPanel, so is the stride of every result.
  PackedMatrix(std::size_t rows, std::size_t columns, std::size_t product_rows);

  /// Packs a matrix, or the transpose of one, and `row` [columns]; null: zeros.
  void pack(Matrix<const Real> matrix, bool is_transposed, const Real* row = nullptr);

  /// result = left * matrix + row, or result += left * matrix + row. The factors do not overlap
  /// with the result. If the result's stride is a multiple of kPanel, its data is aligned to
  /// kLineBytes, and is also written beyond its columns, up to a multiple of kPanel.
  void multiply(Matrix<const Real> left, Matrix<Real> result, bool add);

 private:
  std::size_t rows_ = 0, columns_ = 0;  // of the packed matrix
  AlignedVector<Real> panels_, row_;
  AlignedVector<Real> aligned_;  // [product rows, columns rounded up], for other strides
};

}  // namespace senet
