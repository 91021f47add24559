// The API and the page: routes requests and builds the answers.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <set>

#include "games.hpp"
#include "page.hpp"

namespace game_server {

/// The body of a request: a JSON object with known fields, each given once and validated when it is
/// taken out. Throws Refusal 400 for an invalid field.
class Fields {
 public:
  /// An empty body is an empty object.
  explicit Fields(const std::string& body) {
    std::set<std::string> names;
    std::optional<std::string> twice;
    const auto note = [&](int depth, json::parse_event_t event, const json& value) {
      if (event != json::parse_event_t::key || depth != 1) return true;
      const auto name = value.get<std::string>();
      if (!names.insert(name).second) twice = name;
      return true;
    };
    left_ = body.empty() ? json::object() : json::parse(body, note, false);
    require(!left_.is_discarded(), 400, "the body is not JSON");
    require(left_.is_object(), 400, "the body is not a JSON object");
    require(!twice, 400, '"', twice.value_or("").substr(0, kLongest), "\" is given twice");
  }

  /// Nothing if the field is missing.
  std::optional<std::string> text(const char* name) {
    const auto field = take(name);
    if (!field) return std::nullopt;
    require(field->is_string() && field->get_ref<const std::string&>().size() <= kLongest, 400, '"',
            name, "\" is not a string of at most ", kLongest, " bytes");
    return field->get<std::string>();
  }

  /// Nothing if the field is missing. An integral Number accepts whole numbers only.
  template <class Number>
  std::optional<Number> number(const char* name, Number least, Number most) {
    const auto field = take(name);
    if (!field) return std::nullopt;
    constexpr bool kWhole = std::integral<Number>;
    require((kWhole ? field->is_number_unsigned() : field->is_number()) && *field >= json(least) &&
                *field <= json(most),
            400, '"', name, "\" is not a ", kWhole ? "whole " : "", "number from ", json(least),
            " to ", json(most));
    return field->get<Number>();
  }

  /// Call after taking all known fields: throws Refusal 400 if a field is left.
  void done() const {
    require(left_.empty(), 400, "unknown field \"",
            left_.empty() ? "" : left_.begin().key().substr(0, kLongest), "\"");
  }

 private:
  static constexpr std::size_t kLongest = 128;  // bytes of a string

  std::optional<json> take(const char* name) {
    const auto field = left_.find(name);
    if (field == left_.end()) return std::nullopt;
    std::optional<json> taken = std::move(*field);
    left_.erase(field);
    return taken;
  }

  json left_;  // the fields not taken yet
};

/// May be used by any thread.
class Api {
 public:
  /// The levels of strength of each game's network, the weakest first; none: it has no levels.
  using Levels = std::map<std::string, std::vector<senet_level>, std::less<>>;

  /// The engine and the options must outlive this.
  Api(senet::api::Engine& engine, const Options& options, Levels levels)
      : engine_(engine), options_(options), levels_(std::move(levels)) {}

  Counters counters;

  /// Answers a request of `client`, an IPv4 address or an IPv6 network (/64). Does not throw.
  Answer answer(const Request& request, const std::string& client) {
    Answer answer;
    try {
      answer = route(request, client);
    } catch (const Refusal& refusal) {
      answer = error_answer(refusal);
    } catch (const senet::api::Error& error) {
      answer = error_answer({http_status(error.status()), error.reason()});
    } catch (const std::exception& error) {
      answer = error_answer({500, error.what()});
    }
    if (request.method() == verb::head) answer.body().clear();  // keeps Content-Length
    return answer;
  }

  void close_idle_games() { games_.close_idle(); }

 private:
  using verb = http::verb;
  using Limits = senet::api::Limits;
  static constexpr std::uint32_t kUsualVisits = 400;

  /// A request with its route's parameters.
  struct Call {
    std::string id;  // of the game, if the path has one
    const std::string& client;
    Fields fields;
  };
  struct Route {
    verb method;
    std::string_view path;  // * matches the id of a game
    json (Api::*action)(Call&);
    int status = 200;
  };

