#include "routes.hpp"

#include <algorithm>
#include <utility>

#include "http_error.hpp"
#include "memory_stream.hpp"
#include "page.hpp"

namespace game_server {
namespace {

using nlohmann::json;

constexpr std::uint32_t kUsualVisits = 400;

Refusal refusal_of(const senet::api::Error& error) {
  switch (error.status()) {
    case SENET_BAD_ARGUMENT:
    case SENET_BAD_ACTION:
      return {400, error.reason()};
    case SENET_BAD_STATE:
    case SENET_BUSY:
      return {409, error.reason()};
    case SENET_NO_MEMORY:
    case SENET_NO_SLOT:
    case SENET_STOPPED:
      return {503, error.reason()};
    default:
      return {500, error.reason()};
  }
}

void give_error(httplib::Response& response, const Refusal& refusal) {
  response.status = refusal.status;
  if (const int seconds = retry_after(refusal.status); seconds > 0) {
    response.set_header("Retry-After", std::to_string(seconds));
  }
  response.set_content(error_body(refusal), "application/json");
}

}  // namespace

Routes::Routes(senet::api::Engine& engine, Games& games, Counters& counters,
               const RoutesSettings& settings)
    : engine_(engine), games_(games), counters_(counters), settings_(settings) {
  router_.set_keep_alive_timeout(15).set_keep_alive_max_count(1000);  // what the client is told
  router_.set_default_headers({{"X-Content-Type-Options", "nosniff"}});
  router_.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty()) return;  // says what is wrong already
    const bool unknown = response.status == 404;
    give_error(response,
               {response.status, unknown ? "there is no " + request.path + " for " + request.method
                                         : "the request cannot be understood"});
  });
  // cpp-httplib makes tables of its own at the first request: let that be over before there are
  // threads. (It is safe anyway, but ThreadSanitizer cannot see that in Debian's library.)
  answer("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", "");
  add_pages();
  add_games();
}

Front::Answer Routes::answer(const std::string& request, const std::string& client) {
  MemoryStream stream(request, client);
  bool ends = false;
  try {
    if (router_.process_request(stream, false, ends, nullptr)) return {stream.take_answer(), !ends};
  } catch (...) {  // out of memory
  }
  return {error_answer({500, "the request cannot be answered"}), false};
}

void Routes::add_pages() {
  router_.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_header(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
        "img-src data:; connect-src 'self'; frame-ancestors 'none'");
    response.set_header("Cache-Control", "no-cache");
    response.set_content(std::string(page()), "text/html; charset=utf-8");
  });
  router_.Get("/api", json_handler([this](auto&, Fields&) { return about(); }));
  router_.Get("/api/metrics", json_handler([this](auto&, Fields&) { return metrics(); }));
  router_.set_logger([this](const httplib::Request&, const httplib::Response& response) {
    counters_.count_answer(response.status);
    if (response.status == 503) ++counters_.shed;
  });
}

void Routes::add_games() {
  const std::string game = "/api/games/([0-9a-f]{32})";
  const auto with_game = [this](Json (Routes::*action)(Games::Use&, Fields&)) {
    return json_handler([this, action](const httplib::Request& request, Fields& fields) {
      Games::Use use = games_.take(request.matches[1]);
      return (this->*action)(use, fields);
    });
  };
  router_.Post(
      "/api/games",
      json_handler([this](auto& request, Fields& fields) { return new_game(request, fields); },
                   201));
  router_.Get(game, json_handler([this](const httplib::Request& request, Fields&) {
                return state(games_.take(request.matches[1]));
              }));
  router_.Delete(game, json_handler([this](const httplib::Request& request, Fields&) {
                   games_.close(request.matches[1]);
                   return Json{{"id", request.matches[1].str()}, {"closed", true}};
                 }));
  router_.Post(game + "/move", with_game(&Routes::move));
  router_.Post(game + "/analyse", with_game(&Routes::analyse));
  router_.Post(game + "/resign", with_game(&Routes::resign));
}

httplib::Server::Handler Routes::json_handler(Action action, int status) {
  return [action = std::move(action), status](const httplib::Request& request,
                                              httplib::Response& response) {
    try {
      // A page of another site can send forms here, but not this type.
      if (!request.body.empty() &&
          !request.get_header_value("Content-Type").starts_with("application/json")) {
        throw Refusal{415, "send the body with Content-Type: application/json"};
      }
      Fields fields(request.body);
      const Json told = action(request, fields);
      response.status = status;
      response.set_header("Cache-Control", "no-store");
      response.set_content(told.dump(-1, ' ', false, Json::error_handler_t::replace),
                           "application/json");
    } catch (const Refusal& refusal) {
      give_error(response, refusal);
    } catch (const senet::api::Error& error) {
      give_error(response, refusal_of(error));
    } catch (const std::exception& error) {
      give_error(response, {500, error.what()});
    }
  };
}

