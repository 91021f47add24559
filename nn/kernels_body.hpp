// The kernels themselves, in compiler vectors. Included by one source file per instruction set,
// each compiled with its own flags; everything is in an unnamed namespace and no library header
// with code is included, so that no function made for one instruction set can end up in a program's
// path for another.
#pragma once

#include "nn/kernels.hpp"
#include "nn/norm_epsilon.hpp"

namespace senet {
namespace {

/// Vectors of kLanes floats and what is built on them.
///   kLanes      floats in a vector register
///   kMaxRows    rows of the largest register tile
///   kRegisters  vector registers of the processor
template <int kLanes, int kMaxRows, int kRegisters>
struct KernelSet {
  typedef float Vector __attribute__((vector_size(4 * kLanes), may_alias));
  typedef float Quad __attribute__((vector_size(16), may_alias));
  typedef float Eight __attribute__((vector_size(32), may_alias));
  static constexpr std::uint16_t kNone = 0xffff;  // kNoLogit, whose header has code in it
  static constexpr int kVectors = static_cast<int>(kPanel) / kLanes;  // of a panel

  static_assert(kVectors * kLanes == static_cast<int>(kPanel));

  [[gnu::always_inline]] static inline Vector load(const float* from) {
    return *reinterpret_cast<const Vector*>(from);
  }
  [[gnu::always_inline]] static inline void store(float* to, Vector value) {
    *reinterpret_cast<Vector*>(to) = value;
  }
  [[gnu::always_inline]] static inline Vector all(float value) { return value - Vector{}; }
  [[gnu::always_inline]] static inline Vector relu(Vector x) { return x > 0.0f ? x : Vector{}; }

  /// sum += a * b, rounded once where the processor can. Always spelt out, for two reasons: a
  /// compiler that fuses or does not as it sees fit gives rows different bits in different tiles,
  /// and g++ 12 picks the form of the instruction that overwrites a factor and pays with register
  /// moves and spills in the inner loop.
  [[gnu::always_inline]] static inline void multiply_add(Vector& sum, Vector a, Vector b) {
#if defined(__FMA__)
    asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
#elif defined(__aarch64__)
    for (int i = 0; i < kLanes; ++i) sum[i] = __builtin_fmaf(a[i], b[i], sum[i]);
#else
    sum += a * b;
#endif
  }

  // ---- sums over a row
  // ---------------------------------------------------------------------------

  /// Partial sums of one row, kPanel of them.
  struct Partial {
    Vector part[kVectors];
  };

  [[gnu::always_inline]] static inline void add_square(Partial& sum, int part, Vector x) {
    multiply_add(sum.part[part], x, x);
  }

  /// Sixteen partial sums to four: distances 8 and 4.
  [[gnu::always_inline]] static inline Quad fold(const Partial& sum) {
    if constexpr (kLanes == 16) {
      const Eight eight =
          __builtin_shufflevector(sum.part[0], sum.part[0], 0, 1, 2, 3, 4, 5, 6, 7) +
          __builtin_shufflevector(sum.part[0], sum.part[0], 8, 9, 10, 11, 12, 13, 14, 15);
      return __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
             __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
    } else if constexpr (kLanes == 8) {
      const Eight eight = sum.part[0] + sum.part[1];
      return __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
             __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
    } else {
      return (sum.part[0] + sum.part[2]) + (sum.part[1] + sum.part[3]);
    }
  }

  /// Four to one: distances 2 and 1.
  [[gnu::always_inline]] static inline float total(const Partial& sum) {
    const Quad four = fold(sum);
    return (four[0] + four[2]) + (four[1] + four[3]);
  }

  /// The totals of four rows at once.
  [[gnu::always_inline]] static inline Quad totals(const Partial& a, const Partial& b,
                                                   const Partial& c, const Partial& d) {
    const Quad fa = fold(a), fb = fold(b), fc = fold(c), fd = fold(d);
    const Quad ab =
        __builtin_shufflevector(fa, fb, 0, 1, 4, 5) + __builtin_shufflevector(fa, fb, 2, 3, 6, 7);
    const Quad cd =
        __builtin_shufflevector(fc, fd, 0, 1, 4, 5) + __builtin_shufflevector(fc, fd, 2, 3, 6, 7);
    return __builtin_shufflevector(ab, cd, 0, 2, 4, 6) +
           __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
  }

  [[gnu::always_inline]] static inline Partial load_partial(const float* from) {
    Partial sum;
    for (int v = 0; v < kVectors; ++v) sum.part[v] = load(from + v * kLanes);
    return sum;
  }
  [[gnu::always_inline]] static inline void store_partial(float* to, const Partial& sum) {
    for (int v = 0; v < kVectors; ++v) store(to + v * kLanes, sum.part[v]);
  }

