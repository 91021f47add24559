#include "tools/protocol/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "games/any_game.hpp"
#include "games/random.hpp"

namespace senet::protocol {
namespace {

// A search without limits has these; it ends by stop, or waits for it.
constexpr std::uint32_t kEndlessVisits = 1u << 30;

}  // namespace

Result<Session> Session::open(const Options& options, Inbox& inbox, Writer write) {
  Result<Engine> engine = Engine::open(options);
  if (!engine) return engine.error();
  return Session(options, inbox, std::move(write), std::move(*engine));
}

Session::Session(const Options& options, Inbox& inbox, Writer write, Engine engine)
    : options_(options),
      inbox_(&inbox),
      write_(std::move(write)),
      engine_(std::move(engine)),
      position_(engine_.game()) {}

std::span<const Session::Command> Session::commands() {
  static constexpr Command kCommands[] = {
      {"uci", &Session::greet<Dialect::kUci>, 0},
      {"ubgi", &Session::greet<Dialect::kUbgi>, 0, true},
      {"ugi", &Session::greet<Dialect::kUgi>, 0},
      {"isready", &Session::isready, 0},
      {"ucinewgame", &Session::newgame, 0},
      {"uginewgame", &Session::newgame, 0},
      {"newgame", &Session::newgame, 0},
      {"setoption", &Session::setoption},
      {"set", &Session::setoption},
      {"position", &Session::position},
      {"go", &Session::go},
      {"stop", &Session::stop, 0},
      {"quit", &Session::quit, 0},
      {"debug", &Session::debug, 1},
      {"query", &Session::query, 1},
      {"newsession", &Session::newsession, kAny, true},
      {"setscore", &Session::setscore, kAny, true},
      {"setcube", &Session::setcube, kAny, true},
      {"setturn", &Session::setturn, kAny, true},
      {"dice", &Session::dice, kAny, true},
      {"d", &Session::draw, 0},
      {"eval", &Session::eval, 0},
      {"perft", &Session::perft, 1},
      {"bench", &Session::bench, 1},
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
    refuse_line(refuse(Code::kInternal, "{}", error.what()));
  }
  return !quits_;
}

void Session::refuse_line(const Error& problem) {
  constexpr std::size_t kLongestText = 300;
  const senet_status status = problem.status();
  std::string_view code = name_of(static_cast<Code>(status));  // unless it is the library's own
  if (code.empty()) {
    code = status == SENET_INTERNAL || status == SENET_NO_MEMORY ? "internal" : "bad_argument";
  }
  say(fmt::format("error {} {}", code, printable(problem.reason(), kLongestText)));
}

Result<void> Session::carry_out(std::string_view line) {
  if (line.size() > kLongestLine) {
    return bad_argument("a line has at most {} bytes", kLongestLine);
  }
  Words words(line);
  if (words.empty()) return {};
  const std::string_view word = words.next();
  const auto command = std::ranges::find(commands(), word, &Command::word);
  if (command == commands().end()) {
    return refuse(Code::kUnknownCommand, "there is no command {}", in_quotes(word));
  }
  Words surplus = words;
  for (std::size_t i = 0; i < command->most_words && !surplus.empty(); ++i) surplus.next();
  if (!surplus.empty()) {
    return bad_argument("{} does not know what to do with {}", word, in_quotes(surplus.peek()));
  }
  if (command->is_of_ubgi) {
    if (const Result<void> fits = only_ubgi(word); !fits) return fits;
  }
  return (this->*command->run)(words);
}

Result<void> Session::only_ubgi(std::string_view word) const {
  if (speaks_ubgi(engine_.game())) return {};
  return refuse(Code::kUnsupportedFeature, "{} is a word of {}; this is {}", word,
                games_that(speaks_ubgi), engine_.game().name);
}

template <Dialect kDialect>
Result<void> Session::greet(Words) {
  dialect_ = kDialect;
  say("id name Senet " SENET_VERSION);
  say("id author The Senet developers");
  for (const std::string& line : option_lines(options_)) say(line);
  return answer(kDialect == Dialect::kUci    ? "uciok"
                : kDialect == Dialect::kUbgi ? "ubgiok"
                                             : "ugiok");
}

void Session::mention_untrained() {
  if (!is_untrained(network_source(options_)) || mentioned_untrained_) return;
  mentioned_untrained_ = true;
  say("info string the network is untrained (option WeightsFile): its moves mean nothing");
}

Result<void> Session::isready(Words) {
  mention_untrained();
  return answer("readyok");
}

Result<void> Session::newgame(Words) {
  turn_ = 0;
  cube_ = 1;
  cube_owner_ = "center";
  return set_position(engine_.game().start_of(turn_));
}

Result<void> Session::set_position(const Result<AnyState>& position) {
  if (!position) return position.error();
  position_ = *position;
  return {};
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
  if (name.empty()) return bad_argument("setoption needs name and value");

  Options changed = options_;
  const Result<Change> change = set_option(changed, name, words.rest());
  if (!change) return change.error();
  if (const Result<void> built = engine_.configure(changed, *change); !built) {
    return refuse(Code::kBadArgument, built.error());
  }
  if (*change >= Change::kNetwork) mentioned_untrained_ = false;
  if (*change == Change::kGame) position_ = AnyState(engine_.game());
  options_ = std::move(changed);
  return {};
}

Result<void> Session::position(Words words) {
  return set_position(read_position(engine_.game(), words, turn_));
}

Result<void> Session::stop(Words) { return {}; }

Result<void> Session::quit(Words) {
  quits_ = true;
  return {};
}

Result<void> Session::debug(Words words) {
  const Result<std::size_t> known = choice("debug", words.next(), {"on", "off"});
  return known ? Result<void>() : known.error();
}

Result<void> Session::query(Words words) {
  const Result<std::size_t> asked = choice("query", words.next(), {"p1turn", "gameover", "result"});
  if (!asked) return asked.error();
  const bool is_over = position_.turn() == Turn::kOver;
  const auto result = [&] {
    const float value = final_value(position_, 0);
    return value > 0 ? "p1win" : value < 0 ? "p2win" : "draw";
  };
  const bool is_true = *asked == 0 ? position_.viewer() == 0 : is_over;
  return answer(fmt::format("response {}", *asked < 2 ? is_true ? "true" : "false"
                                           : is_over  ? result()
                                                      : "none"));
}

Result<void> Session::go(Words words) {
  const ServiceClock::time_point began = ServiceClock::now();
  const Result<GoRequest> request = parse_go(words);
  if (!request) return request.error();
  if (request->role) {
    if (const Result<void> fits = only_ubgi("role"); !fits) return fits;
  }
  const Turn turn = position_.turn();
  if (turn == Turn::kOver) {
    return refuse(Code::kGameOver, "the game is over: there is nothing to decide");
  }
  const Role role = request->role.value_or(Role::kChequer);
  if (role == Role::kCube) {
    return answer("bestcube nodouble");
  }
  if (turn == Turn::kChance) {
    return refuse(Code::kMissingContext, "the dice are not known: dice <d1> <d2>");
  }
  return think(*request, role, began);
}

Result<void> Session::think(const GoRequest& go, Role role, ServiceClock::time_point began) {
  const Result<senet::Session*> game = engine_.at(position_);
  if (!game) return refuse(Code::kInternal, game.error());
  const std::optional<Milliseconds> time = go.thinking_time(position_.viewer());
  SessionLimits limits;
  limits.visits = go.nodes.value_or(go.infinite || time ? kEndlessVisits : options_.visits);
  // The only move there is, or the only sound one, needs no thought, unless thought is what was
  // asked for.
  std::vector<Action> moves;
  position_.moves_to_consider(moves);
  if (moves.size() == 1 && !go.infinite && !go.nodes) limits.visits = 1;
  limits.visits = std::max(limits.visits, 1u);
  limits.lines = options_.multi_pv;
  limits.progress = [&](const SessionResult& so_far) { say_info(so_far, role, began); };

  mention_untrained();
  if (time) {  // what is left of it, and not nothing, which would be no limit
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(began + *time - ServiceClock::now());
    limits.time = std::max(left, std::chrono::microseconds(1));
  }
  const Result<SessionResult> found =
      engine_.search(position_, std::move(limits), [&] { return goes_on(go.infinite); });
  if (!found) return refuse(Code::kInternal, found.error());
  if (found->ending == Ending::kTreeFull) {
    say("info string the tree is full (option Hash): the search ended early");
  }
  say_info(*found, role, began);
  // Nothing more to find out, but an endless search has no answer before its end.
  while (go.infinite && listen(true)) inbox_->wait();
  const std::string move = position_.action_text(found->action);
  return answer(role == Role::kTurn ? "bestturn cube=nodouble move=" + move : "bestmove " + move);
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
      refuse_line(refuse(Code::kSearchInProgress, "a search without limits runs: stop it before {}",
                         in_quotes(words.peek())));
    }
  }
  return !(is_endless && inbox_->is_closed());
}

