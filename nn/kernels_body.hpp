// The kernels as templates: compiler vectors of floats, matrix products in register tiles, and row
// operations (norms, sparse inputs, single outputs). One source file per instruction set includes
// this header, each compiled with its own flags. Everything is in an unnamed namespace and no
// library header with code is included, so that code compiled for one instruction set cannot be
// linked into the path of another.
#pragma once

#include "nn/kernels.hpp"

namespace senet {
namespace {

/// Vectors of kLanes floats, and the kPanel partial sums of a row held in them.
template <int kLanes>
struct Vectors {
  typedef float Vector __attribute__((vector_size(4 * kLanes), may_alias));
  typedef float Quad __attribute__((vector_size(16), may_alias));
  typedef float Eight __attribute__((vector_size(32), may_alias));
  typedef float QuadAnywhere __attribute__((vector_size(16), aligned(4), may_alias));
  typedef float EightAnywhere __attribute__((vector_size(32), aligned(4), may_alias));
  typedef std::int32_t Integers __attribute__((vector_size(4 * kLanes), may_alias));
  static constexpr int kVectors = static_cast<int>(kPanel) / kLanes;  // per panel

  static_assert(kVectors * kLanes == static_cast<int>(kPanel));

  [[gnu::always_inline]] static inline Vector load(const float* from) {
    return *reinterpret_cast<const Vector*>(from);
  }
  [[gnu::always_inline]] static inline void store(float* to, Vector value) {
    *reinterpret_cast<Vector*>(to) = value;
  }
  [[gnu::always_inline]] static inline Vector all(float value) { return value - Vector{}; }

  /// The larger of each pair; b where they are equal or either is NaN. In assembly because g++ 12
  /// compiles the expression to a comparison and a masked move.
  [[gnu::always_inline]] static inline Vector larger(Vector a, Vector b) {
#if defined(__AVX__)
    asm("vmaxps %1, %0, %0" : "+v"(a) : "v"(b));
    return a;
#else
    return a > b ? a : b;
#endif
  }
  [[gnu::always_inline]] static inline Vector relu(Vector x) { return larger(x, Vector{}); }

#if defined(__FMA__) || defined(__aarch64__)
  static constexpr bool kFma = true;
#else
  static constexpr bool kFma = false;
#endif

  /// sum += a * b, rounded once where the processor has fused multiply-add. Always explicit, for
  /// two reasons: if the compiler decides when to fuse, rows get different bits in different tiles;
  /// and g++ 12 picks the form of the instruction that overwrites a factor, which costs register
  /// moves and spills in the inner loop.
  [[gnu::always_inline]] static inline void multiply_add(Vector& sum, Vector a, Vector b) {
#if defined(__FMA__)
    asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
#elif defined(__aarch64__)
    const auto* x = reinterpret_cast<const float*>(&a);
    const auto* y = reinterpret_cast<const float*>(&b);
    auto* z = reinterpret_cast<float*>(&sum);
    for (int i = 0; i < kLanes; ++i) z[i] = __builtin_fmaf(x[i], y[i], z[i]);
#else
    sum += a * b;
#endif
  }

  /// The kPanel partial sums of one row.
  struct Partial {
    Vector part[kVectors];
  };

  [[gnu::always_inline]] static inline void add_square(Partial& sum, int part, Vector x) {
    multiply_add(sum.part[part], x, x);
  }

  /// Reduces sixteen partial sums to four: distances 8 and 4.
  [[gnu::always_inline]] static inline Quad fold(const Partial& sum) {
    return fold(
        sum, [](auto a, auto b) __attribute__((always_inline)) { return a + b; });
  }
  template <class Join>
  [[gnu::always_inline]] static inline Quad fold(const Partial& sum, Join join) {
    if constexpr (kLanes == 16) {
      const Eight eight =
          join(__builtin_shufflevector(sum.part[0], sum.part[0], 0, 1, 2, 3, 4, 5, 6, 7),
               __builtin_shufflevector(sum.part[0], sum.part[0], 8, 9, 10, 11, 12, 13, 14, 15));
      return join(__builtin_shufflevector(eight, eight, 0, 1, 2, 3),
                  __builtin_shufflevector(eight, eight, 4, 5, 6, 7));
    } else if constexpr (kLanes == 8) {
      const Eight eight = join(sum.part[0], sum.part[1]);
      return join(__builtin_shufflevector(eight, eight, 0, 1, 2, 3),
                  __builtin_shufflevector(eight, eight, 4, 5, 6, 7));
    } else {
      return join(join(sum.part[0], sum.part[2]), join(sum.part[1], sum.part[3]));
    }
  }

