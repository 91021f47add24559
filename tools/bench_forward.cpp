#include "tools/bench_forward.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "games/registry.hpp"
#include "search/decision.hpp"
#include "tools/bench_positions.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/run_config.hpp"

namespace senet {
namespace {

/// Batches of one size with the memory for their answers.
template <Game G>
class RecordedBatches {
 public:
  RecordedBatches(const std::vector<G>& positions, std::size_t rows, Evaluates evaluates)
      : outcomes_(positions.size()), wanted_(positions.size()), logits_(positions.size()) {
    for (std::size_t i = 0; i + rows <= positions.size(); i += rows) {
      Batch& batch = batches_.emplace_back(rows, G::kMaxActive);
      for (std::size_t k = i; k < i + rows; ++k) {
        if (evaluates == Evaluates::kPosition) want_legal(positions[k], k);
        batch.add({outcomes_[k], wanted_[k], logits_[k].data()},
                  [&](FeatureRow& row) { positions[k].encode(row); });
      }
    }
  }

  const std::vector<Batch>& batches() const { return batches_; }

 private:
  void want_legal(const G& position, std::size_t k) {
    ActionList<G::kMaxLegal> actions;
    position.legal(actions);
    for (const Action action : actions) {
      for (const std::uint16_t logit : G::logits_of(action)) wanted_[k].push_back(logit);
    }
    logits_[k].resize(wanted_[k].size());
  }

  std::vector<Batch> batches_;
  std::vector<Outcomes<G>> outcomes_;
  std::vector<std::vector<std::uint16_t>> wanted_;
  std::vector<std::vector<float>> logits_;
};

struct Rate {
  double states_per_second = 0;        // median over passes through all batches
  double allocations_per_forward = 0;  // NaN when they are not counted
};

Rate rate_of(Evaluator& evaluator, const std::vector<Batch>& batches, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto pass = [&] {
    for (const Batch& batch : batches) evaluator.forward(batch);
  };
  pass();
  const auto allocations = thread_allocations();
  std::vector<double> rates;
  rates.reserve(1 << 20);
  const auto states = static_cast<double>(batches.size() * batches.front().size());
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  const std::uint64_t before = thread_allocations().value_or(0);
  do {
    const auto began = Clock::now();
    pass();
    rates.push_back(states / std::chrono::duration<double>(Clock::now() - began).count());
  } while (Clock::now() < end && rates.size() < rates.capacity());
  const std::uint64_t after = thread_allocations().value_or(0);
  const double forwards = static_cast<double>(rates.size() * batches.size());
  return {median_of(std::move(rates)),
          allocations ? static_cast<double>(after - before) / forwards : std::nan("")};
}

template <Game G>
Result<Figures> run(const BenchSettings& settings, double peak) {
  const Result<BenchNetwork> network = bench_network(settings, reference_spec<G>());
  if (!network) return tl::unexpected(network.error());
  constexpr std::size_t kPositions = 256;
  std::vector<G> positions = random_decisions<G>(kPositions, settings.seed);
  if (settings.evaluates == Evaluates::kAfterstates) {
    Random random(settings.seed, 1, 0, Purpose::kTest);
    for (G& position : positions) {
      const G after = random_successor(position, random);
      if (after.turn() != Turn::kOver) position = after;
    }
  }
  std::vector<EvaluatorKind> kinds{settings.evaluator};
  if (settings.evaluator == EvaluatorKind::kAuto) {
    kinds = {EvaluatorKind::kFused, EvaluatorKind::kOneDnn};
  }
  const double dense_gflop = dense_flop(network->network.spec()) * 1e-9;
  Figures figures;
  for (const EvaluatorKind kind : kinds) {
    for (const std::size_t rows : {1, 16, 64, 256}) {
      const auto evaluator = make_evaluator(kind, network->network, rows, settings.exact);
      if (!evaluator) return tl::unexpected(evaluator.error());
      const RecordedBatches<G> recorded(positions, rows, settings.evaluates);
      const Rate rate = rate_of(**evaluator, recorded.batches(), settings.seconds);
      const std::string subject =
          fmt::format("{}/{}/{}/{}{}/batch-{}", G::kName, evaluates_name(settings.evaluates),
                      network->name, (*evaluator)->name(), settings.exact ? "-exact" : "", rows);
      const double dense = rate.states_per_second * dense_gflop;
      figures.push_back({subject, "states_per_second", rate.states_per_second, "states/s"});
      figures.push_back({subject, "dense_gflops", dense, "GFLOP/s"});
      figures.push_back({subject, "share_of_peak", dense / peak, "share"});
      figures.push_back({subject, "allocations_per_forward", rate.allocations_per_forward,
                         "allocations/forward"});
    }
  }
  return figures;
}

}  // namespace

Result<Figures> bench_forward(const std::string& game, const BenchSettings& settings, double peak) {
  return visit_game(game, [&]<class G>(std::type_identity<G>) {
    // oneDNN leaves settings in the thread that runs it: give it one of its own.
    Result<Figures> figures;
    std::thread([&] { figures = run<G>(settings, peak); }).join();
    return figures;
  });
}

}  // namespace senet
