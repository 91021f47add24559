// HTTP towards the network: connections, their limits, and the threads that answer requests.
#pragma once

#include <functional>
#include <string>

#include "counters.hpp"
#include "http.hpp"
#include "options.hpp"

namespace game_server {

/// What is served.
class Service {
 public:
  virtual ~Service() = default;
  /// Answers a request of this client, an IPv4 address or an IPv6 network (/64). Called by up to
  /// options.threads threads at once; throws nothing.
  virtual Answer answer(const Request& request, const std::string& client) = 0;
  /// Called about four times a second.
  virtual void tick() = 0;
};

/// Serves until SIGINT or SIGTERM; requests that are being answered then are answered still. Calls
/// `ready` with the port when clients can connect. Throws std::runtime_error when it cannot listen.
void serve(Service& service, const Options& options, Counters& counters,
           const std::function<void(unsigned port)>& ready);

}  // namespace game_server
