#include "nn/network_ends.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace senet {

EndsScratch::EndsScratch(const NetworkSpec& spec, Heap& heap)
    : dense_rows(kDenseRows * padded(spec.features), heap),
      raw_outcomes(kValueRows * padded(spec.outcomes), heap),
      shares(padded(spec.outcomes), heap) {
  // What lies behind the last outcome has no share.
  std::fill_n(raw_outcomes.data(), raw_outcomes.size(), -1e30f);
}

NetworkEnds::NetworkEnds(const NetworkSpec& spec, const Kernels& kernels, Heap& heap)
    : kernels_(kernels),
      features_(spec.features),
      width_(spec.width),
      stride_(padded(spec.width)),
      policy_logits_(spec.policy_logits),
      outcomes_(spec.outcomes),
      input_(spec.features, spec.width, heap),
      dense_input_(spec.features, spec.width, heap),
      input_norm_(spec.width, heap),
      policy_out_(spec.width, spec.policy_logits, heap),
      value_out_(spec.width, spec.outcomes, heap),
      ascending_(std::max({spec.features, spec.policy_logits, spec.outcomes})) {
  std::iota(ascending_.begin(), ascending_.end(), std::uint16_t{0});
}

void NetworkEnds::load_input(const LinearView& linear, const NormView& norm, OutputMeans& means) {
  means.measure(linear, Centre::kYes);
  input_.load(linear, means);
  dense_input_.load(linear, means);
  input_norm_.load(norm);
}

void NetworkEnds::run_input(const Batch& batch, std::size_t first, std::size_t rows, float* trunk,
                            float* squares, EndsScratch& scratch) const {
  for (std::size_t row = 0; row < rows;) {
    const bool dense = is_dense(batch, first + row);
    std::size_t end = row + 1;
    while (end < rows && is_dense(batch, first + end) == dense) ++end;
    float* out = trunk + row * stride_;
    if (dense) {
      run_dense_input(batch, first + row, end - row, out, squares + row * kPanel, scratch);
    } else {
      run_sparse_input(batch, first + row, end - row, out, squares + row * kPanel);
    }
    row = end;
  }
  kernels_.norm_relu(
      {trunk, trunk, stride_, width_, squares, input_norm_.scale(), input_norm_.shift()}, rows);
  kernels_.centre(trunk, stride_, width_, squares, rows);
}

void NetworkEnds::run_sparse_input(const Batch& batch, std::size_t first, std::size_t rows,
                                   float* out, float* squares) const {
  kernels_.sparse_linear(
      {batch.index(first).data(), batch.value(first).data(), batch.active(first),
       batch.entry_stride(), input_.weight(), input_.bias(), stride_, out, squares},
      rows);
}

void NetworkEnds::run_dense_input(const Batch& batch, std::size_t first, std::size_t rows,
                                  float* out, float* squares, EndsScratch& scratch) const {
  const std::size_t columns = dense_input_.inputs();
  float* const dense_rows = scratch.dense_rows.data();
  for (std::size_t done = 0; done < rows; done += EndsScratch::kDenseRows) {
    const std::size_t count = std::min(rows - done, EndsScratch::kDenseRows);
    std::fill_n(dense_rows, count * columns, 0.0f);
    for (std::size_t row = 0; row < count; ++row) {
      const auto index = batch.index(first + done + row);
      const auto value = batch.value(first + done + row);
      float* to = dense_rows + row * columns;
      if (in_order(index)) {
        std::copy_n(value.data(), value.size(), to);
        continue;
      }
      for (std::size_t i = 0; i < index.size(); ++i) to[index[i]] += value[i];
    }
    kernels_.linear(
        {dense_rows, columns, columns, dense_input_.panels(), dense_input_.bias(),
         dense_input_.panel_count(), out + done * stride_, stride_, squares + done * kPanel},
        count);
  }
}

void NetworkEnds::answer_wanted(const RowAnswer& answer, const float* hidden) const {
  kernels_.dots(
      policy_out_.pass(hidden, answer.wanted.data(), answer.wanted.size(), answer.logits));
}

void NetworkEnds::pick(const RowAnswer& answer, const float* all) const {
  // Whoever wants everything mostly wants it in order.
  const std::size_t count = answer.wanted.size();
  if (in_order(answer.wanted)) {
    std::copy_n(all, count, answer.logits);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t wanted = answer.wanted[i];
    answer.logits[i] = wanted == kNoLogit ? 0.0f : all[wanted];
  }
}

bool NetworkEnds::in_order(std::span<const std::uint16_t> numbers) const {
  return numbers.size() <= ascending_.size() &&
         std::memcmp(numbers.data(), ascending_.data(), numbers.size_bytes()) == 0;
}

void NetworkEnds::answer_value(const Batch& batch, std::size_t first, std::size_t rows,
                               const float* hidden, EndsScratch& scratch) const {
  // In two passes: the softmax reads whole vectors of what was written piece by piece.
  const std::size_t outcomes = outcomes_, step = padded(outcomes_);
  float *const raw = scratch.raw_outcomes.data(), *const shares = scratch.shares.data();
  for (std::size_t done = 0; done < rows; done += EndsScratch::kValueRows) {
    const std::size_t count = std::min(rows - done, EndsScratch::kValueRows);
    for (std::size_t row = 0; row < count; ++row) {
      kernels_.dots(value_out_.pass(hidden + (done + row) * stride_, ascending_.data(), outcomes,
                                    raw + row * step));
    }
    for (std::size_t row = 0; row < count; ++row) {
      kernels_.softmax(raw + row * step, shares, outcomes);
      std::copy_n(shares, outcomes, batch.answer(first + done + row).outcomes.data());
    }
  }
}

}  // namespace senet