Result<void> Session::draw(Words) {
  for (const std::string& line : position_.drawing()) say(line);
  if (speaks_ubgi(engine_.game())) {
    say(fmt::format("cube {} {}, score {} : {}, {}", cube_, cube_owner_, score_[0], score_[1],
                    contest_.is_match ? fmt::format("match to {}", contest_.length) : "money"));
  }
  return answer(fmt::format("position {}", position_.text()));
}

Result<void> Session::perft(Words words) {
  const std::optional<std::uint64_t> depth = number(words.next(), 1000);
  if (!depth) return bad_argument("perft needs a depth, 0 .. 1000");
  const AnyGame& game = engine_.game();
  const std::optional<Leaves> leaves =
      game.perft(position_.bytes(), static_cast<int>(*depth), [&] { return goes_on(false); });
  if (!leaves) return refuse(Code::kStopped, "perft was stopped");
  return answer(game.has_dice
                    ? fmt::format("perft {} {} {} {} {}", *depth, game.leaves_names[0],
                                  leaves->each_once, game.leaves_names[1], leaves->by_chance)
                    : fmt::format("perft {} leaves {}", *depth, leaves->each_once));
}

Result<void> Session::bench(Words words) {
  const std::optional<std::uint64_t> visits =
      words.empty() ? options_.visits : number(words.next(), kMostVisits);
  if (!visits) return bad_argument("bench takes a number of visits");
  mention_untrained();
  const ServiceClock::time_point began = ServiceClock::now();
  const Result<BenchTotals> totals =
      search_blind_games(std::max(static_cast<std::uint32_t>(*visits), 1u));
  const std::chrono::duration<double> time = ServiceClock::now() - began;
  if (!totals) return totals.error();
  const double seconds = std::max(time.count(), 1e-6);
  return answer(
      fmt::format("bench positions {} nodes {} evaluations {} signature {:016x} time_ms {:.0f} "
                  "nps {:.0f}",
                  totals->positions, totals->visits, totals->evaluations, totals->signature,
                  seconds * 1000, static_cast<double>(totals->visits) / seconds));
}

