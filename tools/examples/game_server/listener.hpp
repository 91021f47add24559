// The socket that clients connect to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "descriptor.hpp"

namespace game_server {

/// A client's connection, and which client that is: its IPv4 address, or its IPv6 network (/64).
struct Accepted {
  Descriptor socket;
  std::string client;
};

class Listener {
 public:
  /// Listens on a numeric address, IPv4 or IPv6; port 0: any that is free. Throws
  /// std::runtime_error.
  Listener(const std::string& address, std::uint16_t port);
  std::uint16_t port() const { return port_; }
  int descriptor() const { return socket_.get(); }
  /// The next connection, not blocking; none when there is none, or when the system has no room for
  /// it.
  std::optional<Accepted> accept();
  void close() { socket_ = Descriptor(); }

 private:
  Descriptor socket_;
  std::uint16_t port_ = 0;
};

}  // namespace game_server