  Answer route(const Request& request, const std::string& client) {
    static constexpr std::array<Route, 9> kRoutes = {{
        {verb::get, "/api", &Api::about},
        {verb::get, "/api/metrics", &Api::metrics},
        {verb::post, "/api/games", &Api::open, 201},
        {verb::get, "/api/games/*", &Api::show},
        {verb::delete_, "/api/games/*", &Api::close},
        {verb::post, "/api/games/*/move", &Api::move},
        {verb::post, "/api/games/*/analyse", &Api::analyse},
        {verb::post, "/api/games/*/resign", &Api::resign},
        {verb::post, "/api/games/*/undo", &Api::undo},
    }};
    const verb method = request.method() == verb::head ? verb::get : request.method();
    const std::string target(request.target()), path = target.substr(0, target.find('?'));
    if (method == verb::get && path == "/") return page_answer();

    constexpr std::string_view kGame = "/api/games/";
    std::string pattern = path, id;
    if (path.starts_with(kGame)) {
      id = path.substr(kGame.size(), path.find('/', kGame.size()) - kGame.size());
      pattern.replace(kGame.size(), id.size(), "*");
    }
    const auto found = std::ranges::find_if(kRoutes, [&](const Route& route) {
      return route.method == method && route.path == pattern;
    });
    require(found != kRoutes.end(), 404, "there is no ", path, " for ", request.method_string());
    // Protects against cross-site forms, which cannot send this type.
    require(request.body().empty() || request[field::content_type].starts_with("application/json"),
            415, "send the body with Content-Type: application/json");
    Call call{id, client, Fields(request.body())};
    return make_answer(found->status, (this->*found->action)(call));
  }

  static int http_status(senet_status status) {
    const auto is_one_of = [&](auto... some) { return ((status == some) || ...); };
    if (is_one_of(SENET_BAD_ARGUMENT, SENET_BAD_ACTION)) return 400;
    if (is_one_of(SENET_BAD_STATE, SENET_BUSY)) return 409;
    if (is_one_of(SENET_NO_MEMORY, SENET_NO_SLOT, SENET_STOPPED)) return 503;
    return 500;
  }

  static Answer page_answer() {
    Answer answer = make_answer(200, "text/html; charset=utf-8", std::string(kPage));
    answer.set("Content-Security-Policy",
               "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
               "img-src data:; connect-src 'self'; frame-ancestors 'none'");
    answer.set(field::cache_control, "no-cache");
    return answer;
  }

  json about(Call&) {
    json ratings = json::object();
    for (const auto& [game, levels] : levels_) {
      ratings[game] = json::array();
      for (const senet_level& level : levels) ratings[game].push_back(std::lround(level.rating));
    }
    return {{"games", kGames},
            {"levels", ratings},
            {"most_visits", options_.visits},
            {"most_time_ms", options_.time_ms},
            {"senet", senet_version()}};
  }

  json metrics(Call&) {
    using Seconds = std::chrono::duration<double>;
    const std::chrono::microseconds searched(counters.search_microseconds);
    const auto [open, busy] = games_.counts();
    const json figures = {{"/seconds", Seconds(Clock::now() - began_).count()},
                          {"/games/open", open},
                          {"/games/busy", busy},
                          {"/games/opened", counters.games_opened.load()},
                          {"/games/finished", counters.games_finished.load()},
                          {"/games/timed_out", counters.games_timed_out.load()},
                          {"/requests/received", counters.requests.load()},
                          {"/requests/answered_2xx", counters.answers[2].load()},
                          {"/requests/answered_4xx", counters.answers[4].load()},
                          {"/requests/answered_5xx", counters.answers[5].load()},
                          {"/requests/shed", counters.shed.load()},
                          {"/connections/open", counters.open_connections.load()},
                          {"/connections/accepted", counters.connections.load()},
                          {"/connections/dropped", counters.dropped.load()},
                          {"/connections/timed_out", counters.timed_out.load()},
                          {"/engine/memory", engine_.memory()},
                          {"/engine/memory_bound", options_.memory_mib << 20},
                          {"/engine/searches", counters.searches.load()},
                          {"/engine/visits", counters.visits.load()},
                          {"/engine/search_seconds", Seconds(searched).count()}};
    return figures.unflatten();
  }

  json open(Call& call) {
    const auto name = call.fields.text("game");
    const auto position = call.fields.text("position");
    call.fields.done();
    require(name && std::ranges::find(kGames, *name) != kGames.end(), 400,
            "\"game\" must be one of ", json(kGames));
    call.id = games_.open(*name, position.value_or(""), call.client);
    return show(call);
  }

