// The one virtual seam of the engine: something that answers the rows of a batch.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "nn/batch.hpp"
#include "nn/heap.hpp"
#include "nn/weights.hpp"

namespace senet {

/// Answers batches for one network at a time. Belongs to one thread at a time; several threads
/// share a batch with an evaluator each. After construction neither load() nor forward() allocates
/// (but for oneDNN's own small blocks), and neither fails.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// The name recorded beside results; evaluators whose bits may differ have different names:
  /// "fused-fma" (any instruction set with fused multiply-add), "fused-plain" (without), "onednn",
  /// "reference", "hash". What evaluator_kind() takes is what stands before the hyphen.
  virtual std::string_view name() const = 0;

  /// Answers with these weights from now on; they have the spec that the evaluator was built for
  /// and live until the next load() or the last forward(). The fused evaluator runs
  /// weights.packed(), which is made here if no one has called for it before; the others copy,
  /// unless they have these weights already.
  virtual void load(const Weights& weights) = 0;

  /// Answers rows [first, last) of the batch: writes each row's outcomes and wanted logits where
  /// the row says, and nothing else. There are at most as many rows as the evaluator was built for.
  virtual void forward(const Batch& batch, std::size_t first, std::size_t last) = 0;
  /// Answers all rows.
  void forward(const Batch& batch) { forward(batch, 0, batch.size()); }
};

/// kAuto times kFused and kOneDnn on this machine and takes the faster.
enum class EvaluatorKind : std::uint8_t { kOneDnn, kReference, kHash, kFused, kAuto };

/// "auto", "fused", "onednn", "reference", "hash"; a reason that lists them otherwise.
Result<EvaluatorKind> evaluator_kind(std::string_view name);

/// What kAuto means here: times the candidates for a few milliseconds, on a thread of its own.
/// Other kinds are returned as they are. Close candidates may win in turns: resolve once for all
/// workers of a run, record the name, and ask for it by name to reproduce a result. `network` and
/// `max_rows` as for make_evaluator.
EvaluatorKind resolve_kind(EvaluatorKind kind, const Network& network, std::size_t max_rows,
                           bool exact = false);

/// The name that evaluator_kind() takes.
std::string_view kind_name(EvaluatorKind kind);

/// Builds an evaluator for batches of up to `max_rows` rows (at least 1) and loads `weights`; see
/// Evaluator::load for how long they have to live. `exact`: oneDNN always runs the one batch size
/// `max_rows`, so that a row's answer has the same bits whatever shares its batch; the others have
/// that property anyway. The fused evaluator's activations come from `heap`, which outlives it.
Result<std::unique_ptr<Evaluator>> make_evaluator(EvaluatorKind kind, const Weights& weights,
                                                  std::size_t max_rows, bool exact = false,
                                                  Heap& heap = default_heap());
/// Weights that are gone when the call is over.
Result<std::unique_ptr<Evaluator>> make_evaluator(EvaluatorKind, const Weights&&, std::size_t,
                                                  bool = false, Heap& = default_heap()) = delete;

/// Memory of an evaluator, its copy of the weights included; an upper bound for kOneDnn, whose
/// compiled code is an estimate. kAuto: of the larger candidate.
std::size_t evaluator_bytes(EvaluatorKind kind, const NetworkSpec& spec, std::size_t max_rows);
/// Memory that weights take beside their network once evaluators of this kind have loaded them,
/// however many do: the packed form, or nothing.
std::size_t shared_bytes(EvaluatorKind kind, const NetworkSpec& spec);

/// An evaluator that runs oneDNN, with weights loaded; fails when oneDNN does. One symbol with two
/// definitions: nn/onednn_evaluator.cpp, and nn/without_onednn.cpp, which says that this program
/// was built without it.
Result<std::unique_ptr<Evaluator>> make_onednn(const Weights& weights, std::size_t max_rows,
                                               bool exact);

}  // namespace senet
