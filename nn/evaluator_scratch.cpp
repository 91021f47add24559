#include "nn/evaluator_scratch.hpp"

namespace senet {

EvaluatorScratch::EvaluatorScratch(const NetworkSpec& spec, Heap& heap)
    : trunk(kRows * padded(spec.width), heap),
      hidden(kRows * padded(spec.width), heap),
      other(kRows * padded(spec.width), heap),
      squares(kRows * kPanel, heap),
      logits(kRows * padded(spec.policy_logits), heap),
      ends(spec, heap) {}

std::size_t EvaluatorScratch::bytes(const NetworkSpec& spec) {
  const std::size_t row = 3 * padded(spec.width) + kPanel + padded(spec.policy_logits);
  const std::size_t ends = EndsScratch::kDenseRows * padded(spec.features) +
                           (EndsScratch::kValueRows + 1) * padded(spec.outcomes);
  return sizeof(EvaluatorScratch) + (kRows * row + ends) * sizeof(float);
}

}  // namespace senet
