// The inner loops of the forward pass, compiled once per instruction set. The program chooses a
// version at run time.
//
// Shapes. The stride of activation rows is a multiple of kPanel floats; columns beyond the width
// are zero. Rows, weights, squares, scales and shifts are 64-byte aligned.
//
// Centred rows. LayerNorm ignores a constant added to a whole row. So the weights and bias of every
// Linear in front of a norm are packed with their mean over the outputs subtracted, and the
// residual stream starts with its mean subtracted. Every row that a norm reads then has mean zero,
// and its variance is the sum of its squares divided by the width. The Linear computes that sum
// while the row is still in registers.
//
// Sums. At every vector length, a sum over a row is kept as kPanel partial sums (column modulo
// kPanel), which are added pairwise at distances 8, 4, 2 and 1; a Linear adds its inputs in order.
// So all instruction sets with fused multiply-add give the same bits, and a row's result never
// depends on the other rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace senet {

/// Columns of a weight panel, and partial sums of a row.
inline constexpr std::size_t kPanel = 16;

/// The epsilon that LayerNorm adds to the variance, in evaluation and in training alike.
inline constexpr double kNormEpsilon = 1e-5;

/// What follows a layer. A Linear applies a ReLU before it stores the result, and only in front of
/// a norm it writes `squares`, which may be null otherwise.
enum class Then : std::uint8_t { kNothing, kNorm, kRelu };

/// out = weight in + bias, for rows of activations.
struct LinearPass {
  const float* in;          // [rows, in_stride]
  std::size_t in_stride;    // in floats
  std::size_t inputs;       // columns of `in` to read
  const float* panels;      // [panel_count, inputs, kPanel]
  const float* bias;        // [panel_count * kPanel], 64-byte aligned
  std::size_t panel_count;  // outputs / kPanel, rounded up
  float* out;               // [rows, out_stride]
  std::size_t out_stride;   // in floats, >= panel_count * kPanel
  Then then;
  float* squares;  // [rows, kPanel]: partial sums of the squares of `out`, if a norm follows
};

/// Inputs whose weights are stored side by side for one output in a product of bytes.
inline constexpr std::size_t kByteGroup = 4;

/// The largest activation as a byte. With seven bits, the sum of two products of bytes fits into 16
/// bits, which AVX2 needs; so all instruction sets give the same sums.
inline constexpr int kMostByte = 127;

/// Rows of activations, none negative, as bytes and the value of their unit:
/// bytes = round(in / unit), where `unit` is the row's largest value / kMostByte.
struct BytesPass {
  const float* in;      // [rows, stride]
  std::size_t stride;   // in values, a multiple of kPanel
  std::uint8_t* bytes;  // [rows, stride]
  float* units;         // [rows]
};

/// The same as LinearPass for bytes: out = unit (weight in) weight_unit + bias. The sum over the
/// inputs is exact.
struct ByteLinearPass {
  const std::uint8_t* in;     // [rows, in_stride], at most kMostByte
  const float* units;         // [rows], of `in`
  std::size_t in_stride;      // in bytes, a multiple of kByteGroup
  std::size_t inputs;         // columns of `in` to read, a multiple of kByteGroup
  const std::int8_t* panels;  // [panel_count, inputs / kByteGroup, kPanel, kByteGroup]
  const float* weight_units;  // [panel_count * kPanel], one for each output, 64-byte aligned
  const float* bias;          // [panel_count * kPanel], 64-byte aligned
  std::size_t panel_count;
  float* out;
  std::size_t out_stride;
  Then then;
  float* squares;
};

/// out = relu(in / sqrt(mean square + kNormEpsilon) * scale + shift), for rows whose mean is zero.
struct NormPass {
  const float* in;       // [rows, stride]
  float* out;            // [rows, stride], may be `in`
  std::size_t stride;    // in floats
  std::size_t width;     // divisor of the mean square
  const float* squares;  // [rows, kPanel]
  const float* scale;    // [stride], zero beyond the width
  const float* shift;    // [stride], zero beyond the width
};

/// One row's inner products with some rows of a weight matrix.
struct DotPass {
  const float* in;      // [stride]
  const float* weight;  // [outputs + 1, stride], the last row all zeros
  const float* bias;    // [outputs + 1], the last zero
  std::size_t outputs;
  std::size_t stride;           // in floats
  const std::uint16_t* wanted;  // [count] output indices; kNoLogit gives 0
  std::size_t count;
  float* out;  // [count]
};

/// Outputs of a sparse input layer whose weights are stored together.
inline constexpr std::size_t kSparseColumns = 128;

