#include "tools/play/protocol/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "games/any_game.hpp"
#include "games/random.hpp"

namespace senet::protocol {
namespace {

// The limit of a search without limits, which ends by stop.
constexpr std::uint32_t kEndlessVisits = 1u << 30;

// Maximum length of a text that may quote the user's input.
constexpr std::size_t kLongestText = 300;

long per_mille(double share) { return std::lround(share * 1000); }

/// Probabilities of the outcomes, for one player. `double` and `triple` are outcomes worth at least
/// 2 and 3 points (UBGI's "gammon" and "bg"); they are included in win and lose, and 0 in games
/// without such outcomes.
struct Chances {
  double win = 0, draw = 0, lose = 0;
  double win_double = 0, win_triple = 0, lose_double = 0, lose_triple = 0;
};

Chances chances_of(std::span<const float> outcomes, std::span<const float> values) {
  Chances chances;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const float end = values[i];
    const double share = outcomes[i];
    (end > 0 ? chances.win : end < 0 ? chances.lose : chances.draw) += share;
    if (end >= 2) chances.win_double += share;
    if (end >= 3) chances.win_triple += share;
    if (end <= -2) chances.lose_double += share;
    if (end <= -3) chances.lose_triple += share;
  }
  return chances;
}

}  // namespace

Session::Session(const Games& games, const Options& options, Inbox& inbox, Writer write)
    : options_(options),
      inbox_(&inbox),
      write_(std::move(write)),
      engine_(games, options),
      position_(engine_.game()) {}

std::span<const Session::Command> Session::commands() {
  static constexpr Command kCommands[] = {
      {"uci", &Session::greet<Dialect::kUci>, "", "begins a session: lists the options", 0},
      {"ubgi", &Session::greet<Dialect::kUbgi>, "", "the same in UBGI", 0, true},
      {"ugi", &Session::greet<Dialect::kUgi>, "", "the same in UGI", 0},
      {"isready", &Session::isready, "", "answers readyok", 0},
      {"ucinewgame", &Session::newgame, "", "resets to the start position", 0},
      {"uginewgame", &Session::newgame, "", "the same", 0},
      {"newgame", &Session::newgame, "", "the same", 0},
      {"setoption", &Session::setoption, "name X value Y", "sets an option"},
      {"set", &Session::setoption, "X Y", "the same"},
      {"position", &Session::position, "startpos|TEXT [moves M ...]",
       "sets the position; TEXT as d prints it"},
      {"go", &Session::go, "[nodes N] [depth N] [movetime MS] [infinite] [ponder]",
       "answers bestmove"},
      {"stop", &Session::stop, "", "ends the search", 0},
      {"ponderhit", &Session::ponderhit, "", "lets a go ponder end by its limits", 0},
      {"quit", &Session::quit, "", "ends the running search and the session", 0},
      {"debug", &Session::debug, "on|off", "accepted and ignored", 1},
      {"query", &Session::query, "p1turn|gameover|result", "reports turn, end or result", 1},
      {"newsession", &Session::newsession, "type money", "starts a new game or match", kAny, true},
      {"setscore", &Session::setscore, "A B", "sets the score that d shows", kAny, true},
      {"setcube", &Session::setcube, "value N owner center", "sets the cube that d shows", kAny,
       true},
      {"setturn", &Session::setturn, "p0|p1", "sets the player on roll", kAny, true},
      {"dice", &Session::dice, "D1 D2", "sets the roll to be played", kAny, true},
      {"d", &Session::draw, "", "draws the board", 0},
      {"eval", &Session::eval, "", "the network's own evaluation", 0},
      {"perft", &Session::perft, "N", "counts the ways to play N moves", 1},
      {"bench", &Session::bench, "[N]", "searches fixed positions, N visits each", 1},
      {"help", &Session::help, "", "prints this list", 0},
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
    execute(line);
  } catch (const Error& error) {
    refuse_line(error);
  } catch (const std::exception& error) {
    refuse_line(refuse(Code::kInternal, "{}", error.what()));
  }
  return !quits_;
}

void Session::refuse_line(const Error& problem) {
  const senet_status status = problem.status();
  std::string_view code = name_of(static_cast<Code>(status));  // "" for a status of libsenet
  if (code.empty()) {
    code = status == SENET_INTERNAL || status == SENET_NO_MEMORY ? "internal" : "bad_argument";
  }
  say(fmt::format("error {} {}", code, printable(problem.reason(), kLongestText)));
}

