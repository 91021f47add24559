#include "nn/evaluator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "nn/faster_kind.hpp"
#include "nn/fused_evaluator.hpp"
#include "nn/hash_evaluator.hpp"
#include "nn/reference_evaluator.hpp"

namespace senet {
namespace {

// What oneDNN takes for a compiled product, code and descriptions: as measured, and some more.
constexpr std::size_t kProductBytes = std::size_t{96} << 10;

std::size_t onednn_bytes(const LayerPlan& plan, std::size_t max_rows) {
  const std::size_t sizes = static_cast<std::size_t>(std::bit_width(max_rows)) + 1;  // of batches
  const std::size_t widest = padded(plan.widest()), logits = padded(plan.size_of(plan.policy));
  std::size_t floats =
      max_rows * (4 * widest + kPanel + logits) + widest * std::max(widest, logits);
  std::size_t products = 0;
  for (const Layer& layer : plan.layers) {
    if (layer.kind != LayerKind::kLinear) continue;
    // In up to three layouts, one of them within the packed form.
    if (layer.in != kFeatures) floats += 2 * padded(layer.inputs) * padded(layer.outputs);
    products += sizes;
  }
  return PackedNetwork::bytes(plan) + EvaluatorScratch::bytes(plan) + floats * sizeof(float) +
         products * kProductBytes;
}

}  // namespace

EvaluatorKind resolve_kind(EvaluatorKind kind, const Network& network, std::size_t max_rows,
                           bool exact) {
  return kind == EvaluatorKind::kAuto ? faster_kind(network, max_rows, exact) : kind;
}

Result<std::unique_ptr<Evaluator>> make_evaluator(EvaluatorKind kind, const Weights& weights,
                                                  std::size_t max_rows, bool exact, Heap& heap) {
  if (max_rows == 0) return fail("an evaluator needs room for at least one row");
  const Result<void> checked = check_spec(weights.spec());
  if (!checked) return checked.error();
  switch (resolve_kind(kind, weights.network(), max_rows, exact)) {
    case EvaluatorKind::kAuto:
      break;  // never: it is resolved
    case EvaluatorKind::kFused:
      return std::make_unique<FusedEvaluator>(weights, heap);
    case EvaluatorKind::kOneDnn:
      return make_onednn(weights, max_rows, exact);
    case EvaluatorKind::kReference:
      return std::make_unique<ReferenceEvaluator>(weights);
    case EvaluatorKind::kHash:
      return std::make_unique<HashEvaluator>();
  }
  return fail("no such kind of evaluator");
}

std::size_t evaluator_bytes(EvaluatorKind kind, const NetworkSpec& spec, std::size_t max_rows) {
  switch (kind) {
    case EvaluatorKind::kFused:
      return sizeof(FusedEvaluator) - sizeof(EvaluatorScratch) + EvaluatorScratch::bytes(spec);
    case EvaluatorKind::kOneDnn:
      return onednn_bytes(spec, max_rows);
    case EvaluatorKind::kReference:
      return ReferenceEvaluator::bytes(spec);
    case EvaluatorKind::kHash:
      return sizeof(HashEvaluator);
    case EvaluatorKind::kAuto:
      break;
  }
  return std::max(evaluator_bytes(EvaluatorKind::kFused, spec, max_rows),
                  evaluator_bytes(EvaluatorKind::kOneDnn, spec, max_rows));
}

std::size_t shared_bytes(EvaluatorKind kind, const NetworkSpec& spec) {
  const bool packs = kind == EvaluatorKind::kFused || kind == EvaluatorKind::kAuto;
  return packs ? PackedNetwork::bytes(spec) : 0;
}

}  // namespace senet