/// A sparse input layer: each row of `out` is the sum of value[i] * weight[index[i]] + bias over
/// the row's entries, in their order.
struct SparsePass {
  const std::uint16_t* index;   // [rows, entry_stride]
  const float* value;           // [rows, entry_stride]
  const std::uint16_t* active;  // [rows] number of entries of each row
  std::size_t entry_stride;
  /// For each kSparseColumns outputs, [features, kSparseColumns]; for the rest, [features, rest].
  const float* weight;
  const float* bias;     // [stride], 64-byte aligned
  std::size_t features;  // rows of `weight`
  std::size_t stride;    // outputs, in floats
  float* out;            // [rows, stride]
  Then then;
  float* squares;  // [rows, kPanel], if a norm follows
};

/// The entries of a row of ShortSparsePass.
struct ShortCounts {
  std::uint16_t added, removed;  // of `changes`
  std::uint16_t parts;
  std::uint16_t
      follows;  // 1: the sum of whole weights begins with that of the row before; 0: with 0
};

/// The same in 16 bits: each row of `out` is unit * sum + bias, where the sum consists of whole
/// weights and of shares of weights, each rounded to an integer. The caller ensures that every sum
/// of some of a row's pieces fits into 16 bits; so sums are exact in any order.
struct ShortSparsePass {
  const std::uint16_t* changes;  // [rows, change_stride] features whose weights are added, whole,
                                 // then those whose weights are subtracted
  const std::uint16_t* parts;    // [rows, part_stride] features of which a share is added
  const std::int16_t* shares;    // [rows, part_stride] these shares, in units of 2^-15
  const ShortCounts* counts;     // [rows]
  std::size_t change_stride, part_stride;
  /// As in SparsePass, the rest rounded up to a multiple of kShortColumns, with zeros.
  const std::int16_t* weight;
  const float* units;    // [stride], the value of 1 in each output's weights, 64-byte aligned
  const float* bias;     // [stride], 64-byte aligned
  std::size_t features;  // rows of `weight`
  std::size_t stride;    // outputs, in floats
  float* out;            // [rows, stride]
  Then then;
  float* squares;  // [rows, kPanel], if a norm follows
};

/// Columns of 16 bits in the longest vector.
inline constexpr std::size_t kShortColumns = 32;

/// The kernels for one instruction set. Pure functions: no state, no allocation, safe on any
/// thread.
struct Kernels {
  const char* name;  // "avx512_vnni", "avx512", "avx2", "portable"
  bool fma;          // uses fused multiply-add: all versions that do give the same bits

  /// Rows that linear() processes at a time: blocks of a multiple of it are fastest.
  std::size_t tile_rows;

  void (*linear)(const LinearPass& pass, std::size_t rows);
  /// Like linear(), but adds to `out`; what follows reads the sum.
  void (*add_linear)(const LinearPass& pass, std::size_t rows);
  void (*to_bytes)(const BytesPass& pass, std::size_t rows);
  void (*byte_linear)(const ByteLinearPass& pass, std::size_t rows);
  void (*add_byte_linear)(const ByteLinearPass& pass, std::size_t rows);
  void (*norm_relu)(const NormPass& pass, std::size_t rows);
  /// out[0, count) = max(0, in[0, count)), for whole panels; `out` may be `in`.
  void (*relu)(const float* in, float* out, std::size_t count);
  void (*dots)(const DotPass& pass);
  void (*sparse_linear)(const SparsePass& pass, std::size_t rows);
  void (*short_sparse_linear)(const ShortSparsePass& pass, std::size_t rows);
  /// out[0, count) = softmax of in[0, count). Works on whole panels: beyond `count` the input must
  /// hold values so low (-1e30) that they have no weight, and the output is unspecified. Both are
  /// 64-byte aligned.
  void (*softmax)(const float* in, float* out, std::size_t count);
  /// Subtracts each row's mean from its first `width` columns and writes the partial sums of
  /// squares of the result.
  void (*centre)(float* values, std::size_t stride, std::size_t width, float* squares,
                 std::size_t rows);
  /// Writes the partial sums of the squares of each row.
  void (*sum_squares)(const float* in, std::size_t stride, float* squares, std::size_t rows);
};

/// The fastest version that this processor supports.
const Kernels& best_kernels();

/// Version `number` of those that this processor supports, fastest first; null past the last.
const Kernels* runnable_kernels(std::size_t number);

// All versions. runnable_kernels() lists those that the processor supports.
extern const Kernels kPortableKernels;
extern const Kernels kAvx2Kernels;    // x86-64 only: AVX2 and FMA
extern const Kernels kAvx512Kernels;  // x86-64 only: AVX-512 F, VL, DQ, BW
extern const Kernels kVnniKernels;    // ... and VNNI, for products of bytes

}  // namespace senet