  /// Reduces sixteen partial sums to one: distances 8, 4, 2 and 1.
  [[gnu::always_inline]] static inline float total(const Partial& sum) {
    const Quad four = fold(sum);
    return (four[0] + four[2]) + (four[1] + four[3]);
  }

  /// The largest of sixteen values.
  [[gnu::always_inline]] static inline float highest(const Partial& values) {
    const Quad four = fold(
        values, [](auto a, auto b) __attribute__((always_inline)) { return a > b ? a : b; });
    const float even = four[0] > four[2] ? four[0] : four[2];
    const float odd = four[1] > four[3] ? four[1] : four[3];
    return even > odd ? even : odd;
  }

  /// The totals of four rows.
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

  // Templates, because g++ 12 does not treat Vector as a vector type until kLanes is known.

  /// Adds at distance 8 for two rows: eight partial sums of a, then eight of b.
  template <class Any>
  [[gnu::always_inline]] static inline Any add_halves(Any a, Any b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
           __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30,
                                   31);
  }

  /// Adds at distance 4 for four rows.
  template <class Any>
  [[gnu::always_inline]] static inline Any add_quarters(Any ab, Any cd) {
    return __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26,
                                   27) +
           __builtin_shufflevector(ab, cd, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30,
                                   31);
  }

  /// Adds at distances 2 and 1: four partial sums each of a, b, c, d and of e, f, g, h.
  template <class Any>
  [[gnu::always_inline]] static inline Eight add_last(Any abcd, Any efgh) {
    const auto two = __builtin_shufflevector(abcd, efgh, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25,
                                             12, 13, 28, 29) +
                     __builtin_shufflevector(abcd, efgh, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27,
                                             14, 15, 30, 31);
    const auto one = two + __builtin_shufflevector(two, two, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10,
                                                   13, 12, 15, 14);
    return __builtin_shufflevector(one, one, 0, 4, 8, 12, 2, 6, 10, 14);
  }

  /// Rows whose totals are computed together.
  static constexpr int kGroup = kLanes == 16 ? 8 : 4;

  /// Writes the totals of kGroup rows to to[0, kGroup).
  [[gnu::always_inline]] static inline void group_totals(float* to,
                                                         const Vector (&s)[kGroup][kVectors]) {
    if constexpr (kLanes == 16) {
      const auto first = add_quarters(add_halves(s[0][0], s[1][0]), add_halves(s[2][0], s[3][0]));
      const auto second = add_quarters(add_halves(s[4][0], s[5][0]), add_halves(s[6][0], s[7][0]));
      *reinterpret_cast<EightAnywhere*>(to) = add_last(first, second);
    } else {
      Partial rows[kGroup];
      for (int r = 0; r < kGroup; ++r) {
        for (int v = 0; v < kVectors; ++v) rows[r].part[v] = s[r][v];
      }
      *reinterpret_cast<QuadAnywhere*>(to) = totals(rows[0], rows[1], rows[2], rows[3]);
    }
  }

  [[gnu::always_inline]] static inline Partial load_partial(const float* from) {
    Partial sum;
    for (int v = 0; v < kVectors; ++v) sum.part[v] = load(from + v * kLanes);
    return sum;
  }
  [[gnu::always_inline]] static inline void store_partial(float* to, const Partial& sum) {
    for (int v = 0; v < kVectors; ++v) store(to + v * kLanes, sum.part[v]);
  }

  /// Stores kWide vectors of a row that a Linear has computed, for what follows it. `is_first`:
  /// none of the row's squares have been added yet.
  template <class Pass, int kWide>
  [[gnu::always_inline]] static inline void finish(const Pass& pass, Vector (&result)[kWide],
                                                   float* to, std::size_t row, bool is_first) {
    if (pass.then == Then::kRelu) {
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) result[v] = relu(result[v]);
    }
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) store(to + v * kLanes, result[v]);
    if (pass.then != Then::kNorm) return;
    float* const squares = pass.squares + row * kPanel;
    Partial square = is_first ? Partial{} : load_partial(squares);
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) add_square(square, v % kVectors, result[v]);
    store_partial(squares, square);
  }
};