void Session::execute(std::string_view line) {
  if (line.size() > kLongestLine) {
    throw bad_argument("the line is too long: the maximum is {} bytes", kLongestLine);
  }
  Words words(line);
  if (words.empty()) return;
  const std::string_view word = words.next();
  const auto command = std::ranges::find(commands(), word, &Command::word);
  if (command == commands().end()) {
    throw refuse(Code::kUnknownCommand, "there is no command {}; help lists them", in_quotes(word));
  }
  Words surplus = words;
  for (std::size_t i = 0; i < command->most_words && !surplus.empty(); ++i) surplus.next();
  if (!surplus.empty()) {
    throw bad_argument("{}: unexpected word {}", word, in_quotes(surplus.peek()));
  }
  if (command->is_of_ubgi) only_ubgi(word);
  (this->*command->run)(words);
}

void Session::only_ubgi(std::string_view word) const {
  if (speaks_ubgi(engine_.game())) return;
  throw refuse(Code::kUnsupportedFeature, "{} is only supported for {}; the game is {}", word,
               games_that(speaks_ubgi), engine_.game().name);
}

template <Dialect kDialect>
void Session::greet(Words) {
  dialect_ = kDialect;
  say("id name Senet " SENET_VERSION);
  say("id author The Senet developers");
  for (const std::string& line : option_lines(engine_.games(), options_, engine_.levels()))
    say(line);
  say(kDialect == Dialect::kUci ? "uciok" : kDialect == Dialect::kUbgi ? "ubgiok" : "ugiok");
}

// Writes each note once, before the next answer that needs the engine.
void Session::say_notes() {
  if (is_untrained(network_source(options_)) && !std::exchange(mentioned_untrained_, true)) {
    say("info string the network is untrained (option WeightsFile): its moves mean nothing");
  }
  const std::string& note = engine_.tablebase().note();
  if (note != std::exchange(tablebase_note_, note) && !note.empty()) {
    say("info string " + printable(note, kLongestText));
  }
}

void Session::isready(Words) {
  say_notes();
  say("readyok");
}

void Session::newgame(Words) {
  turn_ = 0;
  cube_ = 1;
  cube_owner_ = "center";
  position_ = engine_.game().start_of(engine_.game(), turn_);
  engine_.forget();
}

void Session::setoption(Words words) {
  std::string name;
  if (words.peek() == "name") {
    words.next();
    // A name may contain blanks. The value is the unchanged text after "value".
    while (!words.empty() && words.peek() != "value") {
      name.append(name.empty() ? "" : " ").append(words.next());
    }
  } else {
    name = words.next();
  }
  if (words.peek() == "value") words.next();
  if (name.empty()) throw bad_argument("setoption needs name and value");

  Options changed = options_;
  const Change change = set_option(engine_.games(), changed, engine_.levels(), name, words.rest());
  try {
    engine_.configure(changed, change);
  } catch (const Error& error) {
    throw bad_argument("{}", error.reason());
  }
  if (change >= Change::kNetwork) mentioned_untrained_ = false;
  if (change == Change::kGame) position_ = AnyState(engine_.game());
  options_ = std::move(changed);
}

void Session::position(Words words) { position_ = read_position(engine_.game(), words, turn_); }

void Session::stop(Words) {}

// A ponderhit may cross with the end of the search, for example by a stop.
void Session::ponderhit(Words) {}

void Session::quit(Words) { quits_ = true; }

void Session::debug(Words words) { choice("debug", words.next(), {"on", "off"}); }

void Session::query(Words words) {
  const std::size_t asked = choice("query", words.next(), {"p1turn", "gameover", "result"});
  const bool is_over = position_.turn() == Turn::kOver;
  const auto result = [&] {
    const float value = final_value(position_, 0);
    return value > 0 ? "p1win" : value < 0 ? "p2win" : "draw";
  };
  const bool is_true = asked == 0 ? position_.viewer() == 0 : is_over;
  say(fmt::format("response {}", asked < 2 ? is_true ? "true" : "false"
                                 : is_over ? result()
                                           : "none"));
}

void Session::go(Words words) {
  const ServiceClock::time_point began = ServiceClock::now();
  const GoRequest request = parse_go(words);
  if (request.role) only_ubgi("role");
  const Turn turn = position_.turn();
  if (turn == Turn::kOver) {
    throw refuse(Code::kGameOver, "the game is over: there is nothing to decide");
  }
  const Role role = request.role.value_or(Role::kChequer);
  if (role == Role::kCube) return say("bestcube nodouble");
  if (turn == Turn::kChance) {
    if (engine_.game().with_dice != nullptr) {
      throw refuse(Code::kMissingContext, "the dice are not known: dice <d1> <d2>");
    }
    throw refuse(Code::kMissingContext,
                 "the dice are not known: end the moves of the position with the roll");
  }
  think(request, role, began);
}

