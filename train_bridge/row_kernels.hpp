// The trainer's loops over rows, except matrix products, in float or double, vectorised.
//
// All arrays are row-major without gaps. The order of summation depends only on the sizes and the
// vector width, so results are repeatable. Pointers of one call do not overlap unless noted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace senet {

/// The arguments and results of the forward pass that the backward pass through LayerNorm and ReLU
/// reads.
template <class Real>
struct NormRelu {
  const Real* x;
  const Real* y;
  const Real* scale;
  const Real* mean;
  const Real* inverse_deviation;
};

/// The loops for Real = float (vectorised for the CPU at run time) or double.
template <class Real>
struct RowKernels {
  /// output[rows, width] = row[width], repeated.
  static void fill_rows(const Real* row, std::size_t rows, std::size_t width, Real* output);

  /// output[rows, width] = input[rows, width] + row[width]. output may be input.
  static void add_row(const Real* input, const Real* row, std::size_t rows, std::size_t width,
                      Real* output);

  /// sums[width] += the sum over the rows of input[rows, width].
  static void add_column_sums(const Real* input, std::size_t rows, std::size_t width, Real* sums);

  /// output[rows, columns] = input[columns, rows] transposed.
  static void transpose(const Real* input, std::size_t rows, std::size_t columns, Real* output);

  /// LayerNorm and ReLU: per row of x[rows, width], with mean and variance over the row,
  ///   inverse_deviation = 1 / sqrt(variance + kNormEpsilon)
  ///   normal = (x - mean) * inverse_deviation
  ///   y = max(0, normal * scale + shift)
  /// The variance is computed around the mean in a second pass, so it can neither cancel nor become
  /// negative. NaN is propagated (a plain max would hide it). Writes y[rows, width], mean and
  /// inverse_deviation [rows].
  static void norm_relu_forward(const Real* x, const Real* scale, const Real* shift,
                                std::size_t rows, std::size_t width, Real* mean,
                                Real* inverse_deviation, Real* y);

  /// Backward through norm_relu_forward. With g = d_y where y > 0, else 0, and u = g * scale:
  ///   d_scale += sum over rows of g * normal,  d_shift += sum over rows of g
  ///   d_x = inverse_deviation * (u - mean(u) - normal * mean(u * normal))
  /// written to d_x[rows, width], or added to it when `add`. d_x may be d_y itself when not adding.
  static void norm_relu_backward(const NormRelu<Real>& forward, std::size_t rows, std::size_t width,
                                 const Real* d_y, Real* d_scale, Real* d_shift, bool add,
                                 Real* d_x);

  /// y[count] = max(0, x[count]). NaN is propagated.
  static void relu_forward(const Real* x, std::size_t count, Real* y);

  /// d_x[count] = d_y where y > 0, else 0; added to d_x when `add`. d_x may be d_y itself when not
  /// adding.
  static void relu_backward(const Real* y, std::size_t count, const Real* d_y, bool add, Real* d_x);

  /// output[width] += sum over i of factor[i] * table[index[i], width].
  static void add_weighted_rows(const Real* table, std::size_t width,
                                std::span<const std::uint16_t> index, const Real* factor,
                                Real* output);

  /// table[index[i], width] += factor[i] * row[width], in order of i (an index may repeat).
  static void add_to_rows(const Real* row, std::size_t width, std::span<const std::uint16_t> index,
                          const Real* factor, Real* table);

  /// output[i] = sum over the width of table[index[i], width] * row[width].
  static void row_products(const Real* table, std::size_t width,
                           std::span<const std::uint16_t> index, const Real* row, Real* output);
};

/// Sum of squares in double: finite if and only if every value is.
double sum_of_squares(std::span<const float> values);

}  // namespace senet
