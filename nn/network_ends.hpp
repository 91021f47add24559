// What the fast evaluators share: a network's sparse input stage and its two output layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/batch.hpp"
#include "nn/kernels.hpp"
#include "nn/network_spec.hpp"
#include "nn/packed_layers.hpp"

namespace senet {

/// What a NetworkEnds of this shape writes on its way. Belongs to one thread at a time.
struct EndsScratch {
  static constexpr std::size_t kDenseRows = 24;  // scattered at a time; a multiple of tile_rows
  static constexpr std::size_t kValueRows = 16;  // whose raw outcomes are kept at a time

  explicit EndsScratch(const NetworkSpec& spec, Heap& heap = default_heap());

  AlignedFloats dense_rows;    // [kDenseRows, padded(features)]
  AlignedFloats raw_outcomes;  // [kValueRows, padded(outcomes)], before the softmax
  AlignedFloats shares;        // [padded(outcomes)], after it
};

/// Everything before and behind the square Linear layers. Rows of activations have the stride
/// padded(spec.width). Owns packed weights, which nothing but the load functions changes: any
/// number of threads may run it at once, each with a scratch of its own.
class NetworkEnds {
 public:
  /// Most rows whose logits are computed at once: all of a row's are long, and should be picked
  /// from a near cache.
  static constexpr std::size_t kLogitRows = 48;

  /// `kernels` outlives this. The weights come from `heap`.
  NetworkEnds(const NetworkSpec& spec, const Kernels& kernels, Heap& heap = default_heap());

  /// The three parts' weights. Allocate nothing.
  void load_input(const LinearView& linear, const NormView& norm, OutputMeans& means);
  void load_policy_out(const LinearView& linear) { policy_out_.load(linear); }
  void load_value_out(const LinearView& linear) { value_out_.load(linear); }

  /// Rows [first, first + rows) of the batch through the input stage, into `trunk` [rows, stride]
  /// with each row's mean taken away: from there on only norms read the residual stream, and they
  /// do not see its mean. `squares` [rows, kPanel] are those of the result.
  void run_input(const Batch& batch, std::size_t first, std::size_t rows, float* trunk,
                 float* squares, EndsScratch& scratch) const;

  /// Answers the rows' wanted logits from the policy head's last hidden rows. For each run of
  /// up to kLogitRows neighbours that want most logits `all_logits(row, count)` is asked for all of
  /// them: it returns [count, padded(policy_logits)] f32 of rows [row, row + count) of `hidden`.
  template <class AllLogits>
  void answer_policy(const Batch& batch, std::size_t first, std::size_t rows, const float* hidden,
                     AllLogits&& all_logits) const {
    std::size_t row = 0;
    while (row < rows) {
      std::size_t end = row;
      while (end < rows && end - row < kLogitRows && wants_all_logits(batch.answer(first + end)))
        ++end;
      if (end == row) {
        answer_wanted(batch.answer(first + row), hidden + row * stride_);
        ++row;
        continue;
      }
      const float* all = all_logits(row, end - row);
      for (; row < end; ++row, all += padded(policy_logits_)) pick(batch.answer(first + row), all);
    }
  }

  /// Answers the rows' outcomes from the value head's last hidden rows: the last Linear and its
  /// softmax.
  void answer_value(const Batch& batch, std::size_t first, std::size_t rows, const float* hidden,
                    EndsScratch& scratch) const;

 private:
  /// Whether a row wants so many logits that computing all of them, in a matrix product with other
  /// rows, is cheaper than an inner product for each. Looks at this row only: who shares its batch
  /// must not change how its answer is rounded.
  bool wants_all_logits(const RowAnswer& answer) const {
    return answer.wanted.size() * 2 > policy_logits_;
  }
  /// Whether a row has so many features that a dense product is cheaper; looks at this row only.
  bool is_dense(const Batch& batch, std::size_t row) const {
    return std::size_t{*batch.active(row)} * 2 > features_;
  }
  void run_sparse_input(const Batch& batch, std::size_t first, std::size_t rows, float* out,
                        float* squares) const;
  void run_dense_input(const Batch& batch, std::size_t first, std::size_t rows, float* out,
                       float* squares, EndsScratch& scratch) const;
  void answer_wanted(const RowAnswer& answer, const float* hidden) const;
  void pick(const RowAnswer& answer, const float* all) const;
  /// Whether these are 0, 1, 2 ...
  bool in_order(std::span<const std::uint16_t> numbers) const;

  const Kernels& kernels_;
  std::size_t features_, width_, stride_, policy_logits_, outcomes_;
  SparseLinear input_;
  PanelLinear dense_input_;  // the same weights
  PackedNorm input_norm_;
  RowLinear policy_out_, value_out_;
  std::vector<std::uint16_t> ascending_;  // 0, 1, 2 ... up to the longest row's length
};

}  // namespace senet
