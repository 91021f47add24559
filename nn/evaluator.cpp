#include "nn/evaluator.hpp"

#include "nn/faster_kind.hpp"
#include "nn/fused_evaluator.hpp"
#include "nn/hash_evaluator.hpp"
#include "nn/onednn_evaluator.hpp"
#include "nn/reference_evaluator.hpp"

namespace senet {

EvaluatorKind resolve_kind(EvaluatorKind kind, const Network& network, std::size_t max_rows,
                           bool exact) {
  return kind == EvaluatorKind::kAuto ? faster_kind(network, max_rows, exact) : kind;
}

Result<std::unique_ptr<Evaluator>> make_evaluator(EvaluatorKind kind, const Network& network,
                                                  std::size_t max_rows, bool exact) {
  if (max_rows == 0) return fail("an evaluator needs room for at least one row");
  const Result<void> checked = check_spec(network.spec());
  if (!checked) return checked.error();
  switch (resolve_kind(kind, network, max_rows, exact)) {
    case EvaluatorKind::kAuto:
      break;  // never: it is resolved
    case EvaluatorKind::kFused:
      return std::make_unique<FusedEvaluator>(network);
    case EvaluatorKind::kOneDnn:
      return OneDnnEvaluator::make(network, max_rows, exact);
    case EvaluatorKind::kReference:
      return std::make_unique<ReferenceEvaluator>(network);
    case EvaluatorKind::kHash:
      return std::make_unique<HashEvaluator>();
  }
  return fail("no such kind of evaluator");
}

}  // namespace senet
