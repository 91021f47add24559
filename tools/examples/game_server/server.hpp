// HTTP towards the network: connections, their limits, and the threads that answer requests.
#pragma once

#include <functional>
#include <string>

#include "counters.hpp"
#include "http.hpp"
#include "options.hpp"

namespace game_server {

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
