// The interface of evaluators, which compute the answers for the rows of a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include "games/names.hpp"
#include "nn/batch.hpp"
#include "nn/heap.hpp"
#include "nn/weights.hpp"

namespace senet {

/// Answers batches with one network at a time. Belongs to one thread at a time; threads that share
/// a batch use one evaluator each. After construction neither load() nor forward() allocates
/// (except oneDNN's own small blocks) or fails, except by a game's encode().
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// The name to record with results. Evaluators whose answers may differ in any bit have different
  /// names: "fused-fma" (any instruction set with fused multiply-add), "fused-plain" (without),
  /// "int8-fma", "int8-plain", "onednn", "reference", "hash". The part before the hyphen is the
  /// name of its kind.
  virtual std::string_view name() const = 0;

  /// Uses these weights from now on. They must have the spec that the evaluator was built for, and
  /// exist until the next load() or the last forward(). The fused and int8 evaluators run
  /// weights.packed(), which this call creates if no other has; the others copy the weights unless
  /// they already have them.
  virtual void load(const Weights& weights) = 0;

  /// Answers rows [first, last) of the batch: reads them by Batch::encode and writes only each
  /// row's outcomes and wanted logits, to the row's memory. The range has at most as many rows as
  /// the evaluator was built for. Throws only what a game's encode() throws.
  virtual void forward(Batch& batch, std::size_t first, std::size_t last) = 0;
  /// Answers all rows.
  void forward(Batch& batch) { forward(batch, 0, batch.size()); }

  /// Rows answered so far from a cache of earlier answers.
  virtual std::uint64_t cache_hits() const { return 0; }
};

/// kInt8 multiplies in 8 bits (ByteProduct): faster and less exact than kFused. kAuto times kFused
/// and kOneDnn on this machine and uses the faster.
enum class EvaluatorKind : std::uint8_t { kOneDnn, kReference, kHash, kFused, kInt8, kAuto };

constexpr std::array<Named<EvaluatorKind>, 6> names_of(std::type_identity<EvaluatorKind>) {
  return {{{"fused", EvaluatorKind::kFused},
           {"int8", EvaluatorKind::kInt8},
           {"onednn", EvaluatorKind::kOneDnn},
           {"auto", EvaluatorKind::kAuto},
           {"reference", EvaluatorKind::kReference},
           {"hash", EvaluatorKind::kHash}}};
}

/// Resolves kAuto by timing the candidates for some milliseconds on a separate thread; returns
/// other kinds unchanged. The result is kOneDnn only if that is at least a tenth faster. Near this
/// limit it may vary: resolve once for all workers of a run, record the name, and request that name
/// to reproduce a result. `network` and `max_rows` as for make_evaluator.
EvaluatorKind resolve_kind(EvaluatorKind kind, const Network& network, std::size_t max_rows,
                           bool exact = false);

/// Builds an evaluator for batches of up to `max_rows` rows (at least 1) and loads `weights`; see
/// Evaluator::load for their lifetime. `exact`: oneDNN always runs the batch size `max_rows`, so
/// that a row's answer has the same bits in every batch; the other kinds always have that property.
/// The fused evaluator's activations come from `heap`, which outlives it.
Result<std::unique_ptr<Evaluator>> make_evaluator(EvaluatorKind kind, const Weights& weights,
                                                  std::size_t max_rows, bool exact = false,
                                                  Heap& heap = default_heap());
/// Deleted: temporary weights would not outlive the call.
Result<std::unique_ptr<Evaluator>> make_evaluator(EvaluatorKind, const Weights&&, std::size_t,
                                                  bool = false, Heap& = default_heap()) = delete;

/// Memory of an evaluator, including its copy of the weights. An upper bound for kOneDnn, whose
/// compiled code is estimated. For kAuto, the memory of the larger candidate.
std::size_t evaluator_bytes(EvaluatorKind kind, const NetworkSpec& spec, std::size_t max_rows);
/// Memory that weights take besides their network once any number of evaluators of this kind have
/// loaded them: the packed form, or nothing.
std::size_t shared_bytes(EvaluatorKind kind, const NetworkSpec& spec);

/// A oneDNN evaluator with weights loaded; fails if oneDNN does. One symbol with two definitions:
/// nn/onednn_evaluator.cpp, and nn/without_onednn.cpp, which always fails.
Result<std::unique_ptr<Evaluator>> make_onednn(const Weights& weights, std::size_t max_rows,
                                               bool exact);

}  // namespace senet
