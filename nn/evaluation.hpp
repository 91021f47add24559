// The choice of an evaluator: its kind, its batches, or one of the program's own.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "games/settings.hpp"
#include "nn/evaluator.hpp"

namespace senet {

/// Makes an evaluator for batches of up to `max_rows` rows that has loaded `weights`.
using EvaluatorMaker =
    std::function<Result<std::unique_ptr<Evaluator>>(const Weights& weights, std::size_t max_rows)>;

/// What answers the batches of a thread.
struct Evaluation {
  EvaluatorKind kind = EvaluatorKind::kFused;  // the same bits for any batch
  std::size_t batch_rows = 64;                 // maximum rows of one forward pass
  bool exact = false;                          // see make_evaluator
  /// If set, makes the evaluator instead, for a function of the program's own. Called once for each
  /// thread that evaluates, and for each Service::evaluate(), on any thread and several at once. An
  /// exception of that evaluator fails the searches that wait for it.
  EvaluatorMaker own = {};
};

constexpr auto settings_of(std::type_identity<Evaluation>) {
  using E = Evaluation;
  return std::tuple{
      setting("evaluator", &E::kind,
              "the forward pass; fused: own kernels; int8: the same in 8 bits, faster and slightly "
              "less accurate; auto: the faster of fused and onednn; reference and hash: for tests"),
      setting("batch", &E::batch_rows, "maximum rows of one forward pass",
              {.least = 1, .most = 4096}),
  };
}
constexpr std::string_view settings_heading(std::type_identity<Evaluation>) { return "Workers"; }

/// Replaces kAuto by the faster kind for this network, by timing; see resolve_kind.
inline void resolve(Evaluation& evaluation, const Network& network) {
  if (evaluation.own) return;
  evaluation.kind = resolve_kind(evaluation.kind, network, evaluation.batch_rows, evaluation.exact);
}

/// The evaluator for these settings, with `weights` loaded; see make_evaluator for the lifetimes.
inline Result<std::unique_ptr<Evaluator>> make_evaluator(const Evaluation& evaluation,
                                                         const Weights& weights,
                                                         Heap& heap = default_heap()) {
  if (evaluation.own) return evaluation.own(weights, evaluation.batch_rows);
  return make_evaluator(evaluation.kind, weights, evaluation.batch_rows, evaluation.exact, heap);
}

}  // namespace senet
