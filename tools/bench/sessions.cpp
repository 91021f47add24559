#include "tools/bench/benchmarks.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <senet/senet.hpp>
#include <span>
#include <vector>

#include "engine/lanes/bounded_queue.hpp"
#include "games/random.hpp"
#include "tools/bench/timing.hpp"
#include "tools/play/process_player.hpp"
#include "tools/scratch_folder.hpp"

namespace senet {
namespace {

/// The sum of these processes' proportional set sizes, in MiB. A shared page is divided between the
/// processes that use it. 0 if the system does not report it.
double shared_out_mib(const std::vector<pid_t>& processes) {
  double kib = 0;
  for (const pid_t process : processes) {
    std::ifstream file(fmt::format("/proc/{}/smaps_rollup", process));
    std::string line;
    while (std::getline(file, line) && !line.starts_with("Pss:")) {
    }
    if (!file) return 0;
    kib += std::strtod(line.c_str() + 4, nullptr);
  }
  return kib / 1024;
}

/// One game of the host.
struct HostedGame {
  api::Session session;
  double began = 0, ended = 0;  // of the search, in wall-clock seconds
};

/// Rolls dice and starts new games until a player is to move.
void go_to_decision(api::Session& session, Random& random) {
  for (;;) {
    const senet_turn turn = session.turn();
    if (turn == SENET_OVER) {
      session.set("");
    } else if (turn == SENET_CHANCE) {
      session.play(static_cast<Action>(random.pick(session.chance())));
    } else {
      return;
    }
  }
}

/// Measures `sessions` games on `workers` threads for settings.seconds, after a warm-up of a tenth
/// of that.
void add_sessions(Figures& figures, const std::string& subject, const BenchCase& bench,
                  const std::string& weights, std::size_t sessions, std::size_t workers,
                  const api::Limits& limits, std::uint32_t tree_visits) {
  const BenchSettings& settings = bench.settings;
  senet_config config = api::default_config();
  config.workers = static_cast<std::uint32_t>(workers);
  config.sessions = static_cast<std::uint32_t>(sessions);
  config.visits = tree_visits;
  config.memory = std::uint64_t{1} << 40;  // no bound: the figures say what is used
  config.batch = 64;
  BoundedQueue<HostedGame*> answered(sessions);  // from libsenet's threads to this thread
  api::Engine engine(config);
  const api::Model model = engine.load(weights);
  engine.use(model);

  Random random(settings.seed, sessions, 0, Purpose::kTest);
  std::deque<HostedGame> games;
  const auto begin = [&](HostedGame& hosted) {
    go_to_decision(hosted.session, random);
    hosted.began = wall_seconds();
    hosted.session.begin_search(limits, [&] {
      hosted.ended = wall_seconds();
      static_cast<void>(answered.push(&hosted));
    });
  };
  for (std::size_t i = 0; i < sessions; ++i) {
    begin(games.emplace_back(HostedGame{engine.open_session(bench.game.name)}));
  }
  std::vector<double> latencies_ms;
  latencies_ms.reserve(1 << 20);
  double visits = 0, evaluations = 0;
  // Takes a result, plays the move that was found, and starts the game's next search.
  const auto go_on = [&](bool counts) {
    HostedGame& hosted = **answered.pop();
    const api::Found found = hosted.session.result();
    if (counts) {
      latencies_ms.push_back(1e3 * (hosted.ended - hosted.began));
      visits += found.visits;
      evaluations += found.evaluations;
    }
    hosted.session.play(found.action);
    begin(hosted);
  };
  const double warm = wall_seconds() + settings.seconds / 10;
  while (wall_seconds() < warm) go_on(false);
  const double start = wall_seconds();
  double seconds = 0;
  for (; seconds < settings.seconds; seconds = wall_seconds() - start) go_on(true);
  const double engine_mib = static_cast<double>(engine.memory()) / (1 << 20);
  const double memory_mib = shared_out_mib({getpid()});
  // Wait for the running searches.
  for (std::size_t i = 0; i < sessions; ++i) static_cast<void>(answered.pop());
  std::ranges::sort(latencies_ms);
  const auto searches = static_cast<double>(latencies_ms.size());
  const auto percentile = [&](double share) {
    return latencies_ms[static_cast<std::size_t>(share * (searches - 1))];
  };
  add_figures(figures, subject,
              {{"latency_p50", percentile(0.50), "ms"},
               {"latency_p95", percentile(0.95), "ms"},
               {"latency_p99", percentile(0.99), "ms"},
               {"searches_per_second", searches / seconds, "searches/s"},
               {"visits_per_search", visits / searches, "visits/search"},
               {"evaluations_per_second", evaluations / seconds, "evaluations/s"},
               {"engine_memory", engine_mib, "MiB"},
               {"memory", memory_mib, "MiB"}});
}

/// One game and its process.
struct ProcessGame {
  TextEngine engine;
  AnyState state;
};

/// Measures `count` processes of this program as `senet uci` with these weights. In each round, all
/// processes get a search request, then all answers are read. The round running when
/// settings.seconds have passed is the last.
void add_processes(Figures& figures, const std::string& subject, const BenchCase& bench,
                   const std::string& weights, std::size_t count) {
  constexpr const char* kHashMib = "2";  // enough for kBenchTreeVisits in all games
  TextEngineSettings how;
  how.command = fmt::format("exec '{}' uci --game {} --weights '{}' --hash {}",
                            std::filesystem::read_symlink("/proc/self/exe").string(),
                            bench.game.name, weights, kHashMib);
  std::vector<ProcessGame> games;
  std::vector<pid_t> ids{getpid()};
  for (std::size_t i = 0; i < count; ++i) {
    games.push_back({TextEngine::start(how).value(), AnyState(bench.game)});
    ids.push_back(games.back().engine.id());
  }
  Random random(bench.settings.seed, count, 1, Purpose::kTest);
  const auto ask = [&](ProcessGame& game) {
    while (!is_decision(game.state.turn())) {
      if (game.state.turn() == Turn::kOver) {
        game.state = AnyState(bench.game);
      } else {
        game.state.play(draw_action(game.state, random));
      }
    }
    game.engine
        .ask({fmt::format("position {}", game.state.text()),
              fmt::format("go nodes {}", bench.settings.visits)})
        .value();
  };
  const auto take_answer = [](ProcessGame& game) {
    game.state.play(game.state.action_from_text(game.engine.answer().value()).value());
  };
  const auto round = [&] {
    std::ranges::for_each(games, ask);
    std::ranges::for_each(games, take_answer);
  };
  round();
  const double start = wall_seconds();
  double seconds = 0;
  std::size_t searches = 0;
  for (; seconds < bench.settings.seconds; seconds = wall_seconds() - start) {
    round();
    searches += count;
  }
  add_figures(figures, subject,
              {{"searches_per_second", static_cast<double>(searches) / seconds, "searches/s"},
               {"memory", shared_out_mib(ids), "MiB"}});
}

void run(const BenchCase& bench, const std::string& weights, Figures& figures) {
  const BenchSettings& settings = bench.settings;
  const auto subject = [&](std::string_view kind, std::size_t count, const std::string& limit) {
    return fmt::format("{}/{}/{}-{}/{}", bench.game.name, bench.network_name, kind, count, limit);
  };
  const auto measure = [&](const std::string& limit, const api::Limits& limits,
                           std::uint32_t tree_visits) {
    for (const std::size_t sessions : settings.sessions) {
      for (const std::size_t workers : settings.workers) {
        std::string name = subject("sessions", sessions, limit);
        if (settings.workers.size() > 1) name += fmt::format("/workers-{}", workers);
        add_sessions(figures, name, bench, weights, sessions, workers, limits, tree_visits);
      }
    }
  };
  const std::string by_visits = fmt::format("{}-visits", settings.visits);
  const std::uint32_t microseconds = 1000 * settings.search_ms;
  measure(fmt::format("{}-ms", settings.search_ms),
          {.time = std::chrono::microseconds(microseconds)}, microseconds);
  measure(by_visits, {.visits = settings.visits}, kBenchTreeVisits);
  if (settings.processes) {
    const std::size_t most = std::ranges::max(settings.sessions);
    add_processes(figures, subject("processes", most, by_visits), bench, weights, most);
  }
}

}  // namespace

Benchmark prepare_sessions(const BenchCase& bench) {
  ScratchFolder folder = ScratchFolder::make("senet-bench-").value();
  const std::string weights = folder.path() / "weights.safetensors";
  // If the weights do not record their mode, use --mode.
  NetworkSpec spec = bench.network.spec();
  if (!spec.evaluates) spec.evaluates = bench.settings.search.evaluates;
  const std::span<const float> parameters = bench.network.parameters();
  save_network(Network(spec, {parameters.begin(), parameters.end()}), weights).value();
  return [&bench, weights, folder = std::move(folder)](Figures& figures) {
    run(bench, weights, figures);
  };
}

}  // namespace senet
