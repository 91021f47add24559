// One thread runs all connections as coroutines. A request occupies one of a fixed number of
// threads only after it has arrived completely, so that slow clients cost a few KiB and no thread.
#pragma once

#include <utility>  // for awaitable.hpp of Boost 1.74, which uses it and does not include it

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/write.hpp>
#include <csignal>
#include <functional>
#include <list>

#include "api.hpp"

namespace game_server {

namespace asio = boost::asio;
using asio::awaitable, asio::redirect_error, asio::use_awaitable, asio::ip::tcp;
using boost::system::error_code;

constexpr auto kTick = std::chrono::milliseconds(250);
constexpr auto kLingerTime = std::chrono::seconds(1);
constexpr std::size_t kLingerBytes = std::size_t{1} << 20, kReadBytes = 4096;

struct Connection {
  tcp::socket socket;
  std::string client;
  Clock::time_point deadline;         // after it, tick() cancels the socket's operations
  bool is_counted = false;            // by Server::clients_
  bool is_reading = false;            // waits for a request or its remaining bytes
  boost::beast::flat_buffer in = {};  // received bytes after the last request

  std::string_view received() const {
    return {static_cast<const char*>(in.cdata().data()), in.size()};
  }
};

inline tcp::acceptor listen(asio::io_context& io, const Options& options) {
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    throw std::runtime_error("\"" + options.address +
                             "\" is not a numeric address such as 127.0.0.1 or ::1");
  }
  try {
    return {io, {address, options.port}};
  } catch (const boost::system::system_error& failure) {
    throw std::runtime_error("cannot listen on " + options.address + " port " +
                             std::to_string(options.port) + ": " + failure.code().message());
  }
}

inline std::string client_name(asio::ip::address address) {
  if (address.is_v6() && !address.to_v6().is_v4_mapped()) {
    address = asio::ip::network_v6(address.to_v6(), 64).network();
  }
  return address.to_string();
}

/// Whether a client that has connected to the address `own` may call the server by this name: a
/// loopback name with any port, or the address with its port. Any other may be the name of a
/// foreign page's site that was made to lead here (DNS rebinding), so that the page could play.
inline bool is_own_name(std::string_view host, const tcp::endpoint& own) {
  const std::size_t colon = host.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  std::string name(host.substr(0, has_port ? colon : host.size()));
  const std::string_view port = has_port ? host.substr(colon + 1) : "80";
  if (boost::beast::iequals(name, "localhost")) return true;
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  error_code error;
  const auto address = asio::ip::make_address(name, error);
  if (error) return false;
  if (address.is_loopback()) return true;
  const auto own_address =
      own.address().is_v6() && own.address().to_v6().is_v4_mapped()
          ? asio::ip::make_address_v4(asio::ip::v4_mapped, own.address().to_v6())
          : own.address();
  return address == own_address && port == std::to_string(own.port());
}

class Server {
 public:
  /// Listens. Throws std::runtime_error if it cannot.
  Server(Api& api, const Options& options) : api_(api), options_(options) {}

  /// Calls `ready` with its address when clients can connect, then serves until SIGINT or SIGTERM;
  /// then finishes the requests in progress. Up to options.threads threads use the API at once.
  void run(const std::function<void(const tcp::endpoint&)>& ready) {
    const auto rethrow = [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    };
    signals_.async_wait([this](const error_code&, int) { begin_to_stop(); });
    asio::co_spawn(io_, accept(), rethrow);
    asio::co_spawn(io_, tick(), rethrow);
    ready(acceptor_.local_endpoint());
    io_.run();
  }

 private:
  using Connections = std::list<Connection>;

  awaitable<void> accept() {
    while (!stopping_) {
      tcp::socket socket(io_);
      tcp::endpoint from;
      error_code error;
      co_await acceptor_.async_accept(socket, from, redirect_error(use_awaitable, error));
      // Let connections that are ending make room first.
      co_await asio::post(io_, use_awaitable);
      if (!error) {
        admit(std::move(socket), client_name(from.address()));
      } else if (!stopping_) {  // out of system resources: retry later
        co_await asio::steady_timer(io_, kTick).async_wait(use_awaitable);
      }
    }
  }