void Session::think(const GoRequest& go, Role role, ServiceClock::time_point began) {
  const Listening how = go.ponder     ? Listening::kPonders
                        : go.infinite ? Listening::kEndless
                                      : Listening::kLimited;
  const bool is_endless = how != Listening::kLimited;
  const std::optional<ThinkingTime> time =
      is_endless ? std::nullopt : go.thinking_time(position_.viewer());
  const std::uint32_t visits = go.nodes.value_or(options_.visits);
  SessionLimits limits;
  limits.actions = read_actions(position_, Words(go.searchmoves));
  if (!is_endless) limits.level = level_of(options_, engine_.levels());
  const bool has_other_limit = time || go.depth || limits.level;  // a level has its own visits
  limits.visits = is_endless || (!go.nodes && has_other_limit) ? kEndlessVisits : visits;
  limits.reuse_tree = limits.visits > 1;  // 0 and 1 are the network alone
  if (go.depth && !is_endless) limits.depth = std::max(*go.depth, 1u);
  // The only legal move, or the only sound one, is played without a search, unless the request is
  // infinite or specifies nodes or depth.
  std::vector<Action> moves = limits.actions;
  if (moves.empty()) position_.moves_to_consider(moves);
  if (moves.size() == 1 && !is_endless && !go.nodes && !go.depth) limits.visits = 1;
  limits.visits = std::max(limits.visits, 1u);
  limits.lines = options_.multi_pv;
  Clock clock(time, began, options_.search.settings.plies.ply > 0);
  limits.progress_every = clock.interval();
  limits.progress = [&](const SessionResult& so_far) {
    if (clock.is_info_due()) say_info(so_far, role, began);
    clock.see(so_far);
  };

  say_notes();
  if (time) {  // the remaining time, at least 1 us, because 0 would mean no limit
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(began + time->most -
                                                                            ServiceClock::now());
    limits.time = std::max(left, std::chrono::microseconds(1));
  }
  is_hit_ = false;
  const SessionResult found = engine_.search(position_, std::move(limits),
                                             [&] { return !clock.is_enough() && keep_going(how); });
  if (found.ending == Ending::kTreeFull) {
    say("info string the tree is full (option Hash): the search ended early");
  }
  say_info(found, role, began);
  // The result may be final, but a search without limits must not answer before a stop.
  while (is_endless && !is_hit_ && listen(how)) inbox_->wait();
  if (is_hit_) {  // the search that the request asked for begins with what pondering has found
    GoRequest hit = go;
    hit.ponder = false;
    return think(hit, role, ServiceClock::now());
  }
  say_move(found, role);
}

void Session::say_move(const SessionResult& found, Role role) {
  const std::string move = position_.action_text(found.action);
  if (role == Role::kTurn) return say("bestturn cube=nodouble move=" + move);
  const std::vector<std::string> line = texts_of(position_, found.line(0).actions);
  // A level may have drawn another move than the best, whose line this is.
  const bool has_reply = options_.ponder && line.size() > 1 && line.front() == move;
  say("bestmove " + move + (has_reply ? " ponder " + line[1] : ""));
}

bool Session::keep_going(Listening how) { return inbox_->is_quiet() || listen(how); }

bool Session::listen(Listening how) {
  const bool is_endless = how == Listening::kEndless || how == Listening::kPonders;
  for (;;) {
    if (how == Listening::kPonders && inbox_->next_if("ponderhit")) {
      is_hit_ = true;
      return false;
    }
    if (inbox_->has_interrupt()) return false;
    const std::optional<std::string> line =
        is_endless ? inbox_->next_unless_interrupted() : inbox_->next_if("isready");
    if (!line) break;
    const Words words(*line);
    const std::string_view word = only_word(*line);
    if (word == "isready") {
      say("readyok");
    } else if (how == Listening::kPonders && word == "ponderhit") {
      is_hit_ = true;
      return false;
    } else if (!words.empty()) {
      refuse_line(refuse(Code::kSearchInProgress,
                         "a search without limits is running: stop it before {}",
                         in_quotes(words.peek())));
    }
  }
  if (how == Listening::kLimited || !inbox_->is_closed()) return true;
  if (is_endless) return false;
  const ServiceClock::time_point now = ServiceClock::now();
  if (!input_ended_) input_ended_ = now;
  return now - *input_ended_ < std::chrono::seconds(kLastSeconds);
}

