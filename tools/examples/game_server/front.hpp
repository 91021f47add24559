// The server towards the network: one thread reads and writes all connections, and hands requests
// that have arrived as a whole to a fixed number of threads.
//
// cpp-httplib's own loop gives a thread to every connection for as long as it lasts, so that as
// many slow clients as there are threads stop it. Here a connection has a thread only while a
// complete request of it is being answered; cpp-httplib parses and routes that from memory
// (routes.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "clients.hpp"
#include "counters.hpp"
#include "descriptor.hpp"
#include "listener.hpp"
#include "request_frame.hpp"
#include "work_queue.hpp"

namespace game_server {

struct FrontSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;
  std::size_t connections = 256;  // open at once
  std::size_t threads = 16;       // that answer requests
  std::size_t queue = 64;         // requests that wait for a thread; more are answered with 503
  std::chrono::milliseconds request_time{5000};  // for a request to arrive, an answer to leave
  std::chrono::milliseconds idle_time{15000};    // between requests
  FrameLimits frame;
  ClientLimits clients;
};

class Front {
 public:
  struct Answer {
    std::string bytes;
    bool keep_alive = true;
  };
  /// Makes an HTTP answer of an HTTP request. Called by several threads at once; throws nothing.
  using Handler = std::function<Answer(const std::string& request, const std::string& client)>;

  /// Listens from now on. Throws std::runtime_error when it cannot.
  Front(const FrontSettings& settings, Handler handler, Counters& counters);
  std::uint16_t port() const { return listener_.port(); }

  /// Serves until `stop` can be read; what is being answered then is answered to the end. `tick` is
  /// called about four times a second.
  void run(int stop, const std::function<void()>& tick);

 private:
  enum class State { kReading, kAnswering, kWriting, kLingering };
  struct Connection {
    Descriptor socket;
    std::string client;
    bool counted = false;  // in clients_
    State state = State::kReading;
    bool keep_alive = true;
    std::string in, out;
    std::size_t written = 0;
    std::size_t lingered = 0;  // bytes thrown away
    Clock::time_point deadline;
  };
  using Connections = std::unordered_map<std::uint64_t, Connection>;
  struct Finished {
    std::uint64_t number;
    Answer answer;
  };

  bool watch(int descriptor, std::uint64_t number, std::uint32_t events);
  void wait_for(std::uint64_t number, const Connection& connection, std::uint32_t events);
  void accept_all();
  void admit(Accepted accepted);
  void act(std::uint64_t number, std::uint32_t events);
  // These return false when the connection is at its end.
  bool read_some(std::uint64_t number, Connection& connection);
  bool next_request(std::uint64_t number, Connection& connection);
  bool hand_over(std::uint64_t number, Connection& connection, std::string request);
  bool refuse(std::uint64_t number, Connection& connection, const Refusal& refusal);
  bool write_some(std::uint64_t number, Connection& connection);
  bool linger(std::uint64_t number, Connection& connection);

  void take_finished();
  void end_overdue();
  void begin_to_stop();
  void remove(Connections::iterator connection);

  const FrontSettings settings_;
  const Handler handler_;
  Counters& counters_;
  Listener listener_;
  Descriptor epoll_, wake_;
  Clients clients_;
  Connections connections_;
  std::uint64_t next_number_;
  bool stopping_ = false;
  std::mutex mutex_;  // guards finished_
  std::vector<Finished> finished_;
  WorkQueue workers_;  // last: its threads use the rest
};

}  // namespace game_server
