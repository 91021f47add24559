// An evaluator without a network's cost: every answer is made of the bits of a hash of the row.
#pragma once

#include "nn/evaluator.hpp"

namespace senet {

/// Deterministic on every machine: integer arithmetic, and floats made from integers exactly (or by
/// one correctly rounded division). For tests, signatures of the search and measuring everything
/// but the network. The same features in any order give the same answers; the weights do not
/// matter.
///
///   logits    multiples of 2^-13 in [-4, 4)
///   outcomes  proportional to 16-bit integers above zero
class HashEvaluator : public Evaluator {
 public:
  using Evaluator::forward;
  std::string_view name() const override { return "hash"; }
  void load(const Weights&) override {}
  void forward(const Batch& batch, std::size_t first, std::size_t last) override;
};

}  // namespace senet
