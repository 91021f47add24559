#include "nn/faster_kind.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "games/random.hpp"
#include "nn/fused_evaluator.hpp"
#include "nn/onednn_evaluator.hpp"

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxRows = 64;  // of the timed batch
constexpr std::size_t kActive = 30;   // non-zero features, as a board game has
constexpr std::size_t kWanted = 20;   // legal moves
constexpr std::chrono::milliseconds kTimeEach{3};

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

/// The shortest pass in kTimeEach: what disturbs a pass can only lengthen it.
Clock::duration shortest_pass(Evaluator& evaluator, const Batch& batch) {
  evaluator.forward(batch);
  Clock::duration shortest = Clock::duration::max();
  const Clock::time_point end = Clock::now() + kTimeEach;
  for (Clock::time_point start = Clock::now(); start < end;) {
    evaluator.forward(batch);
    const Clock::time_point stop = Clock::now();
    shortest = std::min(shortest, stop - start);
    start = stop;
  }
  return shortest;
}

}  // namespace

EvaluatorKind faster_kind(const Network& network, std::size_t max_rows, bool exact) {
  EvaluatorKind faster = EvaluatorKind::kFused;
  // What oneDNN and OpenMP keep for each thread that runs them should not stay with the caller's.
  std::thread([&] {
    const auto onednn = OneDnnEvaluator::make(network, max_rows, exact);
    if (!onednn) return;
    FusedEvaluator fused(network);
    const TimedBatch timed(network.spec(), std::min(max_rows, kMaxRows));
    const Clock::duration ours = shortest_pass(fused, timed.batch());
    const Clock::duration theirs = shortest_pass(**onednn, timed.batch());
    if (theirs + theirs / 20 < ours) faster = EvaluatorKind::kOneDnn;
  }).join();
  return faster;
}

}  // namespace senet