void Session::say_info(const SessionResult& result, Role role, ServiceClock::time_point began) {
  const std::span<const float> values = engine_.game().outcome_values;
  const std::chrono::duration<double> time = ServiceClock::now() - began;
  const double seconds = std::max(time.count(), 1e-6);
  const long milliseconds = std::lround(seconds * 1000);
  const long speed = std::lround((result.visits - result.kept) / seconds);
  for (std::size_t i = 0; i < result.lines(); ++i) {
    const SessionResult::Line line = result.line(i);
    const std::vector<std::string> moves = texts_of(position_, line.actions);
    const Chances chances = chances_of(line.outcomes, values);
    const double value = result.choices[i].value;
    const std::string rank = options_.multi_pv > 1 ? fmt::format(" multipv {}", i + 1) : "";
    if (dialect_ == Dialect::kUbgi) {
      constexpr std::string_view kRoles[] = {"chequer", "cube", "turn"};
      say(
          fmt::format("info role {} depth {}{} nodes {} time_ms {} nps {} hashfull {} eq {:.4f} "
                      "pwin {:.4f} pgammon {:.4f} pbg {:.4f} pv {}",
                      kRoles[static_cast<std::size_t>(role)], result.depth, rank, result.visits,
                      milliseconds, speed, per_mille(result.tree_filled), value, chances.win,
                      chances.win_double, chances.win_triple, fmt::join(moves, " ")));
    } else {  // UCI's score is in hundredths, here of a point
      const std::string wdl = engine_.game().player_count == 1
                                  ? ""
                                  : fmt::format("wdl {} {} {} ", per_mille(chances.win),
                                                per_mille(chances.draw), per_mille(chances.lose));
      say(fmt::format("info depth {}{} nodes {} time {} nps {} hashfull {} score cp {} {}pv {}",
                      result.depth, rank, result.visits, milliseconds, speed,
                      per_mille(result.tree_filled), std::lround(value * 100), wdl,
                      fmt::join(moves, " ")));
    }
  }
}

// All figures are from the perspective of the player to move or to roll. In games with outcomes
// worth 2 points or more, their probabilities are included.
void Session::eval(Words) {
  say_notes();
  engine_.evaluate({&position_, 1}, [this](std::size_t, const Expectation& expected) {
    const std::span<const float> values = engine_.game().outcome_values;
    const Chances chances = chances_of(expected.outcomes, values);
    if (engine_.game().player_count == 1) return say(fmt::format("eval eq {:.4f}", expected.value));
    const std::string win = fmt::format("eval eq {:.4f} pwin {:.4f}", expected.value, chances.win);
    say(std::ranges::all_of(values, [](float end) { return end < 2; })
            ? fmt::format("{} pdraw {:.4f} plose {:.4f}", win, chances.draw, chances.lose)
            : fmt::format("{} pgammon {:.4f} pbg {:.4f} plosegammon {:.4f} plosebg {:.4f}", win,
                          chances.win_double, chances.win_triple, chances.lose_double,
                          chances.lose_triple));
  });
}

// Commands of UBGI.

void Session::newsession(Words words) {
  contest_ = parse_newsession(words);
  score_ = {};
  newgame(words);
}

void Session::setscore(Words words) {
  const auto points = [&] { return number_of(words.next(), 0u, 1'000'000u); };
  const std::optional<std::uint32_t> first = points(), second = points();
  if (!first || !second || !words.empty()) {
    throw bad_argument("setscore requires two integers 0 .. 1000000");
  }
  score_ = {*first, *second};
}

void Session::setcube(Words words) {
  std::uint32_t cube = cube_;
  std::string owner = cube_owner_;
  if (words.empty()) throw bad_argument("setcube requires value <N> or owner <player>");
  while (!words.empty()) {
    const std::string_view word = words.next();
    const std::string_view value = words.next();
    if (word == "value") {
      cube = number_of(value, 0u, 1u << 24).value_or(0);
      if (!std::has_single_bit(cube)) {
        throw bad_argument("the cube's value is {}: it must be a power of two 1 .. 16777216",
                           in_quotes(value));
      }
    } else if (word == "owner") {
      choice("the cube's owner", value, {"center", "p0", "p1"});
      owner = value;
    } else {
      throw bad_argument("setcube: unknown word {}", in_quotes(word));
    }
  }
  cube_ = cube;
  cube_owner_ = std::move(owner);
}

