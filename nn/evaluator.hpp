// The one virtual seam of the engine: something that answers the rows of a batch.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <type_traits>

#include "games/names.hpp"
#include "nn/batch.hpp"
#include "nn/network.hpp"

namespace senet {

/// Answers batches for one network at a time. Owns its scratch memory and packed weights; belongs
/// to one thread at a time. After construction forward() allocates nothing of ours and never fails.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// The name recorded beside results, which tells apart what may differ in bits: "fused-fma" (any
  /// instruction set with fused multiply-add), "fused-plain" (without), "onednn", "reference",
  /// "hash". The name of its kind is what stands before the hyphen.
  virtual std::string_view name() const = 0;

  /// Takes over the weights of `network`, which must have the spec the evaluator was built for. The
  /// network may be gone afterwards. Allocates nothing.
  virtual void load(const Network& network) = 0;

  /// Answers rows [0, batch.size()): writes each row's outcomes and wanted logits. Leaves the batch
  /// as it is. batch.size() is at most the row count the evaluator was built for.
  virtual void forward(const Batch& batch) = 0;
};

/// kAuto times kFused and kOneDnn on this machine and takes the faster.
enum class EvaluatorKind : std::uint8_t { kOneDnn, kReference, kHash, kFused, kAuto };

constexpr std::array<Named<EvaluatorKind>, 5> names_of(std::type_identity<EvaluatorKind>) {
  return {{{"fused", EvaluatorKind::kFused},
           {"onednn", EvaluatorKind::kOneDnn},
           {"auto", EvaluatorKind::kAuto},
           {"reference", EvaluatorKind::kReference},
           {"hash", EvaluatorKind::kHash}}};
}

/// What kAuto means here: times the candidates for a few milliseconds. Other kinds are returned as
/// they are. Close candidates may win in turns: resolve once for all workers of a run, record the
/// name, and ask for it by name to reproduce a result. `network` and `max_rows` as for
/// make_evaluator.
EvaluatorKind resolve_kind(EvaluatorKind kind, const Network& network, std::size_t max_rows,
                           bool exact = false);

/// Builds an evaluator for batches of up to `max_rows` rows (at least 1) and loads `network`.
/// `exact`: oneDNN always runs the one batch size `max_rows`, so that a row's answer has the same
/// bits whatever shares its batch; the others have that property anyway.
Result<std::unique_ptr<Evaluator>> make_evaluator(EvaluatorKind kind, const Network& network,
                                                  std::size_t max_rows, bool exact = false);

}  // namespace senet
