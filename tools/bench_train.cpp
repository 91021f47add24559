#include "tools/bench_train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "games/registry.hpp"
#include "search/decision.hpp"
#include "tools/bench_positions.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/run_config.hpp"
#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {
namespace {

template <Game G>
TrainBatch random_batch(std::size_t rows, const BenchSettings& settings) {
  const std::vector<G> positions = random_decisions<G>(rows, settings.seed);
  std::size_t actions = G::kMaxLegal;
  ActionList<G::kMaxLegal> legal;
  for (const G& position : positions) {
    legal.clear();
    position.legal(legal);
    actions += legal.size();
  }
  TrainBatch batch({.rows = rows,
                    .max_active = G::kMaxActive,
                    .max_legal = G::kMaxLegal,
                    .logits_per_action = G::kLogitsPerAction,
                    .outcomes = kOutcomes<G>,
                    .action_room = actions});
  Random random(settings.seed, 1, 0, Purpose::kTest);
  for (const G& position : positions) {
    const auto outcomes = batch.add([&](FeatureRow& row) { position.encode(row); });
    std::ranges::fill(outcomes, 0.0f);
    outcomes[random.below(static_cast<std::uint32_t>(outcomes.size()))] = 1;
    if (settings.evaluates == Evaluates::kAfterstates) continue;
    legal.clear();
    position.legal(legal);
    for (const Action action : legal) {
      batch.add_action(1.0f / static_cast<float>(legal.size()), G::logits_of(action));
    }
  }
  return batch;
}

template <Game G>
Result<Figures> run(const BenchSettings& settings) {
  using Clock = std::chrono::steady_clock;
  const Result<BenchNetwork> network = bench_network(settings, reference_spec<G>());
  if (!network) return tl::unexpected(network.error());
  use_single_threaded_blas();
  Figures figures;
  for (const std::size_t rows : {512, 1024}) {
    const TrainBatch batch = random_batch<G>(rows, settings);
    const auto trainer = make_cpu_trainer(network->network, batch.shape(), {});
    trainer->warm_up();
    std::vector<double> rates;
    rates.reserve(1 << 20);
    const std::uint64_t before = thread_allocations().value_or(0);
    const auto end = Clock::now() + std::chrono::duration<double>(settings.seconds);
    do {
      const auto began = Clock::now();
      trainer->step(batch, 1e-3f);
      const std::chrono::duration<double> time = Clock::now() - began;
      rates.push_back(static_cast<double>(rows) / time.count());
    } while (Clock::now() < end && rates.size() < rates.capacity());
    const std::uint64_t after = thread_allocations().value_or(0);
    const double allocations =
        static_cast<double>(after - before) / static_cast<double>(rates.size());
    const double rate = median_of(std::move(rates));
    const std::string subject =
        fmt::format("{}/{}/{}/{}/batch-{}", G::kName, evaluates_name(settings.evaluates),
                    network->name, trainer->name(), rows);
    figures.push_back({subject, "samples_per_second", rate, "samples/s"});
    figures.push_back({subject, "step_time", 1e3 * static_cast<double>(rows) / rate, "ms"});
    figures.push_back({subject, "allocations_per_step",
                       thread_allocations() ? allocations : std::nan(""), "allocations/step"});
  }
  return figures;
}

}  // namespace

Result<Figures> bench_train(const std::string& game, const BenchSettings& settings) {
  return visit_game(game, [&]<class G>(std::type_identity<G>) { return run<G>(settings); });
}

}  // namespace senet