/// What a tile of a product of floats adds up: one input at a time, from the bias on.
template <int kLanes>
struct FloatTerms : private Vectors<kLanes> {
  using Base = Vectors<kLanes>;
  using Base::all, Base::kVectors, Base::load, Base::multiply_add;
  using typename Base::Vector;
  using Pass = LinearPass;
  using Sums = Vector;
  using Inputs = Vector;
  using Weights = Vector;
  static constexpr int kTemporaries = 0;  // registers besides sums, inputs and weights

  [[gnu::always_inline]] static inline std::size_t steps(const Pass& pass) { return pass.inputs; }
  /// The weights of a step for vector `v` of the panels from `panel` on.
  [[gnu::always_inline]] static inline Weights weights(const Pass& pass, std::size_t panel,
                                                       std::size_t step, int v) {
    const std::size_t panel_size = pass.inputs * kPanel;
    const float* first = pass.panels + panel * panel_size;
    return load(first + static_cast<std::size_t>(v / kVectors) * panel_size + step * kPanel +
                static_cast<std::size_t>(v % kVectors) * kLanes);
  }
  [[gnu::always_inline]] static inline Inputs inputs(const Pass& pass, std::size_t row,
                                                     std::size_t step) {
    return all(pass.in[row * pass.in_stride + step]);
  }
  [[gnu::always_inline]] static inline Sums begin(const Pass& pass, std::size_t column) {
    return load(pass.bias + column);
  }
  [[gnu::always_inline]] static inline void add(Sums& sums, Inputs inputs, Weights weights) {
    multiply_add(sums, inputs, weights);
  }
  [[gnu::always_inline]] static inline Vector end(const Pass&, std::size_t, std::size_t,
                                                  Sums sums) {
    return sums;
  }
};

/// The same for a product of bytes: kByteGroup inputs at a time, in 32-bit integers.
///   kVnni  whether the processor has AVX-512 VNNI
template <int kLanes, bool kVnni>
struct ByteTerms : private Vectors<kLanes> {
  using Base = Vectors<kLanes>;
  using Base::all, Base::kVectors, Base::load, Base::multiply_add;
  using typename Base::Integers;
  using typename Base::Vector;
  using Pass = ByteLinearPass;
  using Sums = Integers;
  using Inputs = Integers;
  using Weights = Integers;
  static constexpr int kTemporaries = kVnni ? 0 : 2;

  [[gnu::always_inline]] static inline std::size_t steps(const Pass& pass) {
    return pass.inputs / kByteGroup;
  }
  [[gnu::always_inline]] static inline Weights weights(const Pass& pass, std::size_t panel,
                                                       std::size_t step, int v) {
    const std::size_t panel_size = pass.inputs * kPanel;
    const std::int8_t* first = pass.panels + panel * panel_size;
    return *reinterpret_cast<const Integers*>(
        first + static_cast<std::size_t>(v / kVectors) * panel_size +
        (step * kPanel + static_cast<std::size_t>(v % kVectors) * kLanes) * kByteGroup);
  }
  [[gnu::always_inline]] static inline Inputs inputs(const Pass& pass, std::size_t row,
                                                     std::size_t step) {
    std::int32_t group;
    __builtin_memcpy(&group, pass.in + row * pass.in_stride + step * kByteGroup, sizeof group);
    return group - Integers{};
  }
  [[gnu::always_inline]] static inline Sums begin(const Pass&, std::size_t) { return Sums{}; }
  [[gnu::always_inline]] static inline void add(Sums& sums, Inputs inputs, Weights weights) {
    // In assembly, so that one source file can hold both versions and no register is copied.
    if constexpr (kVnni) {
      asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(inputs), "v"(weights));
      return;
    }
#if defined(__AVX2__)
    Integers pairs, groups;
    const Integers ones = 0x00010001 - Integers{};
    asm("vpmaddubsw %2, %1, %0" : "=v"(pairs) : "v"(inputs), "v"(weights));
    asm("vpmaddwd %2, %1, %0" : "=v"(groups) : "v"(pairs), "v"(ones));
    sums += groups;
#else
    const auto* x = reinterpret_cast<const std::uint8_t*>(&inputs);
    const auto* w = reinterpret_cast<const std::int8_t*>(&weights);
    auto* z = reinterpret_cast<std::int32_t*>(&sums);
    for (int i = 0; i < kLanes; ++i) {
      for (int k = i * 4; k < i * 4 + 4; ++k) z[i] += x[k] * w[k];
    }
#endif
  }
  [[gnu::always_inline]] static inline Vector end(const Pass& pass, std::size_t row,
                                                  std::size_t column, Sums sums) {
    Vector y = load(pass.bias + column);
    const Vector unit = all(pass.units[row]) * load(pass.weight_units + column);
    multiply_add(y, __builtin_convertvector(sums, Vector), unit);
    return y;
  }
};

