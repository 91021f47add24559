#include "nn/faster_kind.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "games/random.hpp"
#include "nn/fused_evaluator.hpp"

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxRows = 64;  // of the timed batch
constexpr std::size_t kActive = 30;   // non-zero features, as a board game has
constexpr std::size_t kWanted = 20;   // legal moves
constexpr std::chrono::milliseconds kTime{6};

/// A batch with its answers' memory, filled with random features.
class TimedBatch {
 public:
  TimedBatch(const NetworkSpec& spec, std::size_t rows)
      : batch_(rows, kActive),
        outcomes_(rows * spec.outcomes),
        logits_(rows * kWanted),
        wanted_(std::min<std::size_t>(kWanted, spec.policy_logits)) {
    Random random(0, 0, 0, Purpose::kTest);
    for (std::uint16_t& wanted : wanted_) {
      wanted = static_cast<std::uint16_t>(random.below(spec.policy_logits));
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const RowAnswer answer{
          {&outcomes_[row * spec.outcomes], spec.outcomes}, wanted_, &logits_[row * kWanted]};
      batch_.add(answer, [&](FeatureRow& features) {
        // One feature from each of up to kActive equal parts, so that none comes twice.
        const std::uint32_t parts = std::min<std::uint32_t>(kActive, spec.features);
        const std::uint32_t part = spec.features / parts;
        for (std::uint32_t i = 0; i < parts; ++i) features.add(i * part + random.below(part), 1.0f);
      });
    }
  }

  const Batch& batch() const { return batch_; }

 private:
  Batch batch_;
  std::vector<float> outcomes_, logits_;
  std::vector<std::uint16_t> wanted_;
};

Clock::duration time_pass(Evaluator& evaluator, const Batch& batch) {
  const Clock::time_point start = Clock::now();
  evaluator.forward(batch);
  return Clock::now() - start;
}

/// Whether oneDNN's pass is shorter than ours by a twentieth. Both take turns for kTime, so that a
/// clock that changes meanwhile changes for both. Of each the shortest pass counts: what disturbs a
/// pass can only lengthen it.
bool onednn_is_faster(Evaluator& fused, Evaluator& onednn, const Batch& batch) {
  fused.forward(batch);
  onednn.forward(batch);
  Clock::duration ours = Clock::duration::max(), theirs = Clock::duration::max();
  const Clock::time_point end = Clock::now() + kTime;
  do {
    ours = std::min(ours, time_pass(fused, batch));
    theirs = std::min(theirs, time_pass(onednn, batch));
  } while (Clock::now() < end);
  return theirs + theirs / 20 < ours;
}

}  // namespace

EvaluatorKind faster_kind(const Network& network, std::size_t max_rows, bool exact) {
  EvaluatorKind faster = EvaluatorKind::kFused;
  const Weights weights{SharedNetwork(SharedNetwork(), &network)};  // the caller's
  // What oneDNN and OpenMP keep for each thread that runs them should not stay with the caller's.
  std::thread([&] {
    const auto onednn = make_onednn(weights, max_rows, exact);
    if (!onednn) return;
    FusedEvaluator fused(weights);
    const TimedBatch timed(weights.spec(), std::min(max_rows, kMaxRows));
    if (onednn_is_faster(fused, **onednn, timed.batch())) faster = EvaluatorKind::kOneDnn;
  }).join();
  return faster;
}

}  // namespace senet
