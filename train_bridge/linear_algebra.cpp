#include "train_bridge/linear_algebra.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "nn/kernels.hpp"

namespace senet {
namespace {

/// The kernels' linear and add_linear for double.
void multiply_panels(const double* left, std::size_t left_stride, std::size_t inner,
                     const double* panels, const double* row, std::size_t rows,
                     std::size_t panel_count, double* result, std::size_t stride, bool add) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t p = 0; p < panel_count; ++p) {
      double sums[kPanel];
      std::copy_n(row + p * kPanel, kPanel, sums);
      const double* panel = panels + p * inner * kPanel;
      for (std::size_t i = 0; i < inner; ++i, panel += kPanel) {
        for (std::size_t j = 0; j < kPanel; ++j) sums[j] += left[r * left_stride + i] * panel[j];
      }
      double* const to = result + r * stride + p * kPanel;
      for (std::size_t j = 0; j < kPanel; ++j) to[j] = add ? to[j] + sums[j] : sums[j];
    }
  }
}

}  // namespace

template <class Real>
PackedMatrix<Real>::PackedMatrix(std::size_t rows, std::size_t columns, std::size_t product_rows)
    : panels_(rows * round_up(columns, kPanel)),
      row_(round_up(columns, kPanel)),
      aligned_(columns % kPanel == 0 ? 0 : product_rows * round_up(columns, kPanel)) {}

template <class Real>
void PackedMatrix<Real>::pack(Matrix<const Real> matrix, bool is_transposed, const Real* row) {
  const auto [data, matrix_rows, matrix_columns, stride] = matrix;
  rows_ = is_transposed ? matrix_columns : matrix_rows;
  columns_ = is_transposed ? matrix_rows : matrix_columns;
  assert(rows_ * round_up(columns_, kPanel) <= panels_.size() && columns_ <= row_.size());
  std::ranges::fill(row_, Real{0});
  if (row != nullptr) std::copy_n(row, columns_, row_.data());
  Real* panel = panels_.data();
  for (std::size_t first = 0; first < columns_; first += kPanel, panel += rows_ * kPanel) {
    const std::size_t width = std::min(kPanel, columns_ - first);
    if (width < kPanel) std::fill_n(panel, rows_ * kPanel, Real{0});
    if (!is_transposed) {
      for (std::size_t i = 0; i < rows_; ++i) {
        std::copy_n(data + i * stride + first, width, panel + i * kPanel);
      }
      continue;
    }
    // A few rows of the panel at a time, which stay in the first-level cache.
    for (std::size_t begin = 0; begin < rows_; begin += kPanel) {
      const std::size_t end = std::min(rows_, begin + kPanel);
      for (std::size_t j = 0; j < width; ++j) {
        const Real* const from = data + (first + j) * stride;
        for (std::size_t i = begin; i < end; ++i) panel[i * kPanel + j] = from[i];
      }
    }
  }
}

template <class Real>
void PackedMatrix<Real>::multiply(Matrix<const Real> left, Matrix<Real> result, bool add) {
  assert(left.columns == rows_ && result.rows == left.rows && result.columns == columns_);
  const std::size_t padded = round_up(columns_, kPanel);
  if (result.stride % kPanel != 0) {
    const Matrix<Real> aligned{aligned_.data(), result.rows, columns_, padded};
    assert(result.rows * padded <= aligned_.size());
    multiply(left, aligned, false);
    for (std::size_t row = 0; row < result.rows; ++row) {
      const Real* const from = aligned.data + row * padded;
      Real* const to = result.data + row * result.stride;
      for (std::size_t i = 0; i < columns_; ++i) to[i] = add ? to[i] + from[i] : from[i];
    }
    return;
  }
  assert(reinterpret_cast<std::uintptr_t>(result.data) % kLineBytes == 0);
  if constexpr (std::is_same_v<Real, float>) {
    const LinearPass pass{.in = left.data,
                          .in_stride = left.stride,
                          .inputs = rows_,
                          .panels = panels_.data(),
                          .bias = row_.data(),
                          .panel_count = padded / kPanel,
                          .out = result.data,
                          .out_stride = result.stride,
                          .then = Then::kNothing,
                          .squares = nullptr};
    const Kernels& kernels = best_kernels();
    (add ? kernels.add_linear : kernels.linear)(pass, result.rows);
  } else {
    multiply_panels(left.data, left.stride, rows_, panels_.data(), row_.data(), result.rows,
                    padded / kPanel, result.data, result.stride, add);
  }
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

}  // namespace senet
