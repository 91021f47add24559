// The part of the tree benchmark that knows the game's type.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "nn/evaluator.hpp"
#include "search/search.hpp"
#include "tools/bench_positions.hpp"
#include "tools/bench_settings.hpp"
#include "tools/bench_tree.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/thread_clock.hpp"

namespace senet {

namespace bench_tree_detail {

/// Searches side by side that share a batch.
template <Game G>
class SearchRounds {
 public:
  SearchRounds(const BenchSettings& settings, std::vector<G> positions,
               std::unique_ptr<Evaluator> evaluator)
      : settings_(settings),
        positions_(std::move(positions)),
        evaluator_(std::move(evaluator)),
        batch_(settings.batch_rows, G::kMaxActive),
        waits_(settings.lanes) {
    SearchSettings of_search;
    of_search.evaluates = settings.evaluates;
    of_search.reuse_tree = false;
    const TreeLimits limits = limits_for<G>(settings.visits, settings.evaluates);
    for (std::size_t i = 0; i < settings.lanes; ++i) {
      searches_.push_back(std::make_unique<Search<G>>(of_search, limits));
    }
  }

  struct Round {
    double visits = 0, evaluations = 0, seconds = 0, forward_seconds = 0;
  };

  /// Each search from start to end, of the positions from number `first` on.
  Round run(std::size_t first) {
    forward_ = {};
    const double began = ThreadClock::now();
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      searches_[i]->start(positions_[(first + i) % positions_.size()],
                          {.visits = settings_.visits, .noise = true},
                          Random(settings_.seed, first + i, 0, Purpose::kNoise));
      waits_[i] = Waits::kForNothing;
    }
    while (step_all()) {
    }
    Round round;
    for (const auto& search : searches_) {
      const Decision<G> decision = search->decision();
      round.visits += decision.visits;
      round.evaluations += decision.evaluations;
    }
    round.seconds = ThreadClock::now() - began;
    round.forward_seconds =
        forward_.timed_rows > 0 ? forward_.seconds * forward_.rows / forward_.timed_rows : 0;
    return round;
  }

  const std::vector<std::unique_ptr<Search<G>>>& searches() const { return searches_; }

 private:
  enum class Waits : std::uint8_t { kForNothing, kForAnswers, kDone };

  // Every search goes on once and the batch is answered; false when all are done.
  bool step_all() {
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      if (waits_[i] == Waits::kDone) continue;
      if (waits_[i] == Waits::kForAnswers) searches_[i]->absorb();
      Step step = searches_[i]->gather(batch_);
      while (step == Step::kBatchFull) {
        answer();
        step = searches_[i]->gather(batch_);
      }
      waits_[i] = step == Step::kDone ? Waits::kDone : Waits::kForAnswers;
    }
    if (batch_.size() == 0) return false;
    answer();
    return true;
  }

  // Some of the passes are timed, with the cheap clock: reading any would take longer than one
  // search's row. A pass in which somebody else got the core is no measurement.
  void answer() {
    using Clock = std::chrono::steady_clock;
    constexpr std::uint64_t kTimedOneIn = 8;
    constexpr double kDisturbed = 1e-3;
    const auto rows = static_cast<double>(batch_.size());
    forward_.rows += rows;
    if (forward_.passes++ % kTimedOneIn != 0) {
      evaluator_->forward(batch_);
    } else {
      const auto began = Clock::now();
      evaluator_->forward(batch_);
      const double time = std::chrono::duration<double>(Clock::now() - began).count();
      if (time < kDisturbed) {
        forward_.seconds += time;
        forward_.timed_rows += rows;
      }
    }
    batch_.clear();
  }

  /// What the evaluator did in a round.
  struct Forward {
    std::uint64_t passes = 0;
    double rows = 0, timed_rows = 0, seconds = 0;
  };

  const BenchSettings& settings_;
  std::vector<G> positions_;
  std::unique_ptr<Evaluator> evaluator_;
  Batch batch_;
  std::vector<std::unique_ptr<Search<G>>> searches_;
  std::vector<Waits> waits_;
  Forward forward_;
};

}  // namespace bench_tree_detail

/// Searches each position once, and then as many as there is time for.
template <Game G>
Result<TreeMeasured> measure_tree(const BenchSettings& settings,
                                  std::span<const AnyState> positions, const Network& network) {
  const Weights weights(copy_of(network));
  auto evaluator = make_evaluator(EvaluatorKind::kHash, weights, settings.batch_rows);
  if (!evaluator) return evaluator.error();
  bench_tree_detail::SearchRounds<G> rounds(settings, typed<G>(positions), std::move(*evaluator));
  TreeMeasured measured;
  for (std::size_t first = 0; first < positions.size(); first += settings.lanes) {
    measured.evaluations += rounds.run(first).evaluations;
    for (const auto& search : rounds.searches()) measured.counts.add(*search);
  }
  for (auto* const values : {&measured.rates, &measured.tree_rates, &measured.forward_shares}) {
    values->reserve(1 << 20);
  }
  const std::uint64_t before = thread_allocations().value_or(0);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.seconds);
  for (std::size_t first = 0; first == 0 || std::chrono::steady_clock::now() < end;
       first += settings.lanes) {
    if (measured.rates.size() == measured.rates.capacity()) break;
    const auto round = rounds.run(first);
    measured.rates.push_back(round.visits / round.seconds);
    measured.tree_rates.push_back(round.visits / (round.seconds - round.forward_seconds));
    measured.forward_shares.push_back(round.forward_seconds / round.seconds);
    measured.visits += round.visits;
  }
  measured.allocations = static_cast<double>(thread_allocations().value_or(0) - before);
  return measured;
}

}  // namespace senet