  // ---- Linear
  // ------------------------------------------------------------------------------------

  /// One register tile: kRows rows by kPanels panels, kept in registers over all inputs.
  template <int kRows, int kPanels, bool kAdd>
  [[gnu::noinline]] static void tile(const LinearPass& pass, std::size_t row, std::size_t panel) {
    constexpr int kWide = kPanels * kVectors;
    const std::size_t inputs = pass.inputs;
    const std::size_t panel_size = inputs * kPanel;
    const float* in = pass.in + row * pass.in_stride;
    const float* weight = pass.panels + panel * panel_size;
    const float* bias = pass.bias + panel * kPanel;

    Vector sum[kRows][kWide];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) sum[r][v] = load(bias + v * kLanes);
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < inputs; ++k) {
      Vector column[kWide];
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        column[v] = load(weight + static_cast<std::size_t>(v / kVectors) * panel_size + k * kPanel +
                         static_cast<std::size_t>(v % kVectors) * kLanes);
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const Vector value = all(in[static_cast<std::size_t>(r) * pass.in_stride + k]);
#pragma GCC unroll 16
        for (int v = 0; v < kWide; ++v) multiply_add(sum[r][v], value, column[v]);
      }
    }

    float* out = pass.out + row * pass.out_stride + panel * kPanel;
    float* squares = pass.squares + row * kPanel;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r, out += pass.out_stride, squares += kPanel) {
      Partial square = panel == 0 ? Partial{} : load_partial(squares);
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        Vector y = sum[r][v];
        if constexpr (kAdd) y += load(out + v * kLanes);
        store(out + v * kLanes, y);
        add_square(square, v % kVectors, y);
      }
      store_partial(squares, square);
    }
  }

  using Tile = void (*)(const LinearPass& pass, std::size_t row, std::size_t panel);

  /// Sums, one row of weights and one input must be in registers together; a single row takes its
  /// weights straight from memory.
  static constexpr bool fits(int rows, int panels) {
    const int sums = rows * panels * kVectors;
    return sums + (rows == 1 ? kVectors : panels * kVectors) + 1 <= kRegisters;
  }

  /// The tile of `rows` by 1, 2, 4 or 8 panels; null where the registers do not suffice.
  template <bool kAdd, int kRows = 1>
  static Tile find_tile(std::size_t rows, std::size_t panels) {
    if constexpr (kRows <= kMaxRows) {
      if (rows != kRows) return find_tile<kAdd, kRows + 1>(rows, panels);
      if constexpr (fits(kRows, 8)) {
        if (panels == 8) return &tile<kRows, 8, kAdd>;
      }
      if constexpr (fits(kRows, 4)) {
        if (panels == 4) return &tile<kRows, 4, kAdd>;
      }
      if constexpr (fits(kRows, 2)) {
        if (panels == 2) return &tile<kRows, 2, kAdd>;
      }
      if (panels == 1) return &tile<kRows, 1, kAdd>;
    }
    return nullptr;
  }

  /// Splits the rows into tiles as even as can be, so that no batch size leaves a thin one; each
  /// group of panels stays in the first-level cache while all row tiles pass over it.
  template <bool kAdd>
  static void linear(const LinearPass& pass, std::size_t rows) {
    if (rows == 0) return;
    const std::size_t tiles = (rows + kMaxRows - 1) / kMaxRows;
    const std::size_t low = rows / tiles, high_tiles = rows % tiles;
    std::size_t panel = 0;
    for (std::size_t group = 8; group >= 1; group /= 2) {
      const Tile low_tile = find_tile<kAdd>(low, group);
      const Tile high_tile = high_tiles == 0 ? low_tile : find_tile<kAdd>(low + 1, group);
      if (low_tile == nullptr || high_tile == nullptr) continue;
      for (; panel + group <= pass.panel_count; panel += group) {
        std::size_t row = 0;
        for (std::size_t i = 0; i < high_tiles; ++i, row += low + 1) high_tile(pass, row, panel);
        for (; row < rows; row += low) low_tile(pass, row, panel);
      }
    }
  }

  // ---- LayerNorm and ReLU
  // --------------------------------------------------------------------------

  template <int kRows>
  [[gnu::always_inline]] static inline void norm_rows(const NormPass& pass, std::size_t row) {
    const float inverse_width = 1.0f / static_cast<float>(pass.width);
    const std::size_t stride = pass.stride;
    const float* in = pass.in + row * stride;
    float* out = pass.out + row * stride;
    Vector factor[kRows];
    for (int r = 0; r < kRows; ++r) {
      const Partial square =
          load_partial(pass.squares + (row + static_cast<std::size_t>(r)) * kPanel);
      factor[r] = all(
          1.0f / __builtin_sqrtf(total(square) * inverse_width + static_cast<float>(kNormEpsilon)));
    }
    for (std::size_t column = 0; column < stride; column += kLanes) {
      const Vector scale = load(pass.scale + column), shift = load(pass.shift + column);
#pragma GCC unroll 4
      for (std::size_t r = 0; r < kRows; ++r) {
        const Vector x = load(in + r * stride + column) * factor[r];
        Vector y = shift;
        multiply_add(y, x, scale);
        store(out + r * stride + column, relu(y));
      }
    }
  }

  /// Four rows share the loads of scale and shift.
  static void norm_relu(const NormPass& pass, std::size_t rows) {
    std::size_t row = 0;
    for (; row + 4 <= rows; row += 4) norm_rows<4>(pass, row);
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

  // ---- single rows
  // -------------------------------------------------------------------------------

  /// Vectors kFirst and following of one panel of columns. A recursion, not a loop: indices that
  /// are constants from the start keep the sums in registers.
  template <int kFirst>
  [[gnu::always_inline]] static inline void four_dots(const float* in,
                                                      const float* const (&weight)[4],
                                                      std::size_t column, Partial& a, Partial& b,
                                                      Partial& c, Partial& d) {
    if constexpr (kFirst < kVectors) {
      const std::size_t at = column + kFirst * kLanes;
      const Vector x = load(in + at);
      multiply_add(a.part[kFirst], x, load(weight[0] + at));
      multiply_add(b.part[kFirst], x, load(weight[1] + at));
      multiply_add(c.part[kFirst], x, load(weight[2] + at));
      multiply_add(d.part[kFirst], x, load(weight[3] + at));
      four_dots<kFirst + 1>(in, weight, column, a, b, c, d);
    }
  }

  /// Four outputs at a time share the loads of the row and the final sums.
  static void dots(const DotPass& pass) {
    for (std::size_t first = 0; first < pass.count; first += 4) {
      const float* weight[4];
      Quad bias{};
      for (std::size_t i = 0; i < 4; ++i) {
        const std::uint16_t output = pass.wanted[first + i < pass.count ? first + i : first];
        const bool none = output == kNone;
        weight[i] = pass.weight + (none ? 0 : output * pass.stride);
        bias[i] = none ? 0.0f : pass.bias[output];
      }
      Partial a{}, b{}, c{}, d{};
      for (std::size_t column = 0; column < pass.stride; column += kPanel) {
        four_dots<0>(pass.in, weight, column, a, b, c, d);
      }
      const Quad result = totals(a, b, c, d) + bias;
      for (std::size_t i = 0; i < 4 && first + i < pass.count; ++i) {
        pass.out[first + i] = pass.wanted[first + i] == kNone ? 0.0f : result[i];
      }
    }
  }

  /// kPanels panels of columns stay in registers over all features.
  template <int kPanels>
  [[gnu::always_inline]] static inline void sparse_columns(const SparsePass& pass,
                                                           std::size_t column, Partial& square) {
    constexpr int kWide = kPanels * kVectors;
    Vector sum[kWide];
#pragma GCC unroll 8
    for (int v = 0; v < kWide; ++v) sum[v] = load(pass.bias + column + v * kLanes);
    for (std::size_t i = 0; i < pass.count; ++i) {
      const float* weight = pass.weight + pass.index[i] * pass.stride + column;
      const Vector value = all(pass.value[i]);
#pragma GCC unroll 8
      for (int v = 0; v < kWide; ++v) multiply_add(sum[v], value, load(weight + v * kLanes));
    }
#pragma GCC unroll 8
    for (int v = 0; v < kWide; ++v) {
      store(pass.out + column + v * kLanes, sum[v]);
      add_square(square, v % kVectors, sum[v]);
    }
  }

  static void sparse_linear(const SparsePass& pass) {
    constexpr int kPanels = 8 / kVectors;
    Partial square{};
    std::size_t column = 0;
    for (; column + kPanels * kPanel <= pass.stride; column += kPanels * kPanel) {
      sparse_columns<kPanels>(pass, column, square);
    }
    for (; column < pass.stride; column += kPanel) sparse_columns<1>(pass, column, square);
    store_partial(pass.squares, square);
  }

  static constexpr Kernels kernels(const char* name) {
    return {name,  kMaxRows,       &linear<false>, &linear<true>, &norm_relu,
            &dots, &sparse_linear, &centre,        &sum_squares};
  }
};

}  // namespace
}  // namespace senet
