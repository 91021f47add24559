// A server of games over HTTP, with libsenet playing: see README.md.
#include <CLI/CLI.hpp>
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

/// Every limit with its default.
void add_options(CLI::App& app, Options& o) {
  app.add_option("WEIGHTS", o.weights, "safetensors files; a game without one has the built-in");
  app.add_option("--address", o.address, "numeric address to listen on (127.0.0.1)");
  const auto add = [&](const char* name, std::uint64_t least, std::uint64_t most, auto& field,
                       const char* help) {
    const auto set = [&field](std::uint64_t number) {
      field = static_cast<std::decay_t<decltype(field)>>(number);
    };
    return app.add_option_function<std::uint64_t>(name, set, help)->check(CLI::Range(least, most));
  };
  add("--port", 0, 65535, o.port, "port to listen on; 0: any that is free (8080)");
  add("--games", 1, 100'000, o.games, "games that may be open at once (100)");
  add("--client-games", 1, 100'000, o.client_games,
      "of these, opened by one client; more are refused with 429 (20)");
  add("--idle-seconds", 1, 1'000'000, o.idle,
      "a game that nobody asks for is closed after it (1800)");
  add("--visits", 1, 100'000, o.visits, "visits a search may have at most (800)");
  add("--time-ms", 1, 60'000, o.time, "milliseconds a search may take at most (2000)");
  add("--memory-mib", 1, 1'000'000, o.memory_mib,
      "memory of the engine, in MiB: trees, weights, batches (512)");
  add("--workers", 1, 256, o.workers, "threads that search (2)");
  add("--threads", 1, 256, o.threads, "requests that are answered at once (16)");
  add("--queue", 0, 10'000, o.queue, "requests that wait for that; more are refused with 503 (64)");
  add("--connections", 1, 10'000, o.connections,
      "connections open at once; more are refused with 503 (256)");
  add("--client-connections", 1, 10'000, o.clients.connections,
      "of these, of one client; more are refused with 429 (64)");
  add("--rate", 0, 1'000'000, o.clients.rate,
      "requests a second of one client; more are refused with 429; 0: any (20)");
  add("--burst", 1, 1'000'000, o.clients.burst, "requests that a client may save up (60)");
  add("--request-ms", 100, 600'000, o.request_time,
      "milliseconds for a request to arrive, and an answer to leave (5000)");
  add("--keep-alive-ms", 100, 600'000, o.idle_time,
      "milliseconds that a connection may be idle between requests (15000)");
  add("--seed", 0, UINT64_MAX, o.dice_seed,
      "the same dice each time; without it they are the system's")
      ->check([](const std::string& text) -> std::string {
        return text.starts_with('-') ? "a seed is not negative" : "";
      });
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
  senet_config config = senet::api::default_config();
  config.workers = options.workers;
  config.sessions = static_cast<std::uint32_t>(options.games);
  config.visits = options.visits;
  config.memory = options.memory_mib * kMiB;
  senet::api::Engine engine(config);
  // Weights that were given, and built-in ones for the games that have none of these.
  for (const std::string& file : options.weights) engine.use(engine.load(file));
  for (const std::string& game : kGames) {
    if (!engine.try_open_session(game)) engine.use(engine.builtin(game));
  }
  const std::uint64_t fit = games_that_fit(engine, options);
  Counters counters;
  Api api(engine, kGames, options, counters);
  serve(api, options, counters, [&](unsigned port) { say_hello(options, port, fit); });
  std::printf("game_server: ended after %zu requests\n", counters.requests.load());
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Serves Connect Four and backgammon to browsers and programs.", "game_server");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  }
  run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "game_server: %s\n", error.what());
  return 2;
}
