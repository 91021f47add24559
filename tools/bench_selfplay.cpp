#include "tools/bench_selfplay.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "tools/counted_malloc.hpp"
#include "tools/programs.hpp"
#include "train_bridge/run_game.hpp"

namespace senet {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Shares of a worker's time; they add up to 1.
struct Shares {
  double forward = 0, encode = 0, tree = 0, other = 0;
};

Shares shares_of(const WorkerCounts& counts, double encode_ns) {
  // The counters of one round are not written at once, so the parts may be a little ahead of the
  // whole.
  const double total = std::max(counts.total_ns, counts.forward_ns + counts.lanes_ns);
  if (!(total > 0)) return {kNaN, kNaN, kNaN, kNaN};
  Shares shares;
  shares.forward = counts.forward_ns / total;
  const double lanes = counts.lanes_ns / total;
  shares.encode = std::min(counts.rows * encode_ns / total, lanes);
  shares.tree = lanes - shares.encode;
  shares.other = 1 - shares.forward - lanes;
  return shares;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : kNaN; }

/// Mean over the workers, of whom each evaluated about as much.
double mean_nonzeros(const Measured& measured) {
  double sum = 0;
  for (const EncodeCost& cost : measured.encode) sum += cost.nonzeros;
  return sum / static_cast<double>(measured.encode.size());
}

Figures figures_of(const Measured& measured, const BenchSettings& settings, std::size_t parameters,
                   const std::string& subject) {
  WorkerCounts sum;
  for (const WorkerCounts& counts : measured.workers) sum.add(counts, 1);
  const double seconds = measured.seconds;
  const bool counted = thread_allocations().has_value();
  const double own = sum.allocations - sum.forward_allocations;
  const double fill = ratio(sum.rows, sum.forwards);
  const auto workers = static_cast<double>(measured.workers.size());
  Figures figures;
  const auto add = [&](const char* name, double value, const char* unit) {
    figures.push_back({subject, name, value, unit});
  };
  add("games_per_minute", measured.games / seconds * 60, "games/min");
  add("decisions_per_second", sum.searches / seconds, "decisions/s");
  add("simulations_per_second", sum.visits / seconds, "visits/s");
  add("evaluations_per_second", sum.rows / seconds, "rows/s");
  add("evaluations_per_visit", ratio(sum.rows, sum.visits), "rows/visit");
  add("remembered_share", ratio(sum.remembered, sum.rows), "share");
  add("mean_batch_fill", fill, "rows/forward");
  add("mean_batch_fill_share", fill / static_cast<double>(settings.batch_rows), "share");

  std::vector<Shares> shares;
  Shares mean;
  for (std::size_t i = 0; i < measured.workers.size(); ++i) {
    shares.push_back(shares_of(measured.workers[i], measured.encode[i].nanoseconds));
    for (double Shares::*const part :
         {&Shares::forward, &Shares::encode, &Shares::tree, &Shares::other}) {
      mean.*part += shares.back().*part / workers;
    }
  }
  const auto add_shares = [&](const std::string& whose, const Shares& s) {
    figures.push_back({whose, "share_forward", s.forward, "share"});
    figures.push_back({whose, "share_encode", s.encode, "share"});
    figures.push_back({whose, "share_tree", s.tree, "share"});
    figures.push_back({whose, "share_other", s.other, "share"});
  };
  add_shares(subject, mean);
  add("tree_over_forward", ratio(mean.tree, mean.forward), "ratio");
  const TreeCounts& trees = measured.trees;
  add("nonzeros", mean_nonzeros(measured), "features/row");
  add("legal_moves", ratio(trees.legal, trees.positions), "moves/position");
  add("plies_per_visit", ratio(trees.plies, trees.visits), "plies/visit");
  add("bytes_per_visited_node", ratio(trees.used_bytes, trees.visited), "B/node");
  add("bytes_per_visit", ratio(trees.used_bytes, trees.visits), "B/visit");
  add("reserved_bytes_per_visited_node", ratio(trees.reserved_bytes, trees.visited), "B/node");
  add("allocations_per_simulation", counted ? ratio(sum.allocations, sum.visits) : kNaN,
      "allocations/visit");
  add("own_allocations_per_simulation", counted ? ratio(own, sum.visits) : kNaN,
      "allocations/visit");
  add("decisions_per_game", ratio(measured.decisions, measured.games), "decisions");
  add("plies_per_game", ratio(measured.plies, measured.games), "plies");
  add("games", measured.games, "games");
  add("measured_seconds", seconds, "s");
  add("warmup_seconds", measured.warmup_seconds, "s");
  add("resident", measured.resident, "MiB");
  add("parameters", static_cast<double>(parameters), "parameters");
  add("workers", workers, "threads");
  add("lanes_per_worker", static_cast<double>(settings.lanes), "games");
  add("batch_capacity", static_cast<double>(settings.batch_rows), "rows");
  for (std::size_t i = 0; i < shares.size(); ++i) {
    add_shares(fmt::format("{}/worker-{}", subject, i), shares[i]);
  }
  return figures;
}

/// What so many workers more bring.
Figures scaling(const std::string& subject, const Figures& before, std::size_t workers_before,
                const Figures& after, std::size_t workers_after) {
  const auto value = [](const Figures& figures, std::string_view name) {
    return std::ranges::find(figures, name, &Metric::name)->value;
  };
  const std::string whose =
      fmt::format("{}/workers-{}-to-{}", subject, workers_before, workers_after);
  Figures figures;
  for (const char* const name : {"decisions_per_second", "evaluations_per_second"}) {
    figures.push_back({whose, fmt::format("{}_ratio", name),
                       ratio(value(after, name), value(before, name)), "ratio"});
  }
  return figures;
}

Result<Figures> run(const Programs& programs, const BenchSettings& settings,
                    const BenchNetwork& network, EvaluatorKind evaluator,
                    const std::string& trace_file) {
  const std::string cache =
      settings.cache_mib > 0 ? fmt::format("-cache-{}", settings.cache_mib) : "";
  const std::string subject = fmt::format(
      "{}/{}/{}/visits-{}{}{}/{}{}", network.network.spec().game, name_of(settings.evaluates),
      network.name, settings.visits, settings.reuse_tree ? "-reused" : "", cache,
      name_of(evaluator), settings.exact ? "-exact" : "");
  const bool compares = settings.workers.size() > 1;
  std::optional<WorkerTrace> trace;
  if (!trace_file.empty()) trace.emplace(kTracedPasses, settings.lanes);
  Figures all, before;
  std::size_t workers_before = 0;
  for (const std::size_t workers : settings.workers) {
    const bool traces = trace && workers_before == 0;
    const auto measured = programs.measure_selfplay(
        settings, workers, evaluator, copy_of(network.network), traces ? &*trace : nullptr);
    if (!measured) return measured.error();
    if (traces) {
      const auto written = trace->write(trace_file, measured->encode.front().nanoseconds);
      if (!written) return written.error();
    }
    const Figures figures =
        figures_of(*measured, settings, network.network.parameters().size(),
                   compares ? fmt::format("{}/workers-{}", subject, workers) : subject);
    all.insert(all.end(), figures.begin(), figures.end());
    if (workers_before > 0) {
      const Figures ratios = scaling(subject, before, workers_before, figures, workers);
      all.insert(all.end(), ratios.begin(), ratios.end());
    }
    before = figures;
    workers_before = workers;
  }
  return all;
}

}  // namespace

Result<Benchmark> prepare_selfplay(const std::string& game, const BenchSettings& settings,
                                   const std::string& trace_file) {
  const Result<const Programs*> programs = find_game<Programs>(game);
  if (!programs) return programs.error();
  Result<BenchNetwork> network =
      bench_network(settings, (*find_game<RunGame>(game))->reference_spec());
  if (!network) return network.error();
  // Chosen once, so that all runs measure the same.
  const EvaluatorKind evaluator =
      resolve_kind(settings.evaluator, network->network, settings.batch_rows, settings.exact);
  return Benchmark([programs = *programs, settings, evaluator, network = std::move(*network),
                    trace = trace_file]() mutable {
    return run(*programs, settings, network, evaluator, std::exchange(trace, {}));
  });
}

}  // namespace senet