/// Products of rows with packed weights.
///   Terms       FloatTerms or ByteTerms
///   kMaxRows    rows of the largest register tile
///   kRegisters  vector registers of the processor
template <int kLanes, class Terms, int kMaxRows, int kRegisters>
struct LinearKernel : private Vectors<kLanes> {
  using Base = Vectors<kLanes>;
  using Base::finish, Base::kVectors, Base::load;
  using typename Base::Vector;
  using Pass = typename Terms::Pass;

  /// One register tile: kRows rows by kPanels panels, kept in registers over all inputs.
  template <int kRows, int kPanels, bool kAdd>
  [[gnu::noinline]] static void tile(const Pass& pass, std::size_t row, std::size_t panel) {
    constexpr int kWide = kPanels * kVectors;
    const std::size_t steps = Terms::steps(pass), column = panel * kPanel;

    typename Terms::Sums sum[kRows][kWide];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        sum[r][v] = Terms::begin(pass, column + static_cast<std::size_t>(v * kLanes));
      }
    }
#pragma GCC unroll 4
    for (std::size_t step = 0; step < steps; ++step) {
      typename Terms::Weights weights[kWide];
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) weights[v] = Terms::weights(pass, panel, step, v);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const auto inputs = Terms::inputs(pass, row + static_cast<std::size_t>(r), step);
#pragma GCC unroll 16
        for (int v = 0; v < kWide; ++v) Terms::add(sum[r][v], inputs, weights[v]);
      }
    }

    float* out = pass.out + row * pass.out_stride + column;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r, out += pass.out_stride) {
      Vector result[kWide];
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        result[v] = Terms::end(pass, row + static_cast<std::size_t>(r),
                               column + static_cast<std::size_t>(v * kLanes), sum[r][v]);
        if constexpr (kAdd) result[v] += load(out + v * kLanes);
      }
      finish(pass, result, out, row + static_cast<std::size_t>(r), panel == 0);
    }
  }

  using Tile = void (*)(const Pass& pass, std::size_t row, std::size_t panel);

  /// Whether a tile fits into the registers, which hold its sums, one step of weights and one input
  /// at the same time. A tile of a single row reads its weights straight from memory.
  static constexpr bool fits(int rows, int panels) {
    const int sums = rows * panels * kVectors;
    return sums + (rows == 1 ? kVectors : panels * kVectors) + 1 + Terms::kTemporaries <=
           kRegisters;
  }

  /// The tile of `rows` by 1, 2, 4 or 8 panels; null where it does not fit.
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

  /// Splits the rows into tiles of nearly equal height, so that no batch size leaves a thin tile.
  /// Each group of panels stays in the first-level cache while all row tiles use it.
  template <bool kAdd>
  static void linear(const Pass& pass, std::size_t rows) {
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
};

template <int kLanes>
struct RowKernels : private Vectors<kLanes> {
  using Base = Vectors<kLanes>;
  using Base::add_square, Base::all, Base::finish, Base::group_totals, Base::kGroup, Base::kVectors,
      Base::larger, Base::highest, Base::load, Base::load_partial, Base::multiply_add, Base::relu,
      Base::store, Base::store_partial, Base::total;
  using typename Base::Integers;
  using typename Base::Partial;
  using typename Base::Vector;

  static constexpr std::uint16_t kNone = 0xffff;  // kNoLogit, whose header contains code
  static constexpr float kLowest = -80.0f;        // exp of it, divided by any sum, is not denormal

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

  /// kGroup rows share the loads of scale and shift, the square root and the division.
  static void norm_relu(const NormPass& pass, std::size_t rows) {
    std::size_t row = 0;
    for (; row + kGroup <= rows; row += kGroup) norm_rows<kGroup>(pass, row);
    for (; row < rows; ++row) norm_rows<1>(pass, row);
  }

  /// Bytes of one vector of floats.
  typedef std::uint8_t Bytes __attribute__((vector_size(kLanes), may_alias));

