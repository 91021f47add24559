#include "tools/bench_sessions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <senet/senet.hpp>

#include "games/random.hpp"
#include "tools/bench_processes.hpp"
#include "train_bridge/run_game.hpp"

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

/// Which games have an answer, from the library's threads to the host's.
class Bell {
 public:
  void ring(std::size_t game) {
    {
      const std::lock_guard lock(mutex_);
      games_.push_back(game);
    }
    rung_.notify_one();
  }
  std::size_t next() {
    std::unique_lock lock(mutex_);
    rung_.wait(lock, [&] { return !games_.empty(); });
    const std::size_t game = games_.front();
    games_.pop_front();
    return game;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  std::deque<std::size_t> games_;
};

/// One game of the host's.
struct HostedGame {
  api::Session session;
  Bell* bell;
  std::size_t number;
  Clock::time_point began{}, ended{};
};

void answered(void* user, senet_session*) {
  HostedGame& game = *static_cast<HostedGame*>(user);
  game.ended = Clock::now();
  game.bell->ring(game.number);
}

/// Throws dice and begins anew until somebody has to move.
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

struct Load {
  std::vector<double> latencies_ms;
  double seconds = 0, visits = 0, evaluations = 0;
  double engine_mib = 0, memory_mib = 0;
};

/// `sessions` games on so many threads for settings.seconds, after a tenth of that.
Load run_sessions(const std::string& game, const std::string& weights, std::size_t sessions,
                  std::size_t workers, const api::Limits& limits, std::uint32_t tree_visits,
                  const BenchSettings& settings) {
  senet_config config = api::default_config();
  config.workers = static_cast<std::uint32_t>(workers);
  config.sessions = static_cast<std::uint32_t>(sessions);
  config.visits = tree_visits;
  config.memory = std::uint64_t{8} << 30;
  config.batch = 64;
  api::Engine engine(config);
  const api::Model model = engine.load(weights);
  engine.use(model);

  Bell bell;
  Random random(settings.seed, sessions, 0, Purpose::kTest);
  std::deque<HostedGame> games;
  const auto begin = [&](HostedGame& hosted) {
    go_to_decision(hosted.session, random);
    hosted.began = Clock::now();
    hosted.session.begin_search(limits, answered, &hosted);
  };
  for (std::size_t i = 0; i < sessions; ++i) {
    games.push_back({engine.open_session(game), &bell, i});
    begin(games.back());
  }
  Load load;
  load.latencies_ms.reserve(1 << 20);
  const auto start = Clock::now();
  const double warmup = settings.seconds / 10;
  bool measuring = false;
  std::size_t under_way = sessions;
  Clock::time_point measured_from{};
  while (under_way > 0) {
    HostedGame& hosted = games[bell.next()];
    const api::Found found = hosted.session.result();
    if (!measuring && seconds_since(start) >= warmup) {
      measuring = true;
      measured_from = Clock::now();
    } else if (measuring && load.seconds == 0) {
      load.latencies_ms.push_back(
          std::chrono::duration<double, std::milli>(hosted.ended - hosted.began).count());
      load.visits += found.visits;
      load.evaluations += found.evaluations;
    }
    if (measuring && load.seconds == 0 && seconds_since(measured_from) >= settings.seconds) {
      load.seconds = seconds_since(measured_from);
      load.engine_mib = static_cast<double>(engine.memory()) / (1 << 20);
      load.memory_mib = shared_out_mib({}).value_or(0);
    }
    if (load.seconds > 0) {
      --under_way;
      continue;
    }
    hosted.session.play(found.action);
    begin(hosted);
  }
  return load;
}

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return std::nan("");
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

void add_load(Figures& figures, const std::string& subject, Load load) {
  const auto add = [&](const char* name, double value, const char* unit) {
    figures.push_back({subject, name, value, unit});
  };
  const auto searches = static_cast<double>(load.latencies_ms.size());
  add("latency_p50", percentile(load.latencies_ms, 0.50), "ms");
  add("latency_p95", percentile(load.latencies_ms, 0.95), "ms");
  add("latency_p99", percentile(load.latencies_ms, 0.99), "ms");
  add("searches_per_second", searches / load.seconds, "searches/s");
  add("visits_per_search", load.visits / searches, "visits/search");
  add("evaluations_per_second", load.evaluations / load.seconds, "evaluations/s");
  add("engine_memory", load.engine_mib, "MiB");
  add("memory", load.memory_mib, "MiB");
}

/// The network in a file of its own while the benchmark lives.
class WeightsFile {
 public:
  static Result<WeightsFile> write(const Network& network) {
    std::string name = (std::filesystem::temp_directory_path() / "senet-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return fail("cannot make a temporary folder");
    WeightsFile file(name);
    if (const auto saved = save_network(network, file.path()); !saved) {
      return saved.error();
    }
    return file;
  }
  WeightsFile(WeightsFile&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  ~WeightsFile() {
    std::error_code unknown;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, unknown);
  }
  std::string path() const { return (folder_ / "weights.safetensors").string(); }

 private:
  explicit WeightsFile(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

Result<Figures> run(const std::string& game, const std::string& network, const WeightsFile& weights,
                    const BenchSettings& settings) {
  Figures figures;
  const auto subject = [&](std::string_view kind, std::size_t count, const std::string& limit) {
    return fmt::format("{}/{}/{}-{}/{}", game, network, kind, count, limit);
  };
  const std::string by_time = fmt::format("{}-ms", settings.search_ms);
  const std::string by_visits = fmt::format("{}-visits", settings.visits);
  const auto measure = [&](std::size_t sessions, const std::string& limit,
                           const api::Limits& limits, std::uint32_t tree_visits) {
    for (const std::size_t workers : settings.workers) {
      std::string name = subject("sessions", sessions, limit);
      if (settings.workers.size() > 1) name += fmt::format("/workers-{}", workers);
      add_load(
          figures, name,
          run_sessions(game, weights.path(), sessions, workers, limits, tree_visits, settings));
    }
  };
  try {
    for (const std::size_t sessions : settings.sessions) {
      measure(sessions, by_time, {.time = microseconds(1000 * settings.search_ms)},
              1000 * settings.search_ms);
    }
    for (const std::size_t sessions : settings.sessions) {
      measure(sessions, by_visits, {.visits = settings.visits}, kBenchTreeVisits);
    }
  } catch (const api::Error& error) {
    return fail(error.reason());
  }
  if (!settings.processes) return figures;
  const std::size_t most = *std::max_element(settings.sessions.begin(), settings.sessions.end());
  const auto processes = run_processes(game, weights.path(), most, settings);
  if (!processes) return processes.error();
  const std::string of_processes = subject("processes", most, by_visits);
  figures.push_back(
      {of_processes, "searches_per_second", processes->searches_per_second, "searches/s"});
  figures.push_back({of_processes, "memory", processes->memory_mib, "MiB"});
  return figures;
}

}  // namespace

Result<Benchmark> prepare_sessions(const std::string& game, const BenchSettings& settings) {
  const Result<const RunGame*> run_game = find_game<RunGame>(game);
  if (!run_game) return run_game.error();
  const auto network = bench_network(settings, (*run_game)->reference_spec());
  if (!network) return network.error();
  // Weights that do not say are asked what --mode says.
  NetworkSpec spec = network->network.spec();
  if (!spec.evaluates) spec.evaluates = settings.evaluates;
  const auto parameters = network->network.parameters();
  auto weights = WeightsFile::write(Network(spec, {parameters.begin(), parameters.end()}));
  if (!weights) return weights.error();
  return Benchmark(
      [game, name = network->name, settings, weights = std::move(*weights)]() -> Result<Figures> {
        return run(game, name, weights, settings);
      });
}

}  // namespace senet
