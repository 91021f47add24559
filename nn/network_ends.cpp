#include "nn/network_ends.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace senet {

NetworkEnds::NetworkEnds(const NetworkSpec& spec, const Kernels& kernels)
    : kernels_(kernels),
      width_(spec.width),
      stride_(padded(spec.width)),
      policy_logits_(spec.policy_logits),
      input_(spec.features, spec.width),
      input_norm_(spec.width),
      policy_out_(spec.width, spec.policy_logits),
      value_out_(spec.width, spec.outcomes),
      every_outcome_(spec.outcomes),
      raw_outcomes_(spec.outcomes) {
  std::iota(every_outcome_.begin(), every_outcome_.end(), std::uint16_t{0});
}

void NetworkEnds::load_input(const LinearView& linear, const NormView& norm, OutputMeans& means) {
  means.measure(linear, Centre::kYes);
  input_.load(linear, means);
  input_norm_.load(norm);
}

void NetworkEnds::run_input(const Batch& batch, std::size_t first, std::size_t rows, float* trunk,
                            float* squares) const {
  for (std::size_t row = 0; row < rows; ++row) {
    const auto index = batch.index(first + row);
    kernels_.sparse_linear({index.data(), batch.value(first + row).data(), index.size(),
                            input_.weight(), input_.bias(), stride_, trunk + row * stride_,
                            squares + row * kPanel});
  }
  kernels_.norm_relu(
      {trunk, trunk, stride_, width_, squares, input_norm_.scale(), input_norm_.shift()}, rows);
  kernels_.centre(trunk, stride_, width_, squares, rows);
}

void NetworkEnds::answer_wanted(const RowAnswer& answer, const float* hidden) const {
  kernels_.dots({hidden, policy_out_.weight(), policy_out_.bias(), stride_, answer.wanted.data(),
                 answer.wanted.size(), answer.logits});
}

void NetworkEnds::pick(const RowAnswer& answer, const float* all) {
  for (std::size_t i = 0; i < answer.wanted.size(); ++i) {
    const std::uint16_t wanted = answer.wanted[i];
    answer.logits[i] = wanted == kNoLogit ? 0.0f : all[wanted];
  }
}

void NetworkEnds::answer_value(const Batch& batch, std::size_t first, std::size_t rows,
                               const float* hidden) {
  for (std::size_t row = 0; row < rows; ++row) {
    kernels_.dots({hidden + row * stride_, value_out_.weight(), value_out_.bias(), stride_,
                   every_outcome_.data(), every_outcome_.size(), raw_outcomes_.data()});
    const std::span<float> outcomes = batch.answer(first + row).outcomes;
    const float largest = *std::ranges::max_element(raw_outcomes_);
    float sum = 0.0f;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      sum += outcomes[i] = std::exp(raw_outcomes_[i] - largest);
    }
    for (float& outcome : outcomes) outcome /= sum;
  }
}

}  // namespace senet