  /// Writes kCount vectors of integers from 0 to 127 as bytes.
  template <int kCount>
  [[gnu::always_inline]] static inline void store_bytes(std::uint8_t* to,
                                                        const Integers (&vectors)[kCount]) {
#if defined(__AVX2__)
    // The compiler would convert one vector after the other, which takes twice as long. Packing
    // works within quarters or halves of a vector, so that groups of four bytes are out of order.
    if constexpr (kCount == 4 && kLanes >= 8) {
      constexpr int kParts = kLanes / 4;
      Integers order, low, high, bytes;
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) order[i] = i % kParts * 4 + i / kParts;
      asm("vpackssdw %2, %1, %0" : "=v"(low) : "v"(vectors[0]), "v"(vectors[1]));
      asm("vpackssdw %2, %1, %0" : "=v"(high) : "v"(vectors[2]), "v"(vectors[3]));
      asm("vpackuswb %2, %1, %0" : "=v"(bytes) : "v"(low), "v"(high));
      asm("vpermd %0, %1, %0" : "+v"(bytes) : "v"(order));
      __builtin_memcpy(to, &bytes, sizeof bytes);
      return;
    }
#endif
    for (int v = 0; v < kCount; ++v) {
      *reinterpret_cast<Bytes*>(to + v * kLanes) = __builtin_convertvector(vectors[v], Bytes);
    }
  }

  /// Writes kCount vectors times `factor`, rounded.
  template <int kCount>
  [[gnu::always_inline]] static inline void scale_to_bytes(const float* in, Vector factor,
                                                           std::uint8_t* to) {
    Integers vectors[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      const Vector scaled = load(in + v * kLanes) * factor + all(0.5f);
      vectors[v] = __builtin_convertvector(scaled, Integers);
    }
    store_bytes(to, vectors);
  }

  /// The largest of whole panels of values, none negative. Four vectors at a time: each comparison
  /// takes four cycles, and would otherwise wait for the one before.
  [[gnu::always_inline]] static inline float largest_of(const float* values, std::size_t count) {
    constexpr std::size_t kAtOnce = 4 * kLanes;
    Vector most[4] = {};
    std::size_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) most[k] = larger(load(values + i + k * kLanes), most[k]);
    }
    for (; i < count; i += kLanes) most[0] = larger(load(values + i), most[0]);
    const Vector largest = larger(larger(most[0], most[1]), larger(most[2], most[3]));
    Partial all_lanes{};
    all_lanes.part[0] = largest;
    return highest(all_lanes);
  }

  static void to_bytes(const BytesPass& pass, std::size_t rows) {
    constexpr float kMost = kMostByte;
    for (std::size_t row = 0; row < rows; ++row) {
      const float* in = pass.in + row * pass.stride;
      std::uint8_t* bytes = pass.bytes + row * pass.stride;
      const float most = largest_of(in, pass.stride);
      pass.units[row] = most / kMost;
      const Vector factor = all(most > 0 ? kMost / most : 0.0f);
      // A product that is rounded up cannot turn 127 into 128.
      std::size_t column = 0;
      for (; column + 4 * kLanes <= pass.stride; column += 4 * kLanes) {
        scale_to_bytes<4>(in + column, factor, bytes + column);
      }
      for (; column < pass.stride; column += kLanes) {
        scale_to_bytes<1>(in + column, factor, bytes + column);
      }
    }
  }

  static void relu_values(const float* in, float* out, std::size_t count) {
    for (std::size_t i = 0; i < count; i += kLanes) store(out + i, relu(load(in + i)));
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

  /// kGroup outputs share the loads of the row and the final reduction. No branch depends on the
  /// wanted outputs: kNoLogit selects the row of zeros.
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

  /// The last group overlaps the previous one instead of being smaller.
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

  /// The sums of kPanels panels of one row stay in registers over all its features.
  template <int kPanels>
  [[gnu::always_inline]] static inline void sparse_columns(const SparsePass& pass, std::size_t row,
                                                           std::size_t column, const float* weights,
                                                           std::size_t weight_stride) {
    constexpr int kWide = kPanels * kVectors;
    const std::uint16_t* index = pass.index + row * pass.entry_stride;
    const float* value = pass.value + row * pass.entry_stride;
    Vector sum[kWide];
#pragma GCC unroll 8
    for (int v = 0; v < kWide; ++v) sum[v] = load(pass.bias + column + v * kLanes);
    for (std::size_t i = 0; i < pass.active[row]; ++i) {
      const float* weight = weights + index[i] * weight_stride;
      const Vector factor = all(value[i]);
#pragma GCC unroll 8
      for (int v = 0; v < kWide; ++v) multiply_add(sum[v], factor, load(weight + v * kLanes));
    }
    finish(pass, sum, pass.out + row * pass.stride + column, row, column == 0);
  }

  /// All rows for one group of columns after the other, eight vectors at a time: rows next to each
  /// other share most features, whose weights in a group fit into the first-level cache.
  static void sparse_linear(const SparsePass& pass, std::size_t rows) {
    constexpr std::size_t kPanels = 8 / kVectors;
    for (std::size_t first = 0; first < pass.stride; first += kSparseColumns) {
      const std::size_t left = pass.stride - first;
      const std::size_t columns = left < kSparseColumns ? left : kSparseColumns;
      const float* weights = pass.weight + first * pass.features;
      for (std::size_t row = 0; row < rows; ++row) {
        std::size_t column = 0;
        for (; column + kPanels * kPanel <= columns; column += kPanels * kPanel) {
          sparse_columns<kPanels>(pass, row, first + column, weights + column, columns);
        }
        for (; column < columns; column += kPanel) {
          sparse_columns<1>(pass, row, first + column, weights + column, columns);
        }
      }
    }
  }

  /// Integers of 16 bits, as many as fill one vector, and half of them.
  typedef std::int16_t Shorts __attribute__((vector_size(4 * kLanes), may_alias));
  typedef std::int16_t HalfShorts __attribute__((vector_size(2 * kLanes)));
  static constexpr int kShorts = 2 * kLanes;
  static_assert(kShortColumns % kShorts == 0);

  [[gnu::always_inline]] static inline Shorts load_shorts(const std::int16_t* from) {
    return *reinterpret_cast<const Shorts*>(from);
  }

  /// weights * shares / 2^15, rounded to the nearest integer, halves up.
  [[gnu::always_inline]] static inline Shorts share_of(Shorts weights, Shorts shares) {
    Shorts product;
#if defined(__AVX2__)
    asm("vpmulhrsw %2, %1, %0" : "=v"(product) : "v"(weights), "v"(shares));
#else
    const auto* w = reinterpret_cast<const std::int16_t*>(&weights);
    const auto* s = reinterpret_cast<const std::int16_t*>(&shares);
    auto* z = reinterpret_cast<std::int16_t*>(&product);
    for (int i = 0; i < kShorts; ++i) {
      z[i] = static_cast<std::int16_t>((w[i] * s[i] + (1 << 14)) >> 15);
    }
#endif
    return product;
  }

  /// Half kHalf, 0 or 1, as floats. In assembly, because g++ 12 converts a long vector in quarters
  /// that pass through memory.
  template <int kHalf>
  [[gnu::always_inline]] static inline Vector half_of(Shorts shorts) {
#if defined(__AVX512F__)
    if constexpr (kLanes == 16) {
      Integers half;
      if constexpr (kHalf == 1) asm("vextracti64x4 $1, %0, %t0" : "+v"(shorts));
      asm("vpmovsxwd %t1, %0" : "=v"(half) : "v"(shorts));
      return __builtin_convertvector(half, Vector);
    }
#endif
    HalfShorts half;
    __builtin_memcpy(&half, reinterpret_cast<const char*>(&shorts) + kHalf * sizeof half,
                     sizeof half);
    return __builtin_convertvector(half, Vector);
  }

  /// Finishes the first kCount vectors of a row from its sums from `column` on.
  template <int kCount, int kWide>
  [[gnu::always_inline]] static inline void finish_shorts(const ShortSparsePass& pass,
                                                          std::size_t row, std::size_t column,
                                                          const Shorts (&sum)[kWide]) {
    Vector result[kCount];
#pragma GCC unroll 16
    for (int v = 0; v < kCount; ++v) {
      const Vector total = v % 2 == 0 ? half_of<0>(sum[v / 2]) : half_of<1>(sum[v / 2]);
      result[v] = load(pass.bias + column + v * kLanes);
      multiply_add(result[v], total, load(pass.units + column + v * kLanes));
    }
    finish(pass, result, pass.out + row * pass.stride + column, row, column == 0);
  }

  /// All rows for kColumns columns. The sums of whole weights stay in registers from row to row.
  template <int kColumns>
  static void short_columns(const ShortSparsePass& pass, std::size_t rows, std::size_t column,
                            const std::int16_t* weights, std::size_t weight_stride) {
    constexpr int kWide = kColumns / kShorts;
    Shorts wholes[kWide] = {};
    for (std::size_t row = 0; row < rows; ++row) {
      const ShortCounts& counts = pass.counts[row];
      if (!counts.follows) {
        for (Shorts& whole : wholes) whole = Shorts{};
      }
      const std::uint16_t* const added = pass.changes + row * pass.change_stride;
      const std::uint16_t* const removed = added + counts.added;
      // Subtraction first: every sum in between consists of weights of a single row.
      for (std::size_t i = 0; i < counts.removed; ++i) {
        const std::int16_t* weight = weights + removed[i] * weight_stride;
#pragma GCC unroll 8
        for (int v = 0; v < kWide; ++v) wholes[v] -= load_shorts(weight + v * kShorts);
      }
      for (std::size_t i = 0; i < counts.added; ++i) {
        const std::int16_t* weight = weights + added[i] * weight_stride;
#pragma GCC unroll 8
        for (int v = 0; v < kWide; ++v) wholes[v] += load_shorts(weight + v * kShorts);
      }
      Shorts sum[kWide];
#pragma GCC unroll 8
      for (int v = 0; v < kWide; ++v) sum[v] = wholes[v];
      const std::uint16_t* parts = pass.parts + row * pass.part_stride;
      const std::int16_t* shares = pass.shares + row * pass.part_stride;
      for (std::size_t i = 0; i < counts.parts; ++i) {
        const std::int16_t* weight = weights + parts[i] * weight_stride;
        const Shorts share = shares[i] - Shorts{};
#pragma GCC unroll 8
        for (int v = 0; v < kWide; ++v) {
          sum[v] += share_of(load_shorts(weight + v * kShorts), share);
        }
      }
      if (column + kColumns <= pass.stride) {
        finish_shorts<2 * kWide>(pass, row, column, sum);
      } else {  // the last panel is the weights' padding
        finish_shorts<2 * kWide - kVectors>(pass, row, column, sum);
      }
    }
  }

  static void short_sparse_linear(const ShortSparsePass& pass, std::size_t rows) {
    constexpr int kInRegisters = kLanes == 16 ? 128 : 64;  // columns with their sums in registers
    for (std::size_t first = 0; first < pass.stride; first += kSparseColumns) {
      const std::size_t left = (pass.stride - first + kShortColumns - 1) & ~(kShortColumns - 1);
      const std::size_t columns = left < kSparseColumns ? left : kSparseColumns;
      const std::int16_t* weights = pass.weight + first * pass.features;
      std::size_t column = 0;
      for (; column + kInRegisters <= columns; column += kInRegisters) {
        short_columns<kInRegisters>(pass, rows, first + column, weights + column, columns);
      }
      for (; column < columns; column += kShortColumns) {
        short_columns<static_cast<int>(kShortColumns)>(pass, rows, first + column, weights + column,
                                                       columns);
      }
    }
  }

  /// exp(x) for x from kLowest to 0, with a relative error of about 1e-7: 2^n times a polynomial in
  /// x - n log 2, whose magnitude is at most half of log 2.
  [[gnu::always_inline]] static inline Vector exponential(Vector x) {
    constexpr float kRound = 12582912.0f;  // 3 * 2^22: adding it rounds to an integer
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

/// The template parameters are those of LinearKernel; kByteRows: of its tiles of bytes.
template <int kLanes, int kMaxRows, int kRegisters, int kByteRows, bool kVnni = false>
constexpr Kernels make_kernels(const char* name) {
  using Linear = LinearKernel<kLanes, FloatTerms<kLanes>, kMaxRows, kRegisters>;
  using ByteLinear = LinearKernel<kLanes, ByteTerms<kLanes, kVnni>, kByteRows, kRegisters>;
  using Rows = RowKernels<kLanes>;
  return {name,
          Vectors<kLanes>::kFma,
          kMaxRows,
          &Linear::template linear<false>,
          &Linear::template linear<true>,
          &Rows::to_bytes,
          &ByteLinear::template linear<false>,
          &ByteLinear::template linear<true>,
          &Rows::norm_relu,
          &Rows::relu_values,
          &Rows::dots,
          &Rows::sparse_linear,
          &Rows::short_sparse_linear,
          &Rows::softmax,
          &Rows::centre,
          &Rows::sum_squares};
}

}  // namespace
}  // namespace senet
