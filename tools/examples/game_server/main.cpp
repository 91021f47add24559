// A game server over HTTP in which libsenet plays: see README.md.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "api.hpp"

namespace {

using namespace game_server;

const std::vector<std::string> kGames = {"connect_four", "backgammon"};

constexpr std::uint64_t kMiB = 1 << 20;
// The maximum memory of a served connection (input buffer, waiting request, longest answer) and of
// a refused one: there may be as many of them.
constexpr std::size_t kConnectionBytes = std::size_t{192} << 10;
// The maximum memory of a game besides the engine's part: the history of turns.
constexpr std::size_t kGameBytes = std::size_t{32} << 10;

/// Help texts end with the default.
void add_options(CLI::App& app, Options& o) {
  app.add_option("WEIGHTS", o.weights, "safetensors files; other games use the built-in weights");
  app.add_option("--address", o.address, "numeric address to listen on (127.0.0.1)");
  const auto add = [&](const char* name, std::uint64_t least, std::uint64_t most, auto& field,
                       const char* help) {
    const auto set = [&field](std::uint64_t number) {
      field = static_cast<std::decay_t<decltype(field)>>(number);
    };
    return app.add_option_function<std::uint64_t>(name, set, help)->check(CLI::Range(least, most));
  };
  add("--port", 0, 65535, o.port, "port to listen on; 0: any free port (8080)");
  add("--games", 1, 100'000, o.games, "maximum number of open games (100)");
  add("--client-games", 1, 100'000, o.client_games,
      "maximum number of open games per client; more are refused with 429 (20)");
  add("--idle-seconds", 1, 1'000'000, o.idle,
      "seconds without requests after which a game is closed (1800)");
  add("--visits", 1, 100'000, o.visits, "maximum visits of a search (800)");
  add("--time-ms", 1, 60'000, o.time, "maximum milliseconds of a search (2000)");
  add("--memory-mib", 1, 1'000'000, o.memory_mib,
      "memory of the engine for trees, weights and batches, in MiB (512)");
  add("--workers", 1, 256, o.workers, "threads that search (2)");
  add("--threads", 1, 256, o.threads, "threads that answer requests, one request each (16)");
  add("--queue", 0, 10'000, o.queue,
      "maximum number of waiting requests; more are refused with 503 (64)");
  add("--connections", 1, 10'000, o.connections,
      "maximum number of open connections; more are refused with 503 (256)");
  add("--client-connections", 1, 10'000, o.clients.connections,
      "maximum number of open connections per client; more are refused with 429 (64)");
  add("--rate", 0, 1'000'000, o.clients.rate,
      "requests per second and client; more are refused with 429; 0: no limit (20)");
  add("--burst", 1, 1'000'000, o.clients.burst,
      "requests a client may send at once after a pause (60)");
  add("--request-ms", 100, 600'000, o.request_time,
      "maximum milliseconds to receive a request or to send an answer (5000)");
  add("--keep-alive-ms", 100, 600'000, o.idle_time,
      "maximum milliseconds that a connection may be idle between requests (15000)");
  add("--seed", 0, UINT64_MAX, o.dice_seed, "makes the dice reproducible (default: random dice)")
      ->check([](const std::string& text) -> std::string {
        return text.starts_with('-') ? "a seed must not be negative" : "";
      });
}

/// The number of games, all of the larger kind, that fit into the engine's memory besides its
/// weights. Throws if this is less than options.games.
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
      "MiB for %zu connections, %.1f MiB for game histories\n",
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
  // Built-in weights for the games without a file.
  for (const std::string& file : options.weights) engine.use(engine.load(file));
  for (const std::string& game : kGames) {
    if (!engine.try_open_session(game)) engine.use(engine.builtin(game));
  }
  const std::uint64_t fit = games_that_fit(engine, options);
  Counters counters;
  Api api(engine, kGames, options, counters);
  serve(api, options, counters, [&](unsigned port) { say_hello(options, port, fit); });
  std::printf("game_server: stopped after %zu requests\n", counters.requests.load());
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
