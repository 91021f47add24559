// What is done to rows one by one or a few at a time: norms, sparse inputs, single outputs.
// Included by one source file per instruction set: see kernels_vectors.hpp.
#pragma once

#include "nn/kernels_vectors.hpp"
#include "nn/norm_epsilon.hpp"

namespace senet {
namespace {

template <int kLanes>
struct RowKernels : private Vectors<kLanes> {
  using Base = Vectors<kLanes>;
  using Base::add_square, Base::all, Base::group_totals, Base::kGroup, Base::kVectors, Base::larger,
      Base::highest, Base::load, Base::load_partial, Base::multiply_add, Base::relu, Base::store,
      Base::store_partial, Base::total;
  using typename Base::Integers;
  using typename Base::Partial;
  using typename Base::Vector;

  static constexpr std::uint16_t kNone = 0xffff;  // kNoLogit, whose header has code in it
  static constexpr float kLowest = -80.0f;        // e to this and a share of it are no denormals

  template <int kRows>
  [[gnu::always_inline]] static inline void norm_rows(const NormPass& pass, std::size_t row) {
    const float inverse_width = 1.0f / static_cast<float>(pass.width);
    const std::size_t stride = pass.stride;
    const float* in = pass.in + row * stride;
    float* out = pass.out + row * stride;
    float factor[kRows];
    if constexpr (kRows == kGroup) {
      Vector square[kGroup][kVectors];
#pragma GCC unroll 8
      for (int r = 0; r < kGroup; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          square[r][v] =
              load(pass.squares + (row + static_cast<std::size_t>(r)) * kPanel + v * kLanes);
        }
      }
      group_totals(factor, square);
    } else {
      factor[0] = total(load_partial(pass.squares + row * kPanel));
    }
    for (float& f : factor)
      f = 1.0f / __builtin_sqrtf(f * inverse_width + static_cast<float>(kNormEpsilon));
    for (std::size_t column = 0; column < stride; column += kLanes) {
      const Vector scale = load(pass.scale + column), shift = load(pass.shift + column);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kRows; ++r) {
        const Vector x = load(in + r * stride + column) * all(factor[r]);
        Vector y = shift;
        multiply_add(y, x, scale);
        store(out + r * stride + column, relu(y));
      }
    }
  }

  /// A few rows share the loads of scale and shift, the root and the division.
  static void norm_relu(const NormPass& pass, std::size_t rows) {
    std::size_t row = 0;
    for (; row + kGroup <= rows; row += kGroup) norm_rows<kGroup>(pass, row);
    for (; row < rows; ++row) norm_rows<1>(pass, row);
  }