  // Above the limit, the same number of connections is refused with a reason; any more are dropped.
  void admit(tcp::socket socket, std::string client) {
    ++counters_.connections;
    if (connections_.size() >= 2 * options_.connections) {
      ++counters_.dropped;
      return;
    }
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);  // an answer is a single write
    const auto now = Clock::now();
    const auto added = connections_.insert(
        connections_.end(), {std::move(socket), std::move(client), now + request_time_});
    counters_.open_connections = connections_.size();
    std::optional<Refusal> refusal;
    if (connections_.size() > options_.connections) {
      refusal = {503, "all connections are in use: try again later"};
    } else if (added->is_counted = clients_.connect(added->client, now); !added->is_counted) {
      refusal = {429, "you have too many connections open"};
    }
    // An error ends the connection; usually the client has closed it.
    asio::co_spawn(io_, serve(*added, std::move(refusal)),
                   [this, added](std::exception_ptr) { remove(added); });
  }

  void remove(Connections::iterator connection) {
    if (connection->is_counted) clients_.disconnect(connection->client);
    connections_.erase(connection);
    counters_.open_connections = connections_.size();
    if (stopping_ && connections_.empty()) io_.stop();
  }

  awaitable<void> serve(Connection& connection, std::optional<Refusal> refusal) {
    for (bool keep_alive = true; keep_alive;) {
      Answer answer;
      try {
        if (refusal) throw *refusal;
        const Request request = co_await next_request(connection);
        answer = co_await answer_of(connection, request);
        keep_alive = request.keep_alive() && !stopping_;
      } catch (const Refusal& refused) {
        answer = error_answer(refused);
        keep_alive = false;
      }
      co_await write(connection, answer, keep_alive);
    }
    co_await linger(connection);
  }

  // Throws if the client closed the connection or was idle for too long, or if the server stops.
  awaitable<Request> next_request(Connection& connection) {
    for (;;) {
      if (auto received = read_request(connection.received())) {
        connection.in.consume(received->size);
        co_return std::move(received->request);
      }
      const bool has_begun = connection.in.size() > 0;
      if (stopping_) throw boost::system::system_error(asio::error::operation_aborted);
      error_code error;
      connection.is_reading = true;
      const std::size_t count = co_await connection.socket.async_read_some(
          connection.in.prepare(kReadBytes), redirect_error(use_awaitable, error));
      connection.is_reading = false;
      if (error == asio::error::operation_aborted && has_begun && !stopping_) {
        ++counters_.timed_out;
        throw Refusal{408, "the request took too long to arrive"};
      }
      if (error) throw boost::system::system_error(error);
      connection.in.commit(count);
      if (!has_begun) connection.deadline = Clock::now() + request_time_;
    }
  }

  awaitable<Answer> answer_of(Connection& connection, const Request& request) {
    ++counters_.requests;
    require(clients_.request(connection.client, Clock::now()), 429, "too many requests: slow down");
    const auto host = request[field::host];
    require(request.count(field::host) == 0 ||  // HTTP/1.0: no browser
                is_own_name({host.data(), host.size()}, connection.socket.local_endpoint()),
            421, "the Host header must name localhost or the address and port of this server");
    require(handled_ < options_.threads + options_.queue, 503,
            "the server is busy: try again later");
    const auto leave = [](std::size_t* handled) { --*handled; };
    const std::unique_ptr<std::size_t, decltype(leave)> place(&++handled_, leave);
    connection.deadline = Clock::time_point::max();  // searches have their own limits
    const auto handle = [&]() -> awaitable<Answer> {
      co_return api_.answer(request, connection.client);
    };
    co_return co_await asio::co_spawn(pool_, handle, use_awaitable);
  }

  awaitable<void> write(Connection& connection, Answer& answer, bool keep_alive) {
    counters_.count_answer(static_cast<int>(answer.result_int()));
    answer.set(field::connection, keep_alive ? "keep-alive" : "close");
    connection.deadline = Clock::now() + request_time_;
    error_code error;
    co_await http::async_write(connection.socket, answer, redirect_error(use_awaitable, error));
    if (error == asio::error::operation_aborted) ++counters_.timed_out;
    if (error) throw boost::system::system_error(error);
    const bool has_begun = connection.in.size() > 0;  // the next request, received with the last
    connection.deadline = Clock::now() + (has_begun ? request_time_ : keep_alive_time_);
  }

  // Closing a socket with unread bytes resets the connection, and the client may lose an answer
  // that it has not read yet. So this closes only the sending side and discards further input.
  awaitable<void> linger(Connection& connection) {
    connection.deadline = Clock::now() + kLingerTime;
    connection.socket.shutdown(tcp::socket::shutdown_send);
    for (std::size_t thrown_away = 0; thrown_away < kLingerBytes;) {
      connection.in.clear();
      thrown_away += co_await connection.socket.async_read_some(connection.in.prepare(kReadBytes),
                                                                use_awaitable);
    }
  }

  awaitable<void> tick() {
    asio::steady_timer timer(io_);
    for (;;) {
      timer.expires_after(kTick);
      co_await timer.async_wait(use_awaitable);
      const auto now = Clock::now();
      for (Connection& connection : connections_) {
        if (now >= connection.deadline) connection.socket.cancel();
      }
      clients_.forget_idle(now);
      api_.close_idle_games();
      if (now >= last_moment_) io_.stop();
    }
  }

  void begin_to_stop() {
    stopping_ = true;
    last_moment_ = Clock::now() + request_time_;
    acceptor_.close();
    for (Connection& connection : connections_) {
      if (connection.is_reading) connection.socket.cancel();
    }
    if (connections_.empty()) io_.stop();
  }

  Api& api_;
  const Options& options_;
  Counters& counters_ = api_.counters;
  const std::chrono::milliseconds request_time_{options_.request_ms};
  const std::chrono::milliseconds keep_alive_time_{options_.keep_alive_ms};
  Clients clients_{options_.clients};
  std::size_t handled_ = 0;  // requests being handled or waiting for a thread
  bool stopping_ = false;
  Clock::time_point last_moment_ = Clock::time_point::max();
  asio::io_context io_{1};
  asio::signal_set signals_{io_, SIGINT, SIGTERM};
  tcp::acceptor acceptor_ = listen(io_, options_);
  Connections connections_;
  asio::thread_pool pool_{options_.threads};  // last: its destructor waits for running requests
};

}  // namespace game_server