// Searches the positions of games of blind moves: the same everywhere, without a file of them.
Result<Session::BenchTotals> Session::search_blind_games(std::uint32_t visits) {
  constexpr std::uint32_t kPositions = 16;
  Random random(/*seed=*/1, 0, 0, Purpose::kMove);
  BenchTotals totals;
  bool is_whole = true;
  const auto asks = [&] { return is_whole = is_whole && goes_on(false); };
  std::vector<Action> legal;
  std::vector<float> rolls;
  for (AnyState state(engine_.game()); totals.positions < kPositions;) {
    const Turn turn = state.turn();
    if (turn == Turn::kOver) {
      state = AnyState(engine_.game());
    } else if (turn == Turn::kChance) {
      state.chance(rolls);
      state.play(static_cast<Action>(random.below(static_cast<std::uint32_t>(rolls.size()))));
    } else if (asks()) {
      const Result<SessionResult> found = engine_.search(state, {.visits = visits}, asks);
      if (!found) return refuse(Code::kInternal, found.error());
      ++totals.positions;
      totals.visits += found->visits;
      totals.evaluations += found->evaluations;
      totals.signature = mix(totals.signature ^ found->action);
      totals.signature = mix(totals.signature ^ found->choices.front().visits);
      state.legal(legal);
      state.play(legal[random.below(static_cast<std::uint32_t>(legal.size()))]);
    }
    if (!is_whole) return refuse(Code::kStopped, "bench was stopped");
  }
  return totals;
}

}  // namespace senet::protocol