void Session::setturn(Words words) {
  const auto player = static_cast<Player>(choice("the player", words.next(), {"p0", "p1"}));
  if (!words.empty()) throw bad_argument("setturn requires one player, p0 or p1");
  const auto with_player_on_roll = engine_.game().with_player_on_roll;
  if (with_player_on_roll == nullptr) {
    throw other_games(engine_.game(),
                      [](const AnyGame& any) { return any.with_player_on_roll != nullptr; });
  }
  position_ = value_or(Code::kIllegalPosition, with_player_on_roll(position_, player));
  turn_ = player;
}

void Session::dice(Words words) {
  const auto die = [&] { return number_of(words.next(), 0u, 6u); };
  const std::optional<std::uint32_t> first = die(), second = die();
  if (!first || !second || !words.empty()) {
    throw bad_argument("dice takes two numbers, 1 to 6 each");
  }
  const auto with_dice = engine_.game().with_dice;
  if (with_dice == nullptr) {
    throw other_games(engine_.game(), [](const AnyGame& any) { return any.with_dice != nullptr; });
  }
  if (position_.turn() == Turn::kOver) throw refuse(Code::kGameOver, "the game is over");
  position_ = with_dice(position_, static_cast<int>(*first), static_cast<int>(*second)).value();
}

// Commands for interactive use.

void Session::help(Words) {
  for (const Command& command : commands()) {
    if (command.is_of_ubgi && !speaks_ubgi(engine_.game())) continue;
    say(fmt::format("  {:<38} {}", fmt::format("{} {}", command.word, command.use), command.help));
  }
  say("help: docs/protocol.md describes all commands and options");
}

void Session::draw(Words) {
  for (const std::string& line : position_.drawing()) say(line);
  if (speaks_ubgi(engine_.game())) {
    say(fmt::format("cube {} {}, score {} : {}, {}", cube_, cube_owner_, score_[0], score_[1],
                    contest_.is_match ? fmt::format("match to {}", contest_.length) : "money"));
  }
  say(fmt::format("position {}", position_.text()));
}

void Session::perft(Words words) {
  const std::optional<std::uint32_t> depth = number_of(words.next(), 0u, 1000u);
  if (!depth) throw bad_argument("perft requires a depth 0 .. 1000");
  const AnyGame& game = engine_.game();
  input_ended_.reset();
  const std::optional<Leaves> leaves = game.perft(position_.bytes(), static_cast<int>(*depth),
                                                  [&] { return keep_going(Listening::kCounts); });
  if (!leaves) throw refuse(Code::kStopped, "perft was stopped");
  say(game.has_dice ? fmt::format("perft {} {} {} {} {}", *depth, game.count_names[0],
                                  leaves->each_once, game.count_names[1], leaves->by_chance)
                    : fmt::format("perft {} leaves {}", *depth, leaves->each_once));
}

// Searches positions from games of uniformly random moves, which are the same on every machine.
void Session::bench(Words words) {
  const std::optional<std::uint32_t> visits =
      words.empty() ? options_.visits : number_of(words.next(), 0u, kMaxVisits);
  if (!visits) throw bad_argument("bench requires a number of visits 0 .. {}", kMaxVisits);
  say_notes();
  constexpr std::uint32_t kPositions = 16;
  Random random(/*seed=*/1, 0, 0, Purpose::kMove);
  std::uint64_t nodes = 0, evaluations = 0, signature = 0;  // signature: hash of the results
  bool is_whole = true;
  const auto asks = [&] { return is_whole = is_whole && keep_going(Listening::kCounts); };
  input_ended_.reset();
  const ServiceClock::time_point began = ServiceClock::now();
  AnyState state(engine_.game());
  for (std::uint32_t searched = 0; searched < kPositions;) {
    if (state.turn() == Turn::kOver) {
      state = AnyState(engine_.game());
      continue;
    }
    if (is_decision(state.turn()) && asks()) {
      const SessionResult found =
          engine_.search(state, {.visits = std::max(*visits, 1u), .reuse_tree = false}, asks);
      ++searched;
      nodes += found.visits;
      evaluations += found.evaluations;
      signature = mix(signature ^ found.action);
      signature = mix(signature ^ found.choices.front().visits);
    }
    state.play(draw_action(state, random));
    if (!is_whole) throw refuse(Code::kStopped, "bench was stopped");
  }
  const std::chrono::duration<double> time = ServiceClock::now() - began;
  const double seconds = std::max(time.count(), 1e-6);
  say(
      fmt::format("bench positions {} nodes {} evaluations {} signature {:016x} time_ms {:.0f} "
                  "nps {:.0f}",
                  kPositions, nodes, evaluations, signature, seconds * 1000,
                  static_cast<double>(nodes) / seconds));
}

}  // namespace senet::protocol
