#include "options.hpp"

#include <array>
#include <charconv>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace game_server {
namespace {

struct Option {
  std::string_view name, help;
  std::uint64_t least, most;
  void (*set)(Options&, std::uint64_t);
};

using std::chrono::milliseconds;

constexpr std::array<Option, 17> kOptions = {{
    {"--port", "port to listen on; 0: any that is free (8080)", 0, 65535,
     [](Options& o, std::uint64_t n) { o.front.port = static_cast<std::uint16_t>(n); }},
    {"--games", "games that may be open at once (100)", 1, 100'000,
     [](Options& o, std::uint64_t n) { o.games.most = n; }},
    {"--client-games", "of these, opened by one client; more are refused with 429 (20)", 1, 100'000,
     [](Options& o, std::uint64_t n) { o.games.most_of_client = n; }},
    {"--idle-seconds", "a game that nobody asks for is closed after it (1800)", 1, 1'000'000,
     [](Options& o, std::uint64_t n) { o.games.idle = milliseconds(n * 1000); }},
    {"--visits", "visits a search may have at most (800)", 1, 100'000,
     [](Options& o, std::uint64_t n) { o.visits = static_cast<std::uint32_t>(n); }},
    {"--time-ms", "milliseconds a search may take at most (2000)", 1, 60'000,
     [](Options& o, std::uint64_t n) { o.time = milliseconds(n); }},
    {"--memory-mib", "memory of the engine, in MiB: trees, weights, batches (512)", 1, 1'000'000,
     [](Options& o, std::uint64_t n) { o.memory_mib = n; }},
    {"--workers", "threads that search (2)", 1, 256,
     [](Options& o, std::uint64_t n) { o.workers = static_cast<std::uint32_t>(n); }},
    {"--threads", "requests that are answered at once (16)", 1, 256,
     [](Options& o, std::uint64_t n) { o.front.threads = n; }},
    {"--queue", "requests that wait for that; more are refused with 503 (64)", 0, 10'000,
     [](Options& o, std::uint64_t n) { o.front.queue = n; }},
    {"--connections", "connections open at once; more are refused with 503 (256)", 1, 10'000,
     [](Options& o, std::uint64_t n) { o.front.connections = n; }},
    {"--client-connections", "of these, of one client; more are refused with 429 (64)", 1, 10'000,
     [](Options& o, std::uint64_t n) { o.front.clients.connections = n; }},
    {"--rate", "requests a second of one client; more are refused with 429; 0: any (20)", 0,
     1'000'000, [](Options& o, std::uint64_t n) { o.front.clients.rate = static_cast<double>(n); }},
    {"--burst", "requests that a client may save up (60)", 1, 1'000'000,
     [](Options& o, std::uint64_t n) { o.front.clients.burst = static_cast<double>(n); }},
    {"--request-ms", "milliseconds for a request to arrive, and an answer to leave (5000)", 100,
     600'000, [](Options& o, std::uint64_t n) { o.front.request_time = milliseconds(n); }},
    {"--keep-alive-ms", "milliseconds that a connection may be idle between requests (15000)", 100,
     600'000, [](Options& o, std::uint64_t n) { o.front.idle_time = milliseconds(n); }},
    {"--seed", "the same dice each time; without it they are the system's", 0, UINT64_MAX,
     [](Options& o, std::uint64_t n) { o.games.dice_seed = n; }},
}};

const Option* find(std::string_view name) {
  for (const Option& option : kOptions) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

std::uint64_t read_number(const Option& option, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < option.least ||
      number > option.most) {
    throw std::runtime_error(std::string(option.name) + " takes a number from " +
                             std::to_string(option.least) + " to " + std::to_string(option.most) +
                             ", not \"" + std::string(text) + "\"");
  }
  return number;
}

}  // namespace

std::string usage() {
  std::string text =
      "usage: game_server [OPTION VALUE]... [WEIGHTS]...\n"
      "Serves Connect Four and backgammon to browsers and programs, played by the WEIGHTS\n"
      "(safetensors files), or where there are none by the built-in ones.\n\n"
      "  --address            numeric address to listen on (127.0.0.1)\n";
  for (const Option& option : kOptions) {
    std::string line = "  " + std::string(option.name);
    line.resize(23, ' ');
    text += line + std::string(option.help) + '\n';
  }
  return text;
}

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::nullopt;
    if (!word.starts_with("--")) {
      options.weights.emplace_back(word);
      continue;
    }
    const Option* option = find(word);
    if (option == nullptr && word != "--address") {
      throw std::runtime_error("there is no option " + std::string(word) + ": see --help");
    }
    if (++i == argc) throw std::runtime_error(std::string(word) + " takes a value");
    if (option == nullptr) {
      options.front.address = argv[i];
    } else {
      option->set(options, read_number(*option, argv[i]));
    }
  }
  return options;
}

}  // namespace game_server