  static void sum_squares(const float* in, std::size_t stride, float* squares, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row, in += stride) {
      Partial square{};
      for (std::size_t column = 0; column < stride; column += kPanel) {
        for (int v = 0; v < kVectors; ++v) add_square(square, v, load(in + column + v * kLanes));
      }
      store_partial(squares + row * kPanel, square);
    }
  }

  static void centre(float* values, std::size_t stride, std::size_t width, float* squares,
                     std::size_t rows) {
    const float inverse_width = 1.0f / static_cast<float>(width);
    for (std::size_t row = 0; row < rows; ++row) {
      float* x = values + row * stride;
      Partial sum{}, square{};
      for (std::size_t column = 0; column < stride; column += kPanel) {
        for (int v = 0; v < kVectors; ++v) sum.part[v] += load(x + column + v * kLanes);
      }
      const float mean = total(sum) * inverse_width;
      for (std::size_t column = 0; column < stride; column += kPanel) {
        for (std::size_t i = width; i < column + kPanel; ++i) x[i] = mean;  // becomes zero below
        for (int v = 0; v < kVectors; ++v) {
          const Vector y = load(x + column + v * kLanes) - all(mean);
          store(x + column + v * kLanes, y);
          add_square(square, v, y);
        }
      }
      store_partial(squares + row * kPanel, square);
    }
  }

  /// kGroup outputs at a time share the loads of the row and the final sums. No branch depends on
  /// what is wanted: kNoLogit is the number of a row of zeros.
  [[gnu::always_inline]] static inline void dot_group(const DotPass& pass,
                                                      const std::uint16_t (&outputs)[kGroup],
                                                      float* result) {
    const float* weight[kGroup];
    Vector sum[kGroup][kVectors] = {};
#pragma GCC unroll 8
    for (int i = 0; i < kGroup; ++i) {
      const std::size_t output = outputs[i] < pass.outputs ? outputs[i] : pass.outputs;
      weight[i] = pass.weight + output * pass.stride;
      sum[i][0][0] = pass.bias[output];
    }
    for (std::size_t column = 0; column < pass.stride; column += kPanel) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const Vector x = load(pass.in + column + v * kLanes);
#pragma GCC unroll 8
        for (int i = 0; i < kGroup; ++i) {
          multiply_add(sum[i][v], x, load(weight[i] + column + v * kLanes));
        }
      }
    }
    group_totals(result, sum);
  }

  /// The last group overlaps the one before it rather than being a thin one.
  static void dots(const DotPass& pass) {
    std::uint16_t outputs[kGroup];
    if (pass.count < kGroup) {
      for (std::size_t i = 0; i < kGroup; ++i) {
        outputs[i] = i < pass.count ? pass.wanted[i] : kNone;
      }
      float result[kGroup];
      dot_group(pass, outputs, result);
      for (std::size_t i = 0; i < pass.count; ++i) pass.out[i] = result[i];
      return;
    }
    for (std::size_t first = 0;;) {
      __builtin_memcpy(outputs, pass.wanted + first, sizeof outputs);
      dot_group(pass, outputs, pass.out + first);
      const std::size_t done = first + kGroup;
      if (done == pass.count) return;
      first = done + kGroup <= pass.count ? done : pass.count - kGroup;
    }
  }

  /// kPanels panels of one row's columns stay in registers over all its features.
  template <int kPanels>
  [[gnu::always_inline]] static inline void sparse_columns(const SparsePass& pass, std::size_t row,
                                                           std::size_t column, Partial& square) {
    constexpr int kWide = kPanels * kVectors;
    const std::uint16_t* index = pass.index + row * pass.entry_stride;
    const float* value = pass.value + row * pass.entry_stride;
    Vector sum[kWide];
#pragma GCC unroll 8
    for (int v = 0; v < kWide; ++v) sum[v] = load(pass.bias + column + v * kLanes);
    for (std::size_t i = 0; i < pass.active[row]; ++i) {
      const float* weight = pass.weight + index[i] * pass.stride + column;
      const Vector factor = all(value[i]);
#pragma GCC unroll 8
      for (int v = 0; v < kWide; ++v) multiply_add(sum[v], factor, load(weight + v * kLanes));
    }
    float* out = pass.out + row * pass.stride + column;
#pragma GCC unroll 8
    for (int v = 0; v < kWide; ++v) {
      store(out + v * kLanes, sum[v]);
      add_square(square, v % kVectors, sum[v]);
    }
  }

  /// Row by row, eight vectors of columns at a time: the weights come from the second-level cache
  /// as fast as it gives them. Narrower groups of columns that all rows pass over before the next
  /// find more of their weights in the first level and are no faster for it.
  static void sparse_linear(const SparsePass& pass, std::size_t rows) {
    constexpr int kPanels = 8 / kVectors;
    for (std::size_t row = 0; row < rows; ++row) {
      Partial square{};
      std::size_t column = 0;
      for (; column + kPanels * kPanel <= pass.stride; column += kPanels * kPanel) {
        sparse_columns<kPanels>(pass, row, column, square);
      }
      for (; column < pass.stride; column += kPanel) {
        sparse_columns<1>(pass, row, column, square);
      }
      store_partial(pass.squares + row * kPanel, square);
    }
  }

  /// e to the power of x for x from kLowest to 0, to about 1e-7 of the result: 2^n times a
  /// polynomial in what is left of x, which is at most half of log 2.
  [[gnu::always_inline]] static inline Vector exponential(Vector x) {
    constexpr float kRound = 12582912.0f;  // 3 * 2^22: added, it leaves no bits behind the point
    const Vector shifted = x * all(1.44269504f) + all(kRound);
    const Vector n = shifted - all(kRound);
    Vector rest = x;
    multiply_add(rest, n, all(-0.693359375f));  // log 2 in two parts: n times the first is exact
    multiply_add(rest, n, all(2.12194440e-4f));
    Vector sum = all(1.0f / 5040);
    constexpr float kCoefficients[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6,
                                       0.5f,       1.0f,       1.0f};
    for (const float coefficient : kCoefficients) {
      Vector next = all(coefficient);
      multiply_add(next, sum, rest);
      sum = next;
    }
    return reinterpret_cast<Vector>(
        reinterpret_cast<Integers>(sum) +
        ((reinterpret_cast<Integers>(shifted) - reinterpret_cast<Integers>(all(kRound))) << 23));
  }

  static void softmax(const float* in, float* out, std::size_t count) {
    float largest = highest(load_partial(in));
    for (std::size_t i = kPanel; i < count; i += kPanel) {
      const float next = highest(load_partial(in + i));
      largest = next > largest ? next : largest;
    }
    Partial sum{};
    for (std::size_t i = 0; i < count; i += kPanel) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const Vector less = load(in + i + v * kLanes) - all(largest);
        const Vector power = exponential(larger(less, all(kLowest)));
        store(out + i + v * kLanes, power);
        sum.part[v] += power;
      }
    }
    const Vector share = all(1.0f / total(sum));
    for (std::size_t i = 0; i < count; i += kLanes) store(out + i, load(out + i) * share);
  }
};

}  // namespace
}  // namespace senet
