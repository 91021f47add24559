// The part of the tree benchmark that knows the game's type.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "nn/evaluator.hpp"
#include "tools/bench_positions.hpp"
#include "tools/bench_settings.hpp"
#include "tools/bench_tree.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/thread_clock.hpp"

namespace senet {

/// Passes everything on and estimates the time that it takes. Some of the passes are timed, with
/// the cheap clock: reading any would take longer than one search's row.
class TimedEvaluator final : public Evaluator {
 public:
  explicit TimedEvaluator(std::unique_ptr<Evaluator> inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return inner_->name(); }
  using Evaluator::forward;
  void load(const Weights& weights) override { inner_->load(weights); }
  void forward(const Batch& batch, std::size_t first, std::size_t last) override {
    using Clock = std::chrono::steady_clock;
    constexpr std::uint64_t kTimedOneIn = 8;
    constexpr double kDisturbed = 1e-3;  // the core was lent to another thread meanwhile
    const auto rows = static_cast<double>(last - first);
    rows_ += rows;
    if (passes_++ % kTimedOneIn != 0) return inner_->forward(batch, first, last);
    const auto began = Clock::now();
    inner_->forward(batch, first, last);
    const double time = std::chrono::duration<double>(Clock::now() - began).count();
    if (time >= kDisturbed) return;
    seconds_ += time;
    timed_rows_ += rows;
  }

  /// Of all passes since the last call.
  double seconds() {
    const double seconds = timed_rows_ > 0 ? seconds_ * rows_ / timed_rows_ : 0;
    passes_ = 0;
    rows_ = timed_rows_ = seconds_ = 0;
    return seconds;
  }

 private:
  const std::unique_ptr<Evaluator> inner_;
  std::uint64_t passes_ = 0;
  double rows_ = 0, timed_rows_ = 0, seconds_ = 0;
};

/// Searches each position once, and then as many as there is time for, in trees of type TreeOf.
template <Game G, class TreeOf>
Result<TreeMeasured> measure_tree(const BenchSettings& settings,
                                  std::span<const AnyState> any_positions, const Network& network) {
  using SearchOf = Search<G, Puct, TreeOf>;
  const std::vector<G> positions = typed<G>(any_positions);
  const Weights weights(copy_of(network));
  auto evaluator = make_evaluator(EvaluatorKind::kHash, weights, settings.batch_rows);
  if (!evaluator) return evaluator.error();
  TimedEvaluator timed(std::move(*evaluator));
  const SearchSettings of_search{.evaluates = settings.evaluates, .reuse_tree = false};
  Analysis<G, SearchOf> analysis(timed, of_search, settings.visits, settings.lanes,
                                 settings.batch_rows);
  // A search in each lane, of the positions from number `first` on.
  const auto search = [&](std::size_t first, auto&& use) {
    const std::span<const G> states(&positions[first % positions.size()], settings.lanes);
    analysis.run(states, {.visits = settings.visits, .noise = true}, settings.seed + first, use);
  };

  TreeMeasured measured;
  for (std::size_t first = 0; first < positions.size(); first += settings.lanes) {
    search(first, [&](std::size_t, const Decision<G>& decision, const SearchOf& done) {
      measured.evaluations += decision.evaluations;
      measured.counts.add(done);
    });
  }

  for (auto* const values : {&measured.rates, &measured.tree_rates, &measured.forward_shares}) {
    values->reserve(1 << 20);
  }
  static_cast<void>(timed.seconds());
  const std::uint64_t before = thread_allocations().value_or(0);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.seconds);
  for (std::size_t first = 0; first == 0 || std::chrono::steady_clock::now() < end;
       first += settings.lanes) {
    if (measured.rates.size() == measured.rates.capacity()) break;
    double made = 0;
    const double began = ThreadClock::now();
    search(first, [&](std::size_t, const Decision<G>& decision, const SearchOf&) {
      made += decision.visits;
    });
    const double seconds = ThreadClock::now() - began;
    const double forward_seconds = timed.seconds();
    measured.rates.push_back(made / seconds);
    measured.tree_rates.push_back(made / (seconds - forward_seconds));
    measured.forward_shares.push_back(forward_seconds / seconds);
    measured.visits += made;
  }
  measured.allocations = static_cast<double>(thread_allocations().value_or(0) - before);
  return measured;
}

}  // namespace senet
