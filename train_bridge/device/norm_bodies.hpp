// LayerNorm and ReLU, fused with all other work on the same row: the bias of the Linear before it,
// the residual stream, and copies in the precision of the matrix products.
//
//   Real     of sums, statistics, gradients and the residual stream: float; double in tests
//   Operand  of the inputs of matrix products: Real, bfloat16 or half
//
// Rows have a stride of at least their width; the padding is zero and is not written.
#pragma once

#include "nn/kernels.hpp"
#include "train_bridge/device/group.hpp"

namespace senet {

/// x = product + bias + residual, then y = relu(norm(x) * scale + shift), for one row.
template <class Real, class Operand>
struct NormForward {
  const Real* product;   // [rows, stride]
  const Real* bias;      // [width], or null
  const Real* residual;  // [rows, stride], or null
  const Real* scale;     // [width]
  const Real* shift;     // [width]
  Real* x;               // [rows, stride], may be `product`
  Operand* y;            // [rows, stride], or null
  Real* stream;          // y as Real, [rows, stride], or null
  Real* mean;            // [rows]
  Real* inverse;         // [rows], 1 / sqrt(variance + epsilon)
  std::size_t width, stride;

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t row) const {
    const std::size_t at = row * stride;
    Real sum = 0;
    for (std::size_t i = group.lane(); i < width; i += group.lanes()) {
      Real value = product[at + i];
      if (bias != nullptr) value += bias[i];
      if (residual != nullptr) value += residual[at + i];
      x[at + i] = value;
      sum += value;
    }
    const Real middle = group.sum(sum) / static_cast<Real>(width);
    // The variance is computed around the mean in a second pass, so it can neither cancel nor
    // become negative.
    Real squares = 0;
    for (std::size_t i = group.lane(); i < width; i += group.lanes()) {
      const Real off = x[at + i] - middle;
      squares += off * off;
    }
    const Real variance = group.sum(squares) / static_cast<Real>(width);
    const Real factor = Real{1} / std::sqrt(variance + static_cast<Real>(kNormEpsilon));
    for (std::size_t i = group.lane(); i < width; i += group.lanes()) {
      const Real value = (x[at + i] - middle) * factor * scale[i] + shift[i];
      // Unlike a plain maximum, this propagates NaN.
      const Real positive = value <= Real{0} ? Real{0} : value;
      if (y != nullptr) y[at + i] = static_cast<Operand>(positive);
      if (stream != nullptr) stream[at + i] = positive;
    }
    if (group.lane() == 0) {
      mean[row] = middle;
      inverse[row] = factor;
    }
  }
};

/// Inputs of both halves of the backward pass.
template <class Real>
struct NormSaved {
  const Real* x;        // [rows, stride]
  const Real* scale;    // [width]
  const Real* shift;    // [width]
  const Real* mean;     // [rows]
  const Real* inverse;  // [rows]
  std::size_t width, stride;

  SENET_DEVICE Real normal(std::size_t row, std::size_t i) const {
    return (x[row * stride + i] - mean[row]) * inverse[row];
  }
  /// The gradient of the ReLU's input, given that of its output.
  SENET_DEVICE Real passed(std::size_t i, Real normal, Real d_y) const {
    return normal * scale[i] + shift[i] > Real{0} ? d_y : Real{0};
  }
};

/// d_x of a row: with u = gradient of the ReLU's input * scale,
///   d_x = inverse * (u - mean(u) - normal * mean(u * normal))
template <class Real, class Operand>
struct NormBackward {
  NormSaved<Real> saved;
  const Real* d_y;  // [rows, stride]
  Real* d_stream;   // [rows, stride]: d_x is written or added to it; or null
  bool add;         // to d_stream
  Operand* d_x;     // [rows, stride]: the resulting d_stream, or d_x if that is null; or null

