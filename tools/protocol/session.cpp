#include "tools/protocol/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "games/any_game.hpp"
#include "games/random.hpp"
#include "tools/protocol/game_words.hpp"

namespace senet::protocol {
namespace {

// A search without limits has these; it ends by stop, or waits for it.
constexpr std::uint32_t kEndlessVisits = 1u << 30;

/// Refuses words that are left over.
Result<void> nothing_behind(Words words, std::string_view command) {
  if (words.empty()) return {};
  return refuse(Code::kBadArgument, fmt::format("{} does not know what to do with {}", command,
                                                in_quotes(words.peek())));
}

}  // namespace

Result<Session> Session::open(const Options& options, Inbox& inbox, Writer write) {
  Result<Engine> engine = Engine::open(options);
  if (!engine) return engine.error();
  return Session(options, inbox, std::move(write), std::move(*engine));
}

Session::Session(const Options& options, Inbox& inbox, Writer write, Engine engine)
    : options_(options), inbox_(&inbox), write_(std::move(write)), engine_(std::move(engine)) {}

std::span<const Session::Command> Session::commands() {
  static constexpr Command kCommands[] = {
      {"uci", &Session::uci, true},
      {"ubgi", &Session::ubgi, true},
      {"ugi", &Session::ugi, true},
      {"isready", &Session::isready, true},
      {"ucinewgame", &Session::newgame, true},
      {"uginewgame", &Session::newgame, true},
      {"newgame", &Session::newgame, true},
      {"setoption", &Session::setoption, false},
      {"set", &Session::setoption, false},
      {"position", &Session::position, false},
      {"go", &Session::go, false},
      {"stop", &Session::stop, true},
      {"quit", &Session::quit, true},
      {"debug", &Session::debug, false},
      {"query", &Session::query, false},
      {"newsession", &Session::newsession, false},
      {"setscore", &Session::setscore, false},
      {"setcube", &Session::setcube, false},
      {"setturn", &Session::setturn, false},
      {"dice", &Session::dice, false},
      {"d", &Session::draw, true},
      {"eval", &Session::eval, true},
      {"perft", &Session::perft, false},
      {"bench", &Session::bench, false},
  };
  return kCommands;
}

void Session::run() {
  while (const std::optional<std::string> line = inbox_->next()) {
    if (!handle(*line)) return;
  }
}

bool Session::handle(std::string_view line) {
  quits_ = false;
  try {
    const Result<void> done = carry_out(line);
    if (!done) refuse_line(done.error());
  } catch (const std::exception& error) {
    refuse_line(refuse(Code::kInternal, error.what()));
  }
  return !quits_;
}

void Session::refuse_line(const Error& problem) {
  constexpr std::size_t kLongestText = 300;
  say(fmt::format("error {} {}", code_name(problem.status()),
                  printable(problem.reason(), kLongestText)));
}

Result<void> Session::carry_out(std::string_view line) {
  if (line.size() > kLongestLine) {
    return refuse(Code::kBadArgument, fmt::format("a line has at most {} bytes", kLongestLine));
  }
  Words words(line);
  if (words.empty()) return {};
  const std::string_view word = words.next();
  const auto command = std::ranges::find(commands(), word, &Command::word);
  if (command == commands().end()) {
    return refuse(Code::kUnknownCommand, fmt::format("there is no command {}", in_quotes(word)));
  }
  if (command->is_alone) {
    if (const Result<void> end = nothing_behind(words, word); !end) return end;
  }
  return (this->*command->run)(words);
}

Result<void> Session::only_ubgi(std::string_view word) const {
  if (speaks_ubgi(engine_.game())) return {};
  return refuse(Code::kUnsupportedFeature,
                fmt::format("{} is a word of {}; this is {}", word, games_that(speaks_ubgi),
                            engine_.game().name));
}

void Session::introduce(std::string_view end) {
  say("id name Senet " SENET_VERSION);
  say("id author The Senet developers");
  for (const std::string& line : option_lines(options_)) say(line);
  say(end);
}

Result<void> Session::uci(Words) {
  dialect_ = Dialect::kUci;
  introduce("uciok");
  return {};
}

Result<void> Session::ubgi(Words) {
  if (const Result<void> fits = only_ubgi("ubgi"); !fits) return fits;
  dialect_ = Dialect::kUbgi;
  introduce("ubgiok");
  return {};
}

Result<void> Session::ugi(Words) {
  dialect_ = Dialect::kUgi;
  introduce("ugiok");
  return {};
}

void Session::mention_untrained() {
  if (!is_untrained(network_source(options_)) || mentioned_untrained_) return;
  mentioned_untrained_ = true;
  say("info string the network is untrained (option WeightsFile): its moves mean nothing");
}

Result<void> Session::isready(Words) {
  mention_untrained();
  say("readyok");
  return {};
}

Result<void> Session::newgame(Words) {
  turn_ = 0;
  cube_ = 1;
  cube_owner_ = "center";
  return set_position(read_position(engine_.game(), {}, turn_));
}

Result<AnyState> Session::any_state() {
  const Result<std::string> text = engine_.session().text();
  if (!text) return text.error();
  return AnyState::from_text(engine_.game(), *text);
}

Result<void> Session::set_position(const Result<AnyState>& position) {
  if (!position) return position.error();
  return engine_.session().set(position->text(), {});
}

Result<void> Session::setoption(Words words) {
  std::string name;
  if (words.peek() == "name") {
    words.next();
    // A name may have blanks in it; the value is what stands behind "value", as it is.
    while (!words.empty() && words.peek() != "value") {
      name.append(name.empty() ? "" : " ").append(words.next());
    }
  } else {
    name = words.next();
  }
  if (words.peek() == "value") words.next();
  if (name.empty()) return refuse(Code::kBadArgument, "setoption needs name and value");

  Options changed = options_;
  const Result<Change> change = set_option(changed, name, words.rest());
  if (!change) return change.error();
  if (const Result<void> built = engine_.configure(changed, *change); !built) {
    return refuse(Code::kBadArgument, built.error());
  }
  if (*change >= Change::kNetwork) mentioned_untrained_ = false;
  options_ = std::move(changed);
  return {};
}

Result<void> Session::position(Words words) {
  const Result<PositionRequest> request = parse_position(words);
  if (!request) return request.error();
  return set_position(read_position(engine_.game(), *request, turn_));
}

Result<void> Session::stop(Words) { return {}; }

Result<void> Session::quit(Words) {
  quits_ = true;
  return {};
}

Result<void> Session::debug(Words words) {
  const std::string_view word = words.next();
  if (word == "on" || word == "off") return nothing_behind(words, "debug");
  return refuse(Code::kBadArgument, fmt::format("debug is on or off, not {}", in_quotes(word)));
}

Result<void> Session::query(Words words) {
  const std::string_view question = words.next();
  if (const Result<void> end = nothing_behind(words, "query"); !end) return end;
  const senet::Session& game = engine_.session();
  const bool is_over = game.turn() == Turn::kOver;
  const auto respond = [&](std::string_view answer) -> Result<void> {
    say(fmt::format("response {}", answer));
    return {};
  };
  if (question == "gameover") return respond(is_over ? "true" : "false");
  if (question == "p1turn") return respond(game.viewer() == 0 ? "true" : "false");
  if (question == "result") {
    if (!is_over) return respond("none");
    const float value = game.outcome_values()[*game.outcome()];
    if (value == 0) return respond("draw");
    return respond(value > 0 ? "p1win" : "p2win");
  }
  return refuse(Code::kBadArgument,
                fmt::format("query is p1turn, gameover or result, not {}", in_quotes(question)));
}

Result<void> Session::go(Words words) {
  const ServiceClock::time_point began = ServiceClock::now();
  const Result<GoRequest> request = parse_go(words);
  if (!request) return request.error();
  if (request->role) {
    if (const Result<void> fits = only_ubgi("role"); !fits) return fits;
  }
  const Turn turn = engine_.session().turn();
  if (turn == Turn::kOver) {
    return refuse(Code::kGameOver, "the game is over: there is nothing to decide");
  }
  const Role role = request->role.value_or(Role::kChequer);
  if (role == Role::kCube) {
    say("bestcube nodouble");
    return {};
  }
  if (turn == Turn::kChance) {
    return refuse(Code::kMissingContext, "the dice are not known: dice <d1> <d2>");
  }
  return think(*request, role, began);
}

Result<void> Session::think(const GoRequest& go, Role role, ServiceClock::time_point began) {
  const senet::Session& game = engine_.session();
  const std::optional<Milliseconds> time = go.thinking_time(game.viewer());
  SessionLimits limits;
  limits.visits = go.nodes.value_or(go.infinite || time ? kEndlessVisits : options_.visits);
  // The only move there is, or the only sound one, needs no thought, unless thought is what was
  // asked for.
  if (game.moves_to_consider() == 1 && !go.infinite && !go.nodes) limits.visits = 1;
  limits.visits = std::max(limits.visits, 1u);
  limits.lines = options_.multi_pv;
  limits.progress = [&](const SessionResult& so_far) {
    static_cast<void>(tell(so_far, role, began));
  };

  mention_untrained();
  if (time) {  // what is left of it, and not nothing, which would be no limit
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(began + *time - ServiceClock::now());
    limits.time = std::max(left, std::chrono::microseconds(1));
  }
  const Result<SessionResult> found =
      engine_.search(std::move(limits), [&] { return goes_on(go.infinite); });
  if (!found) return refuse(Code::kInternal, found.error());
  if (found->ending == Ending::kTreeFull) {
    say("info string the tree is full (option Hash): the search ended early");
  }
  if (const Result<void> said = tell(*found, role, began); !said) return said;
  // Nothing more to find out, but an endless search has no answer before its end.
  while (go.infinite && listen(true)) inbox_->wait();
  const Result<std::string> move = game.action_text(found->action);
  if (!move) return move.error();
  say(role == Role::kTurn ? fmt::format("bestturn cube=nodouble move={}", *move)
                          : fmt::format("bestmove {}", *move));
  return {};
}

Result<void> Session::tell(const SessionResult& result, Role role, ServiceClock::time_point began) {
  const auto lines = info_lines(engine_.session(), result, dialect_, role,
                                ServiceClock::now() - began, options_.multi_pv > 1);
  if (!lines) return lines.error();
  for (const std::string& line : *lines) say(line);
  return {};
}

bool Session::goes_on(bool is_endless) { return inbox_->is_quiet() || listen(is_endless); }

bool Session::listen(bool is_endless) {
  for (;;) {
    if (inbox_->has_interrupt()) return false;
    const std::optional<std::string> line = inbox_->next_if(is_endless ? "" : "isready");
    if (!line) break;
    const Words words(*line);
    if (only_word(*line) == "isready") {
      say("readyok");
    } else if (!words.empty()) {
      refuse_line(refuse(
          Code::kSearchInProgress,
          fmt::format("a search without limits runs: stop it before {}", in_quotes(words.peek()))));
    }
  }
  return !(is_endless && inbox_->is_closed());
}

Result<void> Session::draw(Words) {
  const Result<AnyState> state = any_state();
  if (!state) return state.error();
  for (const std::string& line : state->drawing()) say(line);
  if (speaks_ubgi(engine_.game())) {
    say(fmt::format("cube {} {}, score {} : {}, {}", cube_, cube_owner_, score_[0], score_[1],
                    contest_.is_match ? fmt::format("match to {}", contest_.length) : "money"));
  }
  say(fmt::format("position {}", state->text()));
  return {};
}

Result<void> Session::eval(Words) {
  mention_untrained();
  const Result<SessionResult> seen = engine_.search({.network_alone = true}, [] { return true; });
  if (!seen) return refuse(Code::kInternal, seen.error());
  say(eval_line(seen->value, seen->outcomes, engine_.session().outcome_values()));
  return {};
}

Result<void> Session::perft(Words words) {
  constexpr std::uint64_t kDeepest = 1000;
  const std::optional<std::uint64_t> depth = number(words.next(), kDeepest);
  if (!depth) return refuse(Code::kBadArgument, "perft needs a depth, 0 .. 1000");
  if (const Result<void> end = nothing_behind(words, "perft"); !end) return end;
  const Result<AnyState> state = any_state();
  if (!state) return state.error();
  const AnyGame& game = engine_.game();
  const std::optional<Leaves> leaves =
      game.perft(state->bytes(), static_cast<int>(*depth), [&] { return goes_on(false); });
  if (!leaves) return refuse(Code::kStopped, "perft was stopped");
  say(game.has_dice ? fmt::format("perft {} {} {} {} {}", *depth, game.leaves_names[0],
                                  leaves->each_once, game.leaves_names[1], leaves->by_chance)
                    : fmt::format("perft {} leaves {}", *depth, leaves->each_once));
  return {};
}

Result<void> Session::bench(Words words) {
  std::uint32_t visits = options_.visits;
  if (!words.empty()) {
    const std::optional<std::uint64_t> told = number(words.next(), kMostVisits);
    if (!told) return refuse(Code::kBadArgument, "bench takes a number of visits");
    visits = static_cast<std::uint32_t>(*told);
  }
  if (const Result<void> end = nothing_behind(words, "bench"); !end) return end;
  mention_untrained();
  const Result<std::string> position = engine_.session().text();
  if (!position) return position.error();
  const ServiceClock::time_point began = ServiceClock::now();
  BenchTotals totals;
  const Result<bool> is_whole = bench_all(std::max(visits, 1u), totals);
  const auto time = ServiceClock::now() - began;
  if (const Result<void> restored = engine_.session().set(*position, {}); !restored) {
    return restored;
  }
  if (!is_whole) return refuse(Code::kInternal, is_whole.error());
  if (!*is_whole) return refuse(Code::kStopped, "bench was stopped");
  const double seconds = std::max(std::chrono::duration<double>(time).count(), 1e-6);
  say(
      fmt::format("bench positions {} nodes {} evaluations {} signature {:016x} time_ms {:.0f} nps "
                  "{:.0f}",
                  totals.positions, totals.visits, totals.evaluations, totals.signature,
                  seconds * 1000, static_cast<double>(totals.visits) / seconds));
  return {};
}

// Searches the positions of games of blind moves: the same everywhere, without a file of them.
// False when a stop came.
Result<bool> Session::bench_all(std::uint32_t visits, BenchTotals& totals) {
  constexpr std::uint32_t kPositions = 16;
  Random random(/*seed=*/1, 0, 0, Purpose::kMove);
  senet::Session& game = engine_.session();
  if (const Result<void> set = game.set("", {}); !set) return set.error();
  while (totals.positions < kPositions) {
    if (game.turn() == Turn::kOver) {
      if (const Result<void> set = game.set("", {}); !set) return set.error();
    }
    const bool is_chance = game.turn() == Turn::kChance;
    if (!is_chance) {
      const Result<bool> goes_on = bench_one(visits, totals);
      if (!goes_on || !*goes_on) return goes_on;
    }
    const std::vector<Action> legal = game.legal();
    const std::size_t actions = is_chance ? game.chance().size() : legal.size();
    const std::uint32_t drawn = random.below(static_cast<std::uint32_t>(actions));
    const Action action = is_chance ? static_cast<Action>(drawn) : legal[drawn];
    if (const Result<void> played = game.play(action); !played) return played.error();
  }
  return true;
}

Result<bool> Session::bench_one(std::uint32_t visits, BenchTotals& totals) {
  bool is_whole = true;
  const auto asks = [&] { return is_whole = is_whole && goes_on(false); };
  if (!asks()) return false;
  const Result<SessionResult> found = engine_.search({.visits = visits}, asks);
  if (!found) return found.error();
  ++totals.positions;
  totals.visits += found->visits;
  totals.evaluations += found->evaluations;
  totals.signature = mix(totals.signature ^ found->action);
  totals.signature = mix(totals.signature ^ found->choices.front().visits);
  return is_whole;
}

}  // namespace senet::protocol
