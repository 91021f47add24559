#include "nn/evaluator.hpp"

#include <fmt/core.h>

#include "nn/faster_kind.hpp"
#include "nn/fused_evaluator.hpp"
#include "nn/hash_evaluator.hpp"
#include "nn/onednn_evaluator.hpp"
#include "nn/reference_evaluator.hpp"

namespace senet {

std::string_view kind_name(EvaluatorKind kind) {
  switch (kind) {
    case EvaluatorKind::kOneDnn:
      return "onednn";
    case EvaluatorKind::kReference:
      return "reference";
    case EvaluatorKind::kHash:
      return "hash";
    case EvaluatorKind::kFused:
      return "fused";
    case EvaluatorKind::kAuto:
      break;
  }
  return "auto";
}

Result<EvaluatorKind> evaluator_kind(std::string_view name) {
  for (const EvaluatorKind kind :
       {EvaluatorKind::kAuto, EvaluatorKind::kFused, EvaluatorKind::kOneDnn,
        EvaluatorKind::kReference, EvaluatorKind::kHash}) {
    if (name == kind_name(kind)) return kind;
  }
  return fail(
      fmt::format("no evaluator is called {}: auto, fused, onednn, reference or hash", name));
}

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