  template <class Group>
  SENET_DEVICE void operator()(const Group& group, std::size_t row) const {
    const std::size_t width = saved.width, at = row * saved.stride;
    Real sum = 0, sum_normal = 0;
    for (std::size_t i = group.lane(); i < width; i += group.lanes()) {
      const Real normal = saved.normal(row, i);
      const Real u = saved.passed(i, normal, d_y[at + i]) * saved.scale[i];
      sum += u;
      sum_normal += u * normal;
    }
    const Real mean = group.sum(sum) / static_cast<Real>(width);
    const Real mean_normal = group.sum(sum_normal) / static_cast<Real>(width);
    for (std::size_t i = group.lane(); i < width; i += group.lanes()) {
      const Real normal = saved.normal(row, i);
      const Real u = saved.passed(i, normal, d_y[at + i]) * saved.scale[i];
      Real result = saved.inverse[row] * (u - mean - normal * mean_normal);
      if (d_stream != nullptr) {
        if (add) result += d_stream[at + i];
        d_stream[at + i] = result;
      }
      if (d_x != nullptr) d_x[at + i] = static_cast<Operand>(result);
    }
  }
};

/// Sums over rows are computed per chunk, one thread per chunk and column, and then added up in
/// order (AddChunks), so that a step is repeatable.
struct Chunks {
  std::size_t rows, size;  // of all chunks, and of one

  SENET_DEVICE std::size_t begin(std::size_t chunk) const { return chunk * size; }
  SENET_DEVICE std::size_t end(std::size_t chunk) const {
    return (chunk + 1) * size < rows ? (chunk + 1) * size : rows;
  }
  std::size_t count() const { return (rows + size - 1) / size; }
};

/// Storage of the chunks' sums: a value for each chunk and column.
template <class Real>
struct ChunkSums {
  Real* values = nullptr;  // [chunks, stride]
  std::size_t stride = 0;  // between chunks

  SENET_DEVICE Real& at(std::size_t chunk, std::size_t column) const {
    return values[chunk * stride + column];
  }
};

/// Gradients of scale and shift for one column, over a chunk of rows.
template <class Real>
struct NormColumns {
  NormSaved<Real> saved;
  const Real* d_y;  // [rows, stride]
  Chunks chunks;
  ChunkSums<Real> d_scale, d_shift;

  SENET_DEVICE void operator()(std::size_t chunk, std::size_t column) const {
    Real scale_sum = 0, shift_sum = 0;
    for (std::size_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
      const Real normal = saved.normal(row, column);
      const Real g = saved.passed(column, normal, d_y[row * saved.stride + column]);
      scale_sum += g * normal;
      shift_sum += g;
    }
    d_scale.at(chunk, column) = scale_sum;
    d_shift.at(chunk, column) = shift_sum;
  }
};

/// Sum of one column over a chunk of rows: the gradient of a bias.
template <class Real, class Operand>
struct ColumnSums {
  const Operand* d_out = nullptr;  // [rows, stride]
  std::size_t columns = 0, stride = 0;
  Chunks chunks;
  ChunkSums<Real> sums;

  SENET_DEVICE void operator()(std::size_t chunk, std::size_t column) const {
    Real sum = 0;
    for (std::size_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
      sum += static_cast<Real>(d_out[row * stride + column]);
    }
    sums.at(chunk, column) = sum;
  }
};

/// Both: the norm's columns first, then the other's.
template <class Real, class Operand>
struct BackwardColumns {
  NormColumns<Real> norm;
  ColumnSums<Real, Operand> other;

  std::size_t columns() const { return norm.saved.width + other.columns; }
  SENET_DEVICE void operator()(std::size_t chunk, std::size_t column) const {
    const std::size_t width = norm.saved.width;
    if (column < width) {
      norm(chunk, column);
    } else {
      other(chunk, column - width);
    }
  }
};

/// Adds up the chunks' sums of one column to a gradient.
template <class Real>
struct AddChunks {
  ChunkSums<Real> sums;
  std::size_t chunks;
  Real* gradient;  // [columns]

  SENET_DEVICE void operator()(std::size_t /*chunk*/, std::size_t column) const {
    Real sum = 0;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) sum += sums.at(chunk, column);
    gradient[column] = sum;
  }
};

}  // namespace senet