json Routes::about() const {
  return {{"games", settings_.games},
          {"most_visits", settings_.most_visits},
          {"most_time_ms", settings_.most_time.count()},
          {"senet", senet_version()}};
}

json Routes::metrics() const {
  const std::chrono::duration<double> up = Clock::now() - began_;
  return {
      {"seconds", up.count()},
      {"games",
       {{"open", games_.count()},
        {"busy", games_.busy()},
        {"opened", counters_.games_opened.load()},
        {"finished", counters_.games_finished.load()},
        {"timed_out", counters_.games_timed_out.load()}}},
      {"requests",
       {{"received", counters_.requests.load()},
        {"answered_2xx", counters_.answers[2].load()},
        {"answered_4xx", counters_.answers[4].load()},
        {"answered_5xx", counters_.answers[5].load()},
        {"shed", counters_.shed.load()}}},
      {"connections",
       {{"open", counters_.open_connections.load()},
        {"accepted", counters_.connections.load()},
        {"dropped", counters_.dropped.load()},
        {"timed_out", counters_.timed_out.load()}}},
      {"engine",
       {{"memory", engine_.memory()},
        {"memory_bound", settings_.memory},
        {"searches", counters_.searches.load()},
        {"visits", counters_.visits.load()},
        {"search_seconds", static_cast<double>(counters_.search_microseconds.load()) * 1e-6}}},
  };
}

Effort Routes::read_effort(Fields& fields) const {
  const auto most_time = static_cast<std::uint32_t>(settings_.most_time.count());
  Effort effort;
  effort.visits = fields.number("visits", 1, settings_.most_visits)
                      .value_or(std::min(kUsualVisits, settings_.most_visits));
  effort.time =
      std::chrono::milliseconds(fields.number("time_ms", 1, most_time).value_or(most_time));
  effort.temperature = fields.fraction("temperature", 0, 2).value_or(0);
  return effort;
}

json Routes::new_game(const httplib::Request& request, Fields& fields) {
  const auto name = fields.text("game");
  fields.done();
  if (!name || std::ranges::find(settings_.games, *name) == settings_.games.end()) {
    throw Refusal{400, "\"game\" is one of " + json(settings_.games).dump()};
  }
  return state(games_.open(*name, request.remote_addr));
}

json Routes::move(Games::Use& game, Fields& fields) {
  const auto move = fields.text("move");
  const auto ply = fields.number("ply", 0, UINT32_MAX);
  const std::optional<Effort> effort = move ? std::nullopt : std::optional(read_effort(fields));
  fields.done();
  if (game->is_over()) throw Refusal{409, "the game is over"};
  if (ply && *ply != game->ply()) {
    throw Refusal{
        409, "the game is at ply " + std::to_string(game->ply()) + ", not " + std::to_string(*ply)};
  }
  json search = nullptr;
  if (move) {
    game->play(*move);
  } else {
    const auto began = Clock::now();
    search = game->reply(*effort);
    count_search(search, began);
  }
  count_end(game);
  return state(game, std::move(search));
}

json Routes::analyse(Games::Use& game, Fields& fields) {
  Effort effort = read_effort(fields);
  effort.priority = -1;  // who wants to move comes first
  fields.done();
  if (game->is_over()) throw Refusal{409, "the game is over"};
  const auto began = Clock::now();
  json search = game->analyse(effort);
  count_search(search, began);
  return state(game, std::move(search));
}

json Routes::resign(Games::Use& game, Fields& fields) {
  const auto player = fields.number("player", 0, 1);
  fields.done();
  if (!player) throw Refusal{400, "\"player\" says who resigns: 0 or 1"};
  if (game->is_over()) throw Refusal{409, "the game is over"};
  game->resign(*player);
  count_end(game);
  return state(game);
}

json Routes::state(const Games::Use& game, json search) const {
  json told = game->state();
  told["id"] = game.id();
  told["search"] = std::move(search);
  return told;
}

void Routes::count_search(const json& search, Clock::time_point began) {
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began);
  ++counters_.searches;
  counters_.visits += search["visits"].get<std::uint64_t>();
  counters_.search_microseconds += static_cast<std::uint64_t>(took.count());
}

void Routes::count_end(const Games::Use& game) {
  if (game->is_over()) ++counters_.games_finished;
}

}  // namespace game_server
