#include "tools/benchmarks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "selfplay/selfplay_threads.hpp"

namespace senet {
namespace {

/// Keeps whole games. For one worker.
class KeepingSink final : public GameSink {
 public:
  bool offer(GameRecord& record) override {
    games.push_back(record);
    return true;
  }

  std::vector<GameRecord> games;
};

bool is_searched(const RecordedTurn& turn) { return turn.kind == TurnKind::kFullSearch; }

}  // namespace

Result<BenchNetwork> bench_network(const BenchSettings& settings, const NetworkSpec& reference) {
  constexpr std::string_view kReference = "seed-283k";
  if (settings.network != kReference) {
    Result<Network> network = load_network(settings.network);
    if (!network) return network.error();
    const Result<void> fits = check_contract(network->spec(), reference);
    if (!fits) return fits.error();
    return BenchNetwork{std::move(*network), std::filesystem::path(settings.network).filename()};
  }
  NetworkSpec spec = reference;
  if (settings.width > 0) spec.width = settings.width;
  spec.blocks = settings.blocks.value_or(spec.blocks);
  if (const Result<void> good = check_spec(spec); !good) return good.error();
  return BenchNetwork{initial_network(spec, settings.seed),
                      spec == reference
                          ? std::string(kReference)
                          : fmt::format("width-{}-blocks-{}", spec.width, spec.blocks)};
}

Network copy_of(const Network& network) {
  const std::span<const float> parameters = network.parameters();
  return Network(network.spec(), {parameters.begin(), parameters.end()});
}

std::vector<AnyState> recorded_decisions(const BenchCase& bench, std::size_t count) {
  constexpr std::uint32_t kVisits = 100;
  const std::size_t games = bench.settings.recorded_games;
  SelfPlaySettings how;
  how.worker.lanes = std::min<std::size_t>(games, 64);
  how.worker.visits = how.play.full_visits = how.play.fast_visits = kVisits;
  how.play.seed = bench.settings.seed;
  ModelStore models(copy_of(bench.network));
  GameNumbers numbers(0, games);
  KeepingSink sink;
  bench.run_game.start_selfplay(how, models, numbers, sink)->join().value();

  std::ranges::sort(sink.games, {}, &GameRecord::game_number);
  std::size_t searched = 0;
  for (const GameRecord& game : sink.games)
    searched += std::ranges::count_if(game.turns(), is_searched);
  if (searched == 0) throw fail("self-play came to no decision");
  std::vector<AnyState> decisions;
  std::size_t number = 0;  // of a searched position
  for (const GameRecord& game : sink.games) {
    AnyState state(bench.game);
    for (const RecordedTurn& turn : game.turns()) {
      if (is_searched(turn)) {
        while (decisions.size() < count && decisions.size() * searched / count == number) {
          decisions.push_back(state);
        }
        ++number;
      }
      state.play(turn.action);
    }
  }
  return decisions;
}

}  // namespace senet