  json show(Call& call) {
    return use_game(call, [](Game& game) { return game.state(); });
  }

  json close(Call& call) {
    games_.close(call.id);
    return {{"id", call.id}, {"closed", true}};
  }

  json move(Call& call) {
    return use_game(call, [&](Game& game) {
      const auto move = call.fields.text("move");
      const auto ply = call.fields.number<std::uint32_t>("ply", 0, UINT32_MAX);
      Limits limits = move ? Limits{} : read_limits(call.fields);
      if (!move) limits.level = read_level(call.fields, game);
      call.fields.done();
      require(!game.is_over(), 409, "the game is over");
      require(!ply || *ply == game.ply(), 409, "the game is at ply ", game.ply(), ", not ",
              ply.value_or(0));
      if (!move) return counted([&] { return game.reply(limits); });
      game.play(*move);
      return game.state();
    });
  }

  json analyse(Call& call) {
    return use_game(call, [&](Game& game) {
      const std::size_t ply = read_ply(call, game).value_or(game.ply());
      Limits limits = read_limits(call.fields);
      limits.priority = -1;  // searches for moves have precedence
      call.fields.done();
      require(ply < game.ply() || !game.is_over(), 409, "the game is over");
      return counted([&] { return game.analyse(ply, limits); });
    });
  }

  json undo(Call& call) {
    return use_game(call, [&](Game& game) {
      const auto ply = read_ply(call, game);
      call.fields.done();
      require(ply.has_value(), 400, "\"ply\" is missing: the number of moves to keep");
      game.undo(*ply);
      return game.state();
    });
  }

  json resign(Call& call) {
    return use_game(call, [&](Game& game) {
      const auto player = call.fields.number<std::uint32_t>("player", 0, 1);
      call.fields.done();
      require(player.has_value(), 400, "\"player\" is missing: it must be 0 or 1");
      require(!game.is_over(), 409, "the game is over");
      game.resign(*player);
      return game.state();
    });
  }

  /// The answer to every request about a game: the state that `action` returns, with the id.
  template <class Action>
  json use_game(const Call& call, const Action& action) {
    return games_.use(call.id, [&](Game& game) {
      const bool was_over = game.is_over();
      json state = action(game);
      if (game.is_over() && !was_over) ++counters.games_finished;
      state["id"] = call.id;
      return state;
    });
  }

  /// A ply whose position the game keeps.
  static std::optional<std::size_t> read_ply(Call& call, const Game& game) {
    return call.fields.number<std::size_t>("ply", game.first_ply(), game.ply());
  }

  /// 0 if none is named. A level has its own visits, and its own draw among the moves.
  std::uint32_t read_level(Fields& fields, const Game& game) const {
    const auto of_game = levels_.find(game.name());
    const std::size_t count = of_game == levels_.end() ? 0 : of_game->second.size();
    const auto level = fields.number<std::uint32_t>("level", 1, UINT32_MAX);
    require(!level || *level <= count, 400, "\"level\" must be at most ", count,
            ": the network of ", game.name(), " has ", count, " levels");
    return level.value_or(0);
  }

  Limits read_limits(Fields& fields) const {
    Limits limits;
    limits.visits = fields.number<std::uint32_t>("visits", 1, options_.visits)
                        .value_or(std::min(kUsualVisits, options_.visits));
    limits.time = std::chrono::milliseconds(
        fields.number<std::uint32_t>("time_ms", 1, options_.time_ms).value_or(options_.time_ms));
    limits.temperature = fields.number<float>("temperature", 0, 2).value_or(0);
    return limits;
  }

  /// Counts the search in the state that `action` returns.
  template <class Action>
  json counted(const Action& action) {
    const auto began = Clock::now();
    json state = action();
    const std::chrono::duration<double, std::micro> took = Clock::now() - began;
    ++counters.searches;
    counters.visits += state["search"]["visits"].template get<std::uint64_t>();
    counters.search_microseconds += static_cast<std::uint64_t>(took.count());
    return state;
  }

  senet::api::Engine& engine_;
  const Options& options_;
  const Levels levels_;
  Games games_{engine_, options_, counters};
  const Clock::time_point began_ = Clock::now();
};

}  // namespace game_server
