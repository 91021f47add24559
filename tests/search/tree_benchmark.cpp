// What a search costs without a network, with either table: visits per second of one search at a
// time. As a worker searches, many side by side, it is measured by senet bench tree.
#include <benchmark/benchmark.h>

#include "games/connect_four/connect_four.hpp"
#include "search/flat_table.hpp"
#include "tests/search/search_driver.hpp"

namespace senet {
namespace {

// Whole games of Connect Four, every move searched, so that trees are cleared, grown and kept
// between moves as in self-play. One game after the other: the hash evaluator has no use for wide
// batches.
template <NodeTable Table>
void play_games(benchmark::State& bench) {
  const auto visits = static_cast<std::uint32_t>(bench.range(0));
  const bool reuse = bench.range(1) != 0;
  const TreeLimits limits = limits_for<ConnectFour>(visits, Evaluates::kPosition);
  Search<ConnectFour, Table> search({.reuse_tree = reuse}, limits);
  auto spare = std::make_unique<Tree<ConnectFour, Table>>(limits);
  const auto evaluator = hash_evaluator<ConnectFour>(1);
  Batch batch(1, ConnectFour::kMaxActive);
  std::uint64_t searched = 0, nodes = 0, game = 0;
  for (auto _ : bench) {
    ConnectFour state;
    for (std::uint32_t ply = 0; state.turn() != Turn::kOver; ++ply) {
      search.start(state, {visits, true}, Random(1, game, ply, Purpose::kNoise), &spare);
      const std::uint32_t kept = search.tree()[search.root()].n;
      const std::uint32_t kept_nodes = search.tree().size();
      run_search(search, *evaluator, batch);
      const Decision<ConnectFour> decision = search.decision();
      searched += decision.visits - kept;
      nodes += search.tree().size() - kept_nodes;
      state.play(decision.best());
    }
    ++game;
  }
  using benchmark::Counter;
  bench.counters["visits/s"] = Counter(static_cast<double>(searched), Counter::kIsRate);
  bench.counters["nodes/s"] = Counter(static_cast<double>(nodes), Counter::kIsRate);
}

BENCHMARK_TEMPLATE(play_games, EpochTable)->ArgsProduct({{100, 800, 10'000}, {0, 1}});
BENCHMARK_TEMPLATE(play_games, FlatTable)->ArgsProduct({{100, 800, 10'000}, {0, 1}});

}  // namespace
}  // namespace senet

BENCHMARK_MAIN();
