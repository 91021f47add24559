// A game server over HTTP in which libsenet plays: see README.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <iostream>

#include "server.hpp"

namespace {

using namespace game_server;

constexpr std::uint64_t kMiB = 1 << 20;
// The maximum memory of a served connection (input buffer, waiting request, longest answer) and of
// a refused one: there may be as many of them.
constexpr std::size_t kConnectionBytes = std::size_t{192} << 10;
// The maximum memory of a game besides the engine's part: the history of turns.
constexpr std::size_t kGameBytes = std::size_t{48} << 10;

void add_options(CLI::App& app, Options& o) {
  app.set_help_flag("-h,--help", "print this help and exit");
  app.footer("Requests beyond a limit are refused with status 429 or 503.");
  app.add_option("WEIGHTS", o.weights,
                 "safetensors files; a game without one uses the built-in weights")
      ->type_name("FILE");
  app.add_option("--address", o.address, "numeric address to listen on")
      ->type_name("IP")
      ->capture_default_str();
  const auto add = [&](const char* name, auto& field, std::uint64_t least, std::uint64_t most,
                       const char* help) {
    const std::string range = " (" + std::to_string(least) + " .. " + std::to_string(most) + ")";
    app.add_option(name, field, help + range)
        ->type_name("N")
        ->check(CLI::Range(least, most).description(""))
        ->capture_default_str();
  };
  add("--port", o.port, 0, 65535, "port to listen on; 0: any free port");
  add("--games", o.games, 1, 100'000, "maximum number of open games");
  add("--client-games", o.client_games, 1, 100'000, "maximum number of open games per client");
  add("--idle-seconds", o.idle_seconds, 1, 1'000'000,
      "seconds until a game without requests is closed");
  add("--visits", o.visits, 1, 100'000, "maximum visits of a search");
  add("--time-ms", o.time_ms, 1, 60'000, "maximum milliseconds of a search");
  add("--memory-mib", o.memory_mib, 1, 1'000'000,
      "maximum MiB of the engine: trees, weights, batches");
  add("--workers", o.workers, 1, 256, "threads that search");
  add("--threads", o.threads, 1, 256, "threads that answer requests, one request each");
  add("--queue", o.queue, 0, 10'000, "maximum number of requests that wait for a thread");
  add("--connections", o.connections, 1, 10'000, "maximum number of open connections");
  add("--client-connections", o.clients.connections, 1, 10'000,
      "maximum number of open connections per client");
  add("--rate", o.clients.rate, 0, 1'000'000,
      "maximum requests per second and client; 0: no limit");
  add("--burst", o.clients.burst, 1, 1'000'000,
      "maximum requests of a client at once after a pause");
  add("--request-ms", o.request_ms, 100, 600'000,
      "maximum milliseconds to receive or answer a request");
  add("--keep-alive-ms", o.keep_alive_ms, 100, 600'000,
      "maximum milliseconds that a connection may be idle");
  app.add_option("--seed", o.dice_seed, "makes the dice reproducible (default: random dice)")
      ->type_name("N")
      ->check([](const std::string& text) -> std::string {
        return text.starts_with('-') ? "a seed must not be negative" : "";
      });
}

/// The number of games, all of the larger kind, that fit into the engine's memory besides its
/// weights. Throws if this is less than options.games.
std::uint64_t games_that_fit(senet::api::Engine& engine, const Options& options) {
  const std::uint64_t without = engine.memory();
  std::uint64_t largest = 0;
  for (const std::string_view game : kGames) {
    const auto session = engine.open_session(game);
    largest = std::max(largest, engine.memory() - without);
  }
  const std::uint64_t bound = options.memory_mib * kMiB, needed = without + options.games * largest;
  const std::uint64_t fit = (bound - without) / largest;
  if (needed <= bound) return fit;
  std::ostringstream why;
  why << options.games << " games with " << options.visits << " visits do not fit into "
      << options.memory_mib << " MiB: they need " << (needed + kMiB - 1) / kMiB << ", and " << fit
      << " fit; change --games, --visits or --memory-mib";
  throw std::runtime_error(why.str());
}

void say_hello(const Options& options, const tcp::endpoint& address, const std::string& networks,
               std::uint64_t fit) {
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / double{kMiB}; };
  std::cout << std::fixed << std::setprecision(1) << "game_server: http://" << address
            << "\nmemory: at most " << options.memory_mib << " MiB in the engine for "
            << options.games << " games of " << options.visits << " visits (" << fit
            << " would fit), " << mib(options.connections * kConnectionBytes) << " MiB for "
            << options.connections << " connections, " << mib(options.games * kGameBytes)
            << " MiB for game histories\n"
            << networks << std::flush;
}

void run(const Options& options) {
  senet_config config = senet::api::default_config();
  config.workers = options.workers;
  config.sessions = static_cast<std::uint32_t>(options.games);
  config.visits = options.visits;
  config.memory = options.memory_mib * kMiB;
  senet::api::Engine engine(config);
  std::ostringstream networks;
  Api::Levels levels;
  const auto use = [&](const senet::api::Model& model, const std::string& name) {
    if (std::ranges::find(kGames, model.game()) == std::end(kGames)) {
      throw std::runtime_error(name + " plays " + std::string(model.game()) +
                               ", which this server does not serve");
    }
    engine.use(model);
    levels[std::string(model.game())] = model.levels();
    networks << model.game() << ": " << name << ", network " << std::hex << std::setfill('0')
             << std::setw(16) << model.id() << "\n";
  };
  for (const std::string& file : options.weights) use(engine.load(file), file);
  for (const std::string_view game : kGames) {
    if (!engine.try_open_session(game)) use(engine.builtin(game), "built-in");
  }
  const std::uint64_t fit = games_that_fit(engine, options);
  Api api(engine, options, std::move(levels));
  Server(api, options).run([&](const auto& address) {
    say_hello(options, address, networks.str(), fit);
  });
  std::cout << "game_server: stopped after " << api.counters.requests << " requests\n";
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Serves Connect Four and backgammon to browsers and programs.", "game_server");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  }
  run(options);
} catch (const std::exception& error) {
  std::cerr << "game_server: " << error.what() << '\n';
  return 2;
}
