#include "listener.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace game_server {
namespace {

/// An address as the system's calls want it.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);
  sockaddr* any() { return reinterpret_cast<sockaddr*>(&storage); }
  sockaddr_in& v4() { return reinterpret_cast<sockaddr_in&>(storage); }
  sockaddr_in6& v6() { return reinterpret_cast<sockaddr_in6&>(storage); }
};

Address read_address(const std::string& text, std::uint16_t port) {
  Address address;
  if (inet_pton(AF_INET, text.c_str(), &address.v4().sin_addr) == 1) {
    address.v4().sin_family = AF_INET;
    address.v4().sin_port = htons(port);
    address.size = sizeof(sockaddr_in);
  } else if (inet_pton(AF_INET6, text.c_str(), &address.v6().sin6_addr) == 1) {
    address.v6().sin6_family = AF_INET6;
    address.v6().sin6_port = htons(port);
    address.size = sizeof(sockaddr_in6);
  } else {
    throw std::runtime_error("\"" + text + "\" is not an address like 127.0.0.1 or ::1");
  }
  return address;
}

std::string client_name(Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &address.v4().sin_addr, text.data(), text.size());
    return text.data();
  }
  in6_addr network = address.v6().sin6_addr;
  if (!IN6_IS_ADDR_V4MAPPED(&network)) std::memset(network.s6_addr + 8, 0, 8);
  inet_ntop(AF_INET6, &network, text.data(), text.size());
  return text.data();
}

}  // namespace

Listener::Listener(const std::string& address, std::uint16_t port) {
  Address wanted = read_address(address, port);
  socket_ =
      Descriptor(socket(wanted.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  if (socket_) setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!socket_ || bind(socket_.get(), wanted.any(), wanted.size) != 0 ||
      listen(socket_.get(), SOMAXCONN) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "cannot listen on " + address + " port " + std::to_string(port));
  }
  Address bound;
  getsockname(socket_.get(), bound.any(), &bound.size);
  port_ = ntohs(bound.storage.ss_family == AF_INET ? bound.v4().sin_port : bound.v6().sin6_port);
}

std::optional<Accepted> Listener::accept() {
  Address address;
  Descriptor socket(
      accept4(socket_.get(), address.any(), &address.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket) return std::nullopt;
  const int yes = 1;  // an answer is one piece: nothing to wait for
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return Accepted{std::move(socket), client_name(address)};
}

}  // namespace game_server
