#include "nn/evaluator.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>
#include <vector>

#include "games/random.hpp"
#include "nn/own_evaluators.hpp"

namespace senet {
namespace {

// Memory of one compiled oneDNN product, code and descriptors: the measured size with a margin.
constexpr std::size_t kProductBytes = std::size_t{96} << 10;

std::size_t onednn_bytes(const LayerPlan& plan, std::size_t max_rows) {
  const std::size_t sizes = static_cast<std::size_t>(std::bit_width(max_rows)) + 1;  // batch sizes
  const std::size_t widest = padded(plan.widest()), logits = padded(plan.policy_logits());
  std::size_t floats =
      max_rows * (4 * widest + kPanel + logits) + widest * std::max(widest, logits);
  std::size_t products = 0;
  for (const Layer& layer : plan.layers) {
    if (layer.kind != LayerKind::kLinear) continue;
    // In up to three layouts, one of which is already counted with the packed form.
    if (layer.in != kFeatures) floats += 2 * padded(layer.inputs) * padded(layer.outputs);
    products += sizes;
  }
  return PackedNetwork::bytes(plan) + EvaluatorScratch::bytes(plan) + floats * sizeof(float) +
         products * kProductBytes;
}

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxRows = 64;  // of the timed batch
constexpr std::size_t kActive = 30;   // non-zero features, typical of a board game
constexpr std::size_t kWanted = 20;   // legal moves
// A timing takes this long, or longer for this many passes of each candidate: on a busy machine,
// some of them then run without a disturbance. Every timing must favour oneDNN to choose it.
constexpr std::chrono::milliseconds kTime{6};
constexpr int kLeastPasses = 32;
constexpr int kTimings = 3;

/// A batch of random features with memory for its answers.
struct TimedBatch {
  TimedBatch(const NetworkSpec& spec, std::size_t rows)
      : batch(rows, {.max_active = kActive}),
        outcomes(rows * spec.outcomes),
        logits(rows * kWanted),
        wanted(spec.policy_head ? std::min<std::size_t>(kWanted, spec.policy_logits) : 0) {
    Random random(0, 0, 0, Purpose::kTest);
    for (auto& logit : wanted) {
      logit = static_cast<std::uint16_t>(random.below(spec.policy_logits));
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const RowResult answer{
          {&outcomes[row * spec.outcomes], spec.outcomes}, wanted, &logits[row * kWanted]};
      batch.add(answer, [&](FeatureRow& features) {
        // One feature from each of up to kActive equal parts, so that none repeats.
        const std::uint32_t parts = std::min<std::uint32_t>(kActive, spec.features);
        const std::uint32_t part = spec.features / parts;
        for (std::uint32_t i = 0; i < parts; ++i) features.add(i * part + random.below(part), 1.0f);
      });
    }
  }

  Batch batch;
  std::vector<float> outcomes, logits;
  std::vector<std::uint16_t> wanted;
};

Clock::duration time_pass(Evaluator& evaluator, Batch& batch) {
  const Clock::time_point start = Clock::now();
  evaluator.forward(batch);
  return Clock::now() - start;
}

/// Whether oneDNN's pass takes at least a tenth less time than ours. The two alternate, so that a
/// changing clock frequency affects both. The shortest pass of each counts, because disturbances
/// only lengthen a pass.
bool onednn_is_faster(Evaluator& fused, Evaluator& onednn, Batch& batch) {
  fused.forward(batch);
  onednn.forward(batch);
  Clock::duration ours = Clock::duration::max(), theirs = Clock::duration::max();
  const Clock::time_point end = Clock::now() + kTime;
  for (int pass = 0; pass < kLeastPasses || Clock::now() < end; ++pass) {
    ours = std::min(ours, time_pass(fused, batch));
    theirs = std::min(theirs, time_pass(onednn, batch));
  }
  return theirs < ours - ours / 10;
}

/// kOneDnn if it can be built and is at least a tenth faster on rows of random features; else
/// kFused, whose answers do not depend on the batch.
EvaluatorKind faster_kind(const Network& network, std::size_t max_rows, bool exact) {
  EvaluatorKind faster = EvaluatorKind::kFused;
  const Weights weights{SharedNetwork(SharedNetwork(), &network)};  // not owned
  // On a separate thread: oneDNN and OpenMP keep state for each thread that runs them, until it
  // ends.
  std::thread([&] {
    const auto onednn = make_onednn(weights, max_rows, exact);
    if (!onednn) return;
    FusedEvaluator fused(weights);
    TimedBatch timed(weights.spec(), std::min(max_rows, kMaxRows));
    int timings = 0;
    while (timings < kTimings && onednn_is_faster(fused, **onednn, timed.batch)) ++timings;
    if (timings == kTimings) faster = EvaluatorKind::kOneDnn;
  }).join();
  return faster;
}

}  // namespace

EvaluatorKind resolve_kind(EvaluatorKind kind, const Network& network, std::size_t max_rows,
                           bool exact) {
  return kind == EvaluatorKind::kAuto ? faster_kind(network, max_rows, exact) : kind;
}

Result<std::unique_ptr<Evaluator>> make_evaluator(EvaluatorKind kind, const Weights& weights,
                                                  std::size_t max_rows, bool exact, Heap& heap) {
  if (max_rows == 0) return fail("max_rows is 0: it must be at least 1");
  const Result<void> checked = check_spec(weights.spec());
  if (!checked) return checked.error();
  switch (resolve_kind(kind, weights.network(), max_rows, exact)) {
    case EvaluatorKind::kAuto:
      break;  // unreachable: already resolved
    case EvaluatorKind::kFused:
      return std::make_unique<FusedEvaluator>(weights, heap);
    case EvaluatorKind::kInt8:
      return std::make_unique<ByteEvaluator>(weights, heap);
    case EvaluatorKind::kOneDnn:
      return make_onednn(weights, max_rows, exact);
    case EvaluatorKind::kReference:
      return std::make_unique<ReferenceEvaluator>(weights);
    case EvaluatorKind::kHash:
      return std::make_unique<HashEvaluator>();
  }
  return fail("unknown kind of evaluator");
}

std::size_t evaluator_bytes(EvaluatorKind kind, const NetworkSpec& spec, std::size_t max_rows) {
  switch (kind) {
    case EvaluatorKind::kFused:
      return FusedEvaluator::bytes(spec);
    case EvaluatorKind::kInt8:
      return ByteEvaluator::bytes(spec);
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
  if (kind == EvaluatorKind::kInt8) return PackedBytes::bytes(spec);
  const bool packs = kind == EvaluatorKind::kFused || kind == EvaluatorKind::kAuto;
  return packs ? PackedNetwork::bytes(spec) : 0;
}

}  // namespace senet
