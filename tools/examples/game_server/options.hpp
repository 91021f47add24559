// The command line: every limit of the server with its default.
#pragma once

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "clients.hpp"

namespace game_server {

struct Options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;
  std::vector<std::string> weights;  // files
  std::size_t games = 100, client_games = 20;
  std::chrono::seconds idle{1800};         // of a game
  std::optional<std::uint64_t> dice_seed;  // none: dice of the system
  std::uint32_t visits = 800, workers = 2;
  std::chrono::milliseconds time{2000};  // of a search
  std::uint64_t memory_mib = 512;
  std::size_t threads = 16, queue = 64, connections = 256;
  ClientLimits clients;
  std::chrono::milliseconds request_time{5000}, idle_time{15000};  // of a connection
};

/// Calls visit(name, least, most, field, help) for each option that takes a number. The help says
/// what each is, with its default.
template <class Visit>
void for_each_option(Options& o, const Visit& visit) {
  visit("--port", 0, 65535, o.port, "port to listen on; 0: any that is free (8080)");
  visit("--games", 1, 100'000, o.games, "games that may be open at once (100)");
  visit("--client-games", 1, 100'000, o.client_games,
        "of these, opened by one client; more are refused with 429 (20)");
  visit("--idle-seconds", 1, 1'000'000, o.idle,
        "a game that nobody asks for is closed after it (1800)");
  visit("--visits", 1, 100'000, o.visits, "visits a search may have at most (800)");
  visit("--time-ms", 1, 60'000, o.time, "milliseconds a search may take at most (2000)");
  visit("--memory-mib", 1, 1'000'000, o.memory_mib,
        "memory of the engine, in MiB: trees, weights, batches (512)");
  visit("--workers", 1, 256, o.workers, "threads that search (2)");
  visit("--threads", 1, 256, o.threads, "requests that are answered at once (16)");
  visit("--queue", 0, 10'000, o.queue,
        "requests that wait for that; more are refused with 503 (64)");
  visit("--connections", 1, 10'000, o.connections,
        "connections open at once; more are refused with 503 (256)");
  visit("--client-connections", 1, 10'000, o.clients.connections,
        "of these, of one client; more are refused with 429 (64)");
  visit("--rate", 0, 1'000'000, o.clients.rate,
        "requests a second of one client; more are refused with 429; 0: any (20)");
  visit("--burst", 1, 1'000'000, o.clients.burst, "requests that a client may save up (60)");
  visit("--request-ms", 100, 600'000, o.request_time,
        "milliseconds for a request to arrive, and an answer to leave (5000)");
  visit("--keep-alive-ms", 100, 600'000, o.idle_time,
        "milliseconds that a connection may be idle between requests (15000)");
  visit("--seed", 0, UINT64_MAX, o.dice_seed,
        "the same dice each time; without it they are the system's");
}

inline std::uint64_t read_number(std::string_view name, std::string_view text, std::uint64_t least,
                                 std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most) {
    throw std::runtime_error(std::string(name) + " takes a number from " + std::to_string(least) +
                             " to " + std::to_string(most) + ", not \"" + std::string(text) + "\"");
  }
  return number;
}

/// What --help shows.
inline std::string usage() {
  std::string text =
      "usage: game_server [OPTION VALUE]... [WEIGHTS]...\n"
      "Serves Connect Four and backgammon to browsers and programs, played by the WEIGHTS\n"
      "(safetensors files), or where there are none by the built-in ones.\n\n"
      "  --address            numeric address to listen on (127.0.0.1)\n";
  Options defaults;
  for_each_option(defaults, [&](std::string name, auto, auto, auto&, const char* help) {
    name.resize(21, ' ');
    text += "  " + name + help + '\n';
  });
  return text;
}

/// Throws std::runtime_error with the reason. None: --help was asked for.
inline std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::nullopt;
    if (!word.starts_with("--")) {
      options.weights.emplace_back(word);
      continue;
    }
    bool known = word == "--address";
    const auto value = [&] {
      if (i + 1 < argc) return argv[++i];
      throw std::runtime_error(std::string(word) + " takes a value");
    };
    if (known) options.address = value();
    for_each_option(options, [&]<class Field>(std::string_view name, std::uint64_t least,
                                              std::uint64_t most, Field& field, const char*) {
      if (word != name) return;
      known = true;
      field = static_cast<Field>(read_number(name, value(), least, most));
    });
    if (known) continue;
    throw std::runtime_error("there is no option " + std::string(word) + ": see --help");
  }
  return options;
}

}  // namespace game_server
