// What is answered to which request: cpp-httplib parses and routes, the games do the rest.
#pragma once

#include <httplib.h>

#include <chrono>
#include <functional>
#include <senet/senet.hpp>
#include <string>
#include <vector>

#include "counters.hpp"
#include "fields.hpp"
#include "front.hpp"
#include "games.hpp"

namespace game_server {

struct RoutesSettings {
  std::vector<std::string> games;   // that there are weights for
  std::uint32_t most_visits = 800;  // that a request may ask for
  std::chrono::milliseconds most_time{2000};
  std::uint64_t memory = 0;  // the engine's bound
};

class Routes {
 public:
  Routes(senet::api::Engine& engine, Games& games, Counters& counters,
         const RoutesSettings& settings);

  /// See Front::Handler.
  Front::Answer answer(const std::string& request, const std::string& client);

 private:
  /// Requests come from memory, not from a socket of cpp-httplib's.
  struct Router : httplib::Server {
    using Server::process_request;
  };
  using Json = nlohmann::json;
  using Action = std::function<Json(const httplib::Request&, Fields&)>;

  /// Gives the action's JSON as the answer, or the error as JSON.
  httplib::Server::Handler json_handler(Action action, int status = 200);
  void add_pages();
  void add_games();

  Effort read_effort(Fields& fields) const;
  Json about() const;
  Json metrics() const;
  Json new_game(const httplib::Request& request, Fields& fields);
  Json move(Games::Use& game, Fields& fields);
  Json analyse(Games::Use& game, Fields& fields);
  Json resign(Games::Use& game, Fields& fields);
  Json state(const Games::Use& game, Json search = nullptr) const;
  void count_search(const Json& search, Clock::time_point began);
  void count_end(const Games::Use& game);

  senet::api::Engine& engine_;
  Games& games_;
  Counters& counters_;
  const RoutesSettings settings_;
  const Clock::time_point began_ = Clock::now();
  Router router_;
};

}  // namespace game_server
