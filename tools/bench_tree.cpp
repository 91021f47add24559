#include "tools/bench_tree.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "games/registry.hpp"
#include "tools/bench_positions.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/run_config.hpp"
#include "tools/thread_clock.hpp"
#include "tools/tree_counts.hpp"

namespace senet {
namespace {

/// Passes everything on and estimates the time that it takes. Some of the passes are timed, with
/// the cheap clock: reading any would take longer than one search's row.
class TimedEvaluator final : public Evaluator {
 public:
  explicit TimedEvaluator(std::unique_ptr<Evaluator> inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return inner_->name(); }
  void load(const Network& network) override { inner_->load(network); }
  void forward(const Batch& batch) override {
    using Clock = std::chrono::steady_clock;
    constexpr std::uint64_t kTimedOneIn = 8;
    constexpr double kDisturbed = 1e-3;  // the core was lent to another thread meanwhile
    const auto rows = static_cast<double>(batch.size());
    rows_ += rows;
    if (passes_++ % kTimedOneIn != 0) return inner_->forward(batch);
    const auto began = Clock::now();
    inner_->forward(batch);
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

template <Game G>
Result<Figures> run(const BenchSettings& settings, const std::vector<G>& positions,
                    const Network& network) {
  const Weights weights(copy_of(network));
  auto evaluator = make_evaluator(EvaluatorKind::kHash, weights, settings.batch_rows);
  if (!evaluator) return evaluator.error();
  TimedEvaluator timed(std::move(*evaluator));
  const SearchSettings of_search{.evaluates = settings.evaluates, .reuse_tree = false};
  Analysis<G> analysis(timed, of_search, settings.visits, settings.lanes, settings.batch_rows);
  // A search in each lane, of the positions from number `first` on.
  const auto search = [&](std::size_t first, auto&& use) {
    const std::span<const G> states(&positions[first % positions.size()], settings.lanes);
    analysis.run(states, {.visits = settings.visits, .noise = true}, settings.seed + first, use);
  };

  TreeCounts counts;
  double evaluations = 0;
  for (std::size_t first = 0; first < positions.size(); first += settings.lanes) {
    search(first, [&](std::size_t, const Decision<G>& decision, const Search<G>& done) {
      evaluations += decision.evaluations;
      counts.add(done);
    });
  }

  std::vector<double> rates, tree_rates, forward_shares;
  for (auto* const values : {&rates, &tree_rates, &forward_shares}) values->reserve(1 << 20);
  double visits = 0;
  static_cast<void>(timed.seconds());
  const std::uint64_t before = thread_allocations().value_or(0);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.seconds);
  for (std::size_t first = 0; first == 0 || std::chrono::steady_clock::now() < end;
       first += settings.lanes) {
    if (rates.size() == rates.capacity()) break;
    double made = 0;
    const double began = ThreadClock::now();
    search(first, [&](std::size_t, const Decision<G>& decision, const Search<G>&) {
      made += decision.visits;
    });
    const double seconds = ThreadClock::now() - began;
    const double forward_seconds = timed.seconds();
    rates.push_back(made / seconds);
    tree_rates.push_back(made / (seconds - forward_seconds));
    forward_shares.push_back(forward_seconds / seconds);
    visits += made;
  }
  const auto allocations = static_cast<double>(thread_allocations().value_or(0) - before);

  const std::string subject =
      fmt::format("{}/{}/visits-{}/lanes-{}", G::kName, evaluates_name(settings.evaluates),
                  settings.visits, settings.lanes);
  Figures figures;
  const auto add = [&](const char* name, double value, const char* unit) {
    figures.push_back({subject, name, value, unit});
  };
  add("simulations_per_second", median_of(std::move(rates)), "visits/s");
  add("simulations_per_second_of_tree", median_of(std::move(tree_rates)), "visits/s");
  add("share_evaluator", median_of(std::move(forward_shares)), "share");
  add("legal_moves", counts.legal / counts.positions, "moves/position");
  add("plies_per_visit", counts.plies / counts.visits, "plies/visit");
  add("evaluations_per_visit", evaluations / counts.visits, "rows/visit");
  add("nodes_per_visit", counts.nodes / counts.visits, "nodes/visit");
  add("bytes_per_visit", counts.used_bytes / counts.visits, "B/visit");
  add("bytes_per_visited_node", counts.used_bytes / counts.visited, "B/node");
  add("reserved_bytes_per_visited_node", counts.reserved_bytes / counts.visited, "B/node");
  add("allocations_per_simulation", thread_allocations() ? allocations / visits : std::nan(""),
      "allocations/visit");
  return figures;
}

}  // namespace

Result<Benchmark> prepare_tree(const std::string& game, const BenchSettings& settings) {
  return visit_game(game, [&]<class G>(std::type_identity<G>) -> Result<Benchmark> {
    Result<BenchNetwork> network = bench_network(settings, reference_spec<G>());
    if (!network) return network.error();
    // A few rounds of different positions.
    auto positions = recorded_decisions<G>(settings, network->network, 4 * settings.lanes);
    if (!positions) return positions.error();
    return Benchmark(
        [settings, positions = std::move(*positions), network = std::move(network->network)] {
          return run<G>(settings, positions, network);
        });
  });
}

}  // namespace senet
