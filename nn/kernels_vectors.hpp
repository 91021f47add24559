// Compiler vectors of floats, the same code for every instruction set. Included by one source file
// per instruction set, each compiled with its own flags; everything is in an unnamed namespace and
// no library header with code is included, so that no function made for one instruction set can end
// up in a program's path for another.
#pragma once

#include "nn/kernels.hpp"

namespace senet {
namespace {

/// Vectors of kLanes floats, kPanel partial sums in them, and how those become one.
template <int kLanes>
struct Vectors {
  typedef float Vector __attribute__((vector_size(4 * kLanes), may_alias));
  typedef float Quad __attribute__((vector_size(16), may_alias));
  typedef float Eight __attribute__((vector_size(32), may_alias));
  typedef float QuadAnywhere __attribute__((vector_size(16), aligned(4), may_alias));
  typedef float EightAnywhere __attribute__((vector_size(32), aligned(4), may_alias));
  typedef std::int32_t Integers __attribute__((vector_size(4 * kLanes), may_alias));
  static constexpr int kVectors = static_cast<int>(kPanel) / kLanes;  // of a panel

  static_assert(kVectors * kLanes == static_cast<int>(kPanel));

  [[gnu::always_inline]] static inline Vector load(const float* from) {
    return *reinterpret_cast<const Vector*>(from);
  }
  [[gnu::always_inline]] static inline void store(float* to, Vector value) {
    *reinterpret_cast<Vector*>(to) = value;
  }
  [[gnu::always_inline]] static inline Vector all(float value) { return value - Vector{}; }

  /// The larger of each pair, b where they are equal or one is no number. Spelt out where g++ 12
  /// makes a comparison and a masked move of it.
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

  /// Partial sums of one row, kPanel of them.
  struct Partial {
    Vector part[kVectors];
  };

  [[gnu::always_inline]] static inline void add_square(Partial& sum, int part, Vector x) {
    multiply_add(sum.part[part], x, x);
  }

  /// Sixteen partial sums to four: distances 8 and 4.
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

  /// Four to one: distances 2 and 1.
  [[gnu::always_inline]] static inline float total(const Partial& sum) {
    const Quad four = fold(sum);
    return (four[0] + four[2]) + (four[1] + four[3]);
  }

  /// The largest of sixteen.
  [[gnu::always_inline]] static inline float highest(const Partial& values) {
    const Quad four = fold(
        values, [](auto a, auto b) __attribute__((always_inline)) { return a > b ? a : b; });
    const float even = four[0] > four[2] ? four[0] : four[2];
    const float odd = four[1] > four[3] ? four[1] : four[3];
    return even > odd ? even : odd;
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

  // Templates, because g++ 12 takes a Vector of this class for no vector before kLanes is known.

  /// Distance 8 of two rows: eight partial sums of a, then eight of b.
  template <class Any>
  [[gnu::always_inline]] static inline Any add_halves(Any a, Any b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
           __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30,
                                   31);
  }

  /// Distance 4 of four rows.
  template <class Any>
  [[gnu::always_inline]] static inline Any add_quarters(Any ab, Any cd) {
    return __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26,
                                   27) +
           __builtin_shufflevector(ab, cd, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30,
                                   31);
  }

  /// Distances 2 and 1: four partial sums each of a, b, c, d and of e, f, g, h.
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

  /// Rows whose totals are best taken together.
  static constexpr int kGroup = kLanes == 16 ? 8 : 4;

  /// The totals of kGroup rows, into to[0, kGroup).
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
};

}  // namespace
}  // namespace senet
