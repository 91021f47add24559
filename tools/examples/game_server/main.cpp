// A server of games over HTTP, with libsenet playing: see README.md.
#include <cstdio>

#include "api.hpp"

namespace {

using namespace game_server;

const std::vector<std::string> kGames = {"connect_four", "backgammon"};

constexpr std::uint64_t kMiB = 1 << 20;
// What a connection may hold at most: what it reads, a request that waits, and the longest answer;
// and what one that is refused may hold.
constexpr std::size_t kConnectionBytes = std::size_t{192} << 10;
// What a game may hold at most beside the engine's part: its last turns.
constexpr std::size_t kGameBytes = std::size_t{32} << 10;

senet_config config_of(const Options& options) {
  senet_config config = senet::api::default_config();
  config.workers = options.workers;
  config.sessions = static_cast<std::uint32_t>(options.games);
  config.visits = options.visits;
  config.memory = options.memory_mib * kMiB;
  return config;
}

/// The weights that were given, and the built-in ones for the games that have none of these.
void load_weights(senet::api::Engine& engine, const Options& options) {
  for (const std::string& file : options.weights) engine.use(engine.load(file));
  for (const std::string& game : kGames) {
    if (!engine.try_open_session(game)) engine.use(engine.builtin(game));
  }
}

/// How many games the engine has room for beside its weights, whichever games these are. Throws
/// when that is less than was asked for.
std::uint64_t games_that_fit(senet::api::Engine& engine, const Options& options) {
  const std::uint64_t without = engine.memory();
  std::uint64_t largest = 0;
  for (const std::string& game : kGames) {
    const auto session = engine.open_session(game);
    largest = std::max(largest, engine.memory() - without);
  }
  const std::uint64_t bound = options.memory_mib * kMiB, needed = without + options.games * largest;
  const std::uint64_t fit = (bound - without) / largest;
  if (needed <= bound) return fit;
  throw std::runtime_error(std::to_string(options.games) + " games with " +
                           std::to_string(options.visits) + " visits do not fit into " +
                           std::to_string(options.memory_mib) + " MiB: they need " +
                           std::to_string((needed + kMiB - 1) / kMiB) + ", and " +
                           std::to_string(fit) + " fit; change --games, --visits or --memory-mib");
}

void say_hello(const Options& options, unsigned port, std::uint64_t fit) {
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / double{kMiB}; };
  const bool v6 = options.address.find(':') != std::string::npos;
  std::printf("game_server: http://%s%s%s:%u\n", v6 ? "[" : "", options.address.c_str(),
              v6 ? "]" : "", port);
  std::printf(
      "memory: at most %zu MiB in the engine for %zu games of %u visits (%zu would fit), %.1f "
      "MiB for %zu connections, %.1f MiB for what was played\n",
      options.memory_mib, options.games, options.visits, fit,
      mib(options.connections * kConnectionBytes), options.connections,
      mib(options.games * kGameBytes));
  std::fflush(stdout);
}

void run(const Options& options) {
  senet::api::Engine engine(config_of(options));
  load_weights(engine, options);
  const std::uint64_t fit = games_that_fit(engine, options);
  Counters counters;
  Api api(engine, kGames, options, counters);
  serve({.answer = [&](auto& request, auto& client) { return api.answer(request, client); },
         .ready = [&](unsigned port) { say_hello(options, port, fit); },
         .tick = [&] { api.close_idle_games(); }},
        options, counters);
  std::printf("game_server: ended after %zu requests\n", counters.requests.load());
}

}  // namespace

int main(int argc, char** argv) try {
  const std::optional<Options> options = read_options(argc, argv);
  if (!options) {
    std::fputs(usage().c_str(), stdout);
    return 0;
  }
  run(*options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "game_server: %s\n", error.what());
  return 2;
}
