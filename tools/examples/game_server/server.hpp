// HTTP towards the network: connections, their limits, the threads that answer requests, and counts
// of all this.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "http.hpp"
#include "options.hpp"

namespace game_server {

/// What the server has done so far, for /api/metrics. Any thread may count.
struct Counters {
  using Count = std::atomic<std::uint64_t>;
  Count connections = 0;           // accepted
  Count open_connections = 0;      // of these, now
  Count requests = 0;              // complete ones
  Count timed_out = 0;             // connections that took too long over a request or an answer
  Count shed = 0;                  // requests and connections that there was no room for: 503
  Count dropped = 0;               // connections that there was not even room for a 503 for
  std::array<Count, 6> answers{};  // [4]: with a status 400 .. 499

  Count games_opened = 0, games_finished = 0, games_timed_out = 0;
  Count searches = 0, visits = 0, search_microseconds = 0;

  void count_answer(int status) {
    ++answers.at(static_cast<std::size_t>(status / 100));
    if (status == 503) ++shed;
  }
};

struct Service {
  /// Answers a request of this client, an IPv4 address or an IPv6 network (/64). Called by up to
  /// options.threads threads at once; throws nothing.
  std::function<Answer(const Request& request, const std::string& client)> answer;
  /// Called with the port, once, when clients can connect.
  std::function<void(unsigned port)> ready;
  /// Called about four times a second.
  std::function<void()> tick;
};

/// Serves until SIGINT or SIGTERM; requests that are being answered then are answered still. Throws
/// std::runtime_error when it cannot listen.
void serve(const Service& service, const Options& options, Counters& counters);

}  // namespace game_server
