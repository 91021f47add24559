#include "train_bridge/row_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "games/multiversion.hpp"
#include "nn/kernels.hpp"

namespace senet {

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::fill_rows(const Real* row, std::size_t rows,
                                                    std::size_t width, Real* output) {
  for (std::size_t r = 0; r < rows; ++r, output += width) {
#pragma omp simd
    for (std::size_t i = 0; i < width; ++i) output[i] = row[i];
  }
}

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::add_row(const Real* input, const Real* row,
                                                  std::size_t rows, std::size_t width,
                                                  Real* output) {
  for (std::size_t r = 0; r < rows; ++r, input += width, output += width) {
#pragma omp simd
    for (std::size_t i = 0; i < width; ++i) output[i] = input[i] + row[i];
  }
}

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::add_column_sums(const Real* input, std::size_t rows,
                                                          std::size_t width, Real* sums) {
  for (std::size_t r = 0; r < rows; ++r, input += width) {
#pragma omp simd
    for (std::size_t i = 0; i < width; ++i) sums[i] += input[i];
  }
}

namespace {

constexpr std::size_t kSide = 8;

/// Transposes a square of [kSide, kSide] floats. Each round interleaves rows i and i + 4, which
/// rotates the six bits of an element's place (row, column) by one; after three rounds row and
/// column have changed places.
[[gnu::always_inline]] inline void transpose_square(const float* from, std::size_t stride,
                                                    float* to, std::size_t to_stride) {
  typedef float Row __attribute__((vector_size(4 * kSide)));
  typedef float RowAnywhere __attribute__((vector_size(4 * kSide), aligned(4), may_alias));
  Row rows[kSide], next[kSide];
  for (std::size_t i = 0; i < kSide; ++i) {
    rows[i] = *reinterpret_cast<const RowAnywhere*>(from + i * stride);
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < kSide / 2; ++i) {
      const Row a = rows[i], b = rows[i + kSide / 2];
      next[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    }
    std::copy_n(next, kSide, rows);
  }
  for (std::size_t i = 0; i < kSide; ++i) {
    *reinterpret_cast<RowAnywhere*>(to + i * to_stride) = rows[i];
  }
}

}  // namespace

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::transpose(const Real* input, std::size_t rows,
                                                    std::size_t columns, Real* output) {
  for (std::size_t first_row = 0; first_row < rows; first_row += kSide) {
    for (std::size_t first = 0; first < columns; first += kSide) {
      const std::size_t last_row = std::min(rows, first_row + kSide);
      const std::size_t last = std::min(columns, first + kSide);
      if constexpr (std::is_same_v<Real, float>) {
        if (last_row - first_row == kSide && last - first == kSide) {
          transpose_square(input + first * rows + first_row, rows,
                           output + first_row * columns + first, columns);
          continue;
        }
      }
      for (std::size_t r = first_row; r < last_row; ++r) {
        for (std::size_t c = first; c < last; ++c) output[r * columns + c] = input[c * rows + r];
      }
    }
  }
}

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::norm_relu_forward(const Real* x, const Real* scale,
                                                            const Real* shift, std::size_t rows,
                                                            std::size_t width, Real* mean,
                                                            Real* inverse_deviation, Real* y) {
  const Real per_value = Real{1} / static_cast<Real>(width);
  for (std::size_t r = 0; r < rows; ++r, x += width, y += width) {
    Real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < width; ++i) sum += x[i];
    const Real center = sum * per_value;
    Real squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::size_t i = 0; i < width; ++i) squares += (x[i] - center) * (x[i] - center);
    const Real inverse = Real{1} / std::sqrt(squares * per_value + static_cast<Real>(kNormEpsilon));
#pragma omp simd
    for (std::size_t i = 0; i < width; ++i) {
      const Real value = (x[i] - center) * inverse * scale[i] + shift[i];
      y[i] = Real{0} > value ? Real{0} : value;
    }
    mean[r] = center;
    inverse_deviation[r] = inverse;
  }
}

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::norm_relu_backward(const NormRelu<Real>& forward,
                                                             std::size_t rows, std::size_t width,
                                                             const Real* d_y, Real* d_scale,
                                                             Real* d_shift, bool add, Real* d_x) {
  const Real per_value = Real{1} / static_cast<Real>(width);
  const Real* x = forward.x;
  const Real* y = forward.y;
  const Real* scale = forward.scale;
  for (std::size_t r = 0; r < rows; ++r, x += width, y += width, d_y += width, d_x += width) {
    const Real center = forward.mean[r];
    const Real inverse = forward.inverse_deviation[r];
    Real sum = 0;      // of u
    Real product = 0;  // of u * normal
#pragma omp simd reduction(+ : sum, product)
    for (std::size_t i = 0; i < width; ++i) {
      const Real normal = (x[i] - center) * inverse;
      const Real gradient = y[i] > Real{0} ? d_y[i] : Real{0};
      d_shift[i] += gradient;
      d_scale[i] += gradient * normal;
      sum += gradient * scale[i];
      product += gradient * scale[i] * normal;
    }
    sum *= per_value;
    product *= per_value;
    if (add) {
#pragma omp simd
      for (std::size_t i = 0; i < width; ++i) {
        const Real normal = (x[i] - center) * inverse;
        const Real gradient = y[i] > Real{0} ? d_y[i] : Real{0};
        d_x[i] += inverse * (gradient * scale[i] - sum - normal * product);
      }
    } else {
#pragma omp simd
      for (std::size_t i = 0; i < width; ++i) {
        const Real normal = (x[i] - center) * inverse;
        const Real gradient = y[i] > Real{0} ? d_y[i] : Real{0};
        d_x[i] = inverse * (gradient * scale[i] - sum - normal * product);
      }
    }
  }
}

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::relu_forward(const Real* x, std::size_t count, Real* y) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) y[i] = x[i] <= Real{0} ? Real{0} : x[i];
}

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::relu_backward(const Real* y, std::size_t count,
                                                        const Real* d_y, bool add, Real* d_x) {
  if (add) {
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) d_x[i] += y[i] > Real{0} ? d_y[i] : Real{0};
  } else {
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) d_x[i] = y[i] > Real{0} ? d_y[i] : Real{0};
  }
}

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::add_weighted_rows(const Real* table, std::size_t width,
                                                            std::span<const std::uint16_t> index,
                                                            const Real* factor, Real* output) {
  std::size_t k = 0;
  for (; k + 4 <= index.size(); k += 4) {  // four rows per pass over `output`
    const Real* row0 = table + index[k] * width;
    const Real* row1 = table + index[k + 1] * width;
    const Real* row2 = table + index[k + 2] * width;
    const Real* row3 = table + index[k + 3] * width;
    const Real by0 = factor[k], by1 = factor[k + 1], by2 = factor[k + 2], by3 = factor[k + 3];
#pragma omp simd
    for (std::size_t i = 0; i < width; ++i) {
      output[i] += (by0 * row0[i] + by1 * row1[i]) + (by2 * row2[i] + by3 * row3[i]);
    }
  }
  for (; k < index.size(); ++k) {
    const Real* row = table + index[k] * width;
    const Real by = factor[k];
#pragma omp simd
    for (std::size_t i = 0; i < width; ++i) output[i] += by * row[i];
  }
}

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::add_to_rows(const Real* row, std::size_t width,
                                                      std::span<const std::uint16_t> index,
                                                      const Real* factor, Real* table) {
  for (std::size_t k = 0; k < index.size(); ++k) {
    Real* sums = table + index[k] * width;
    const Real by = factor[k];
#pragma omp simd
    for (std::size_t i = 0; i < width; ++i) sums[i] += by * row[i];
  }
}

template <class Real>
SENET_MULTIVERSION void RowKernels<Real>::row_products(const Real* table, std::size_t width,
                                                       std::span<const std::uint16_t> index,
                                                       const Real* row, Real* output) {
  for (std::size_t k = 0; k < index.size(); ++k) {
    const Real* weights = table + index[k] * width;
    Real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < width; ++i) sum += weights[i] * row[i];
    output[k] = sum;
  }
}

SENET_MULTIVERSION double sum_of_squares(std::span<const float> values) {
  const float* value = values.data();
  const std::size_t size = values.size();
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < size; ++i) {
    sum += static_cast<double>(value[i]) * static_cast<double>(value[i]);
  }
  return sum;
}

template struct RowKernels<float>;
template struct RowKernels<double>;

}  // namespace senet
