#include "tools/play/protocol/words.hpp"

#include <algorithm>
#include <concepts>

#include "games/registry.hpp"

namespace senet::protocol {
namespace {

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

constexpr std::int64_t kMaxMilliseconds = 1'000'000'000;  // eleven days
constexpr std::int64_t kMaxNodes = std::int64_t{1} << 30;

template <std::integral Number>
Number read_number(Words& words, std::string_view what, Number least, Number most) {
  const std::string_view word = words.next();
  if (word.empty()) throw bad_argument("{} needs a number", what);
  if (const auto value = number_of<Number>(word, least, most)) return *value;
  throw bad_argument("{} is {}: it must be an integer {} .. {}", what, in_quotes(word), least,
                     most);
}

// Programs send INT_MAX or more for "no limit": that counts as `most`.
std::uint64_t read_limit(Words& words, std::string_view what, std::uint64_t most) {
  return std::min(read_number<std::uint64_t>(words, what, 0, UINT64_MAX), most);
}

// A word of "go", and what reads the words after it. Null: a known word that is not supported.
struct GoWord {
  std::string_view name;
  void (*read)(std::string_view name, Words& words, GoRequest& go);
};

template <auto kMember>
void read_count(std::string_view name, Words& words, GoRequest& go) {
  go.*kMember = static_cast<std::uint32_t>(read_limit(words, name, kMaxNodes));
}

void read_movetime(std::string_view name, Words& words, GoRequest& go) {
  go.movetime = Milliseconds(read_limit(words, name, kMaxMilliseconds));
}

// A clock may have run out before the program noticed: it is below 0 then.
template <auto kMember, Player kPlayer>
void read_clock(std::string_view name, Words& words, GoRequest& go) {
  const std::int64_t left = read_number(words, name, INT64_MIN, INT64_MAX);
  (go.*kMember)[kPlayer] = Milliseconds(std::clamp<std::int64_t>(left, 0, kMaxMilliseconds));
}

template <auto kMember>
void set_flag(std::string_view, Words&, GoRequest& go) {
  go.*kMember = true;
}

void read_role(std::string_view name, Words& words, GoRequest& go) {
  go.role = static_cast<Role>(choice(name, words.next(), {"chequer", "cube", "turn"}));
}

void read_searchmoves(std::string_view name, Words& words, GoRequest& go);

constexpr auto kGoWords = std::to_array<GoWord>({
    {"nodes", read_count<&GoRequest::nodes>},
    {"depth", read_count<&GoRequest::depth>},
    {"movetime", read_movetime},
    {"infinite", set_flag<&GoRequest::infinite>},
    {"ponder", set_flag<&GoRequest::ponder>},
    {"searchmoves", read_searchmoves},
    {"wtime", read_clock<&GoRequest::time, 0>},
    {"btime", read_clock<&GoRequest::time, 1>},
    {"winc", read_clock<&GoRequest::increment, 0>},
    {"binc", read_clock<&GoRequest::increment, 1>},
    {"p1time", read_clock<&GoRequest::time, 0>},
    {"p2time", read_clock<&GoRequest::time, 1>},
    {"p1inc", read_clock<&GoRequest::increment, 0>},
    {"p2inc", read_clock<&GoRequest::increment, 1>},
    {"movestogo", read_count<&GoRequest::moves_to_go>},
    {"role", read_role},
    {"trials", nullptr},
    {"mate", nullptr},
});

const GoWord* find_go_word(std::string_view name) {
  const auto found = std::ranges::find(kGoWords, name, &GoWord::name);
  return found == kGoWords.end() ? nullptr : &*found;
}

void read_searchmoves(std::string_view name, Words& words, GoRequest& go) {
  while (!words.empty() && !find_go_word(words.peek())) {
    go.searchmoves.append(words.next()).append(" ");
  }
  if (go.searchmoves.empty()) throw bad_argument("{} needs a move", name);
}

void read_go_word(Words& words, GoRequest& go) {
  const std::string_view name = words.next();
  const GoWord* const word = find_go_word(name);
  if (!word) throw bad_argument("go: unknown word {}", in_quotes(name));
  if (!word->read) {
    throw refuse(Code::kUnsupportedFeature,
                 "go {}: searches can be limited only by nodes, depth, time and moves", name);
  }
  word->read(name, words, go);
}

const Notation* find_notation(const AnyGame& game, std::string_view name) {
  const auto found = std::ranges::find(game.notations, name, &Notation::name);
  return found == game.notations.end() ? nullptr : &*found;
}

// Plays the moves in `words` from the last of these positions, and appends the position after each.
// A move may consist of several words.
void play(std::vector<AnyState>& positions, Words words) {
  const AnyGame& game = positions.back().game();
  for (std::size_t number = 1; !words.empty(); ++number) {
    AnyState state = positions.back();
    std::string move(words.next());
    if (game.continues_move(move)) {
      while (!words.empty() && game.continues_move(words.peek()))
        move.append(" ").append(words.next());
    }
    const auto wrong = [&](std::string_view reason) {
      return refuse(Code::kIllegalMove, "move {} {}: {}", number, in_quotes(move), reason);
    };
    if (state.turn() == Turn::kOver) throw wrong("the game has already ended");
    const Result<Action> action = state.action_from_text(move);
    if (!action) throw wrong(action.error().reason());
    state.play(*action);
    positions.push_back(state);
  }
}

}  // namespace

void Words::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

std::string_view Words::peek() const {
  return rest_.substr(
      0, static_cast<std::size_t>(std::ranges::find_if(rest_, is_blank) - rest_.begin()));
}

std::string_view Words::next() {
  const std::string_view word = peek();
  rest_.remove_prefix(word.size());
  skip_blanks();
  return word;
}

std::string_view Words::rest() const {
  std::string_view rest = rest_;
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  return rest;
}

std::string_view only_word(std::string_view line) {
  Words words(line);
  const std::string_view word = words.next();
  return words.empty() ? word : std::string_view();
}

std::size_t choice(std::string_view what, std::string_view word,
                   std::initializer_list<std::string_view> known) {
  const auto found = std::ranges::find(known, word);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  const std::string words = joined({known.begin(), known.size()}, " or ");
  throw bad_argument("{0} is {2}: it must be {1}", what, words, in_quotes(word));
}

std::string printable(std::string_view text, std::size_t most) {
  std::string shown(text.substr(0, most));
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  if (shown.size() < text.size()) shown += "...";
  return shown;
}

std::string in_quotes(std::string_view word) { return '"' + printable(word, 40) + '"'; }

std::optional<ThinkingTime> GoRequest::thinking_time(Player on_turn) const {
  if (movetime) return ThinkingTime{*movetime, *movetime, true};
  if (!time[on_turn]) return std::nullopt;
  // An even share of the time left over the expected number of moves, plus 3/4 of the increment.
  // kOnTheWay milliseconds always stay on the clock, for the latency of the connection. A move that
  // needs more time gets at most kMostShares shares and half of the time left.
  constexpr std::int64_t kLikelyMoves = 30, kMinMoves = 2, kOnTheWay = 20, kMostShares = 3;
  const std::int64_t left = time[on_turn]->count();
  const std::int64_t moves =
      std::clamp<std::int64_t>(moves_to_go.value_or(kLikelyMoves), kMinMoves, kLikelyMoves);
  const std::int64_t gained = increment[on_turn].value_or(Milliseconds(0)).count();
  const std::int64_t share = left / moves + gained * 3 / 4;
  const std::int64_t usual = std::max<std::int64_t>(std::min(share, left - kOnTheWay), 1);
  const std::int64_t most = std::min({kMostShares * usual, left / 2, left - kOnTheWay});
  return ThinkingTime{Milliseconds(usual), Milliseconds(std::max(usual, most))};
}

GoRequest parse_go(Words words) {
  GoRequest go;
  while (!words.empty()) read_go_word(words, go);
  if (go.infinite &&
      (go.nodes || go.depth || go.movetime || go.time[0] || go.time[1] || go.ponder)) {
    throw bad_argument("go infinite takes no limit and no ponder");
  }
  return go;
}

std::vector<Action> read_actions(const AnyState& state, Words words) {
  std::vector<Action> actions;
  constexpr std::size_t kLongestMove = 64;
  std::string move;  // a move of several words is not legal without the last
  while (!words.empty()) {
    move.append(move.empty() ? "" : " ").append(words.next());
    const Result<Action> action = state.action_from_text(move);
    const bool is_twice = action && std::ranges::find(actions, *action) != actions.end();
    if (is_twice || (!action && (words.empty() || move.size() > kLongestMove))) {
      throw refuse(Code::kIllegalMove, "searchmoves {}: {}", in_quotes(move),
                   is_twice ? "named twice" : action.error().reason());
    }
    if (!action) continue;
    actions.push_back(*action);
    move.clear();
  }
  return actions;
}

std::vector<std::string> texts_of(AnyState state, std::span<const Action> line) {
  std::vector<std::string> texts;
  for (const Action action : line) {
    texts.push_back(state.action_text(action));
    state.play(action);
  }
  return texts;
}

// The text that begins with the word `first`, up to the word "moves": positions of some games
// contain blanks.
std::string_view until_moves(std::string_view first, Words& words) {
  std::string_view last = first;
  while (!words.empty() && words.peek() != "moves") last = words.next();
  return {first.data(), last.data() + last.size()};
}

std::vector<AnyState> read_positions(const AnyGame& game, Words words, Player on_roll) {
  if (words.empty()) throw bad_argument("position needs startpos or a position");
  const std::string_view first = words.next();
  const auto knows_it = [&](const AnyGame& any) { return find_notation(any, first) != nullptr; };
  const bool is_start = first == "startpos";
  const bool is_notation = std::ranges::any_of(  // a notation of some game, perhaps another one
      all_games<AnyGame>(), [&](const AnyGame* any) { return knows_it(*any); });
  const std::string_view text = is_start         ? ""
                                : is_notation    ? words.next()
                                : first == "fen" ? until_moves(words.next(), words)
                                                 : until_moves(first, words);
  if (!is_start && text.empty()) {
    throw bad_argument("position {} needs a position", first);
  }
  if (!words.empty()) {
    const std::string_view word = words.next();
    if (word != "moves") {
      throw bad_argument("position: expected \"moves\", not {}", in_quotes(word));
    }
  }
  if (is_notation && !knows_it(game)) throw other_games(game, knows_it);
  std::vector<AnyState> positions = {value_or<AnyState>(
      Code::kIllegalPosition, is_start      ? game.start_of(game, on_roll)
                              : is_notation ? find_notation(game, first)->read(text, on_roll)
                                            : AnyState::from_text(game, text))};
  play(positions, words);
  return positions;
}

AnyState read_position(const AnyGame& game, Words words, Player on_roll) {
  return read_positions(game, words, on_roll).back();
}

Error other_games(const AnyGame& game, const std::function<bool(const AnyGame&)>& have_it) {
  return refuse(Code::kUnsupportedFeature, "only supported for {}; the game is {}",
                games_that(have_it), game.name);
}

Contest parse_newsession(Words words) {
  Contest contest;
  bool has_type = false;
  while (!words.empty()) {
    const std::string_view word = words.next();
    if (word == "length") {
      contest.length = read_number<std::uint32_t>(words, word, 0, 1000);
    } else if (word == "type") {
      contest.is_match = choice(word, words.next(), {"money", "match"}) == 1;
      has_type = true;
    } else if (word == "jacoby" || word == "crawford") {
      (word == "jacoby" ? contest.jacoby : contest.crawford) =
          choice(word, words.next(), {"on", "off"}) == 0;
    } else {
      throw bad_argument("newsession: unknown word {}", in_quotes(word));
    }
  }
  if (!has_type) throw bad_argument("newsession needs type money or type match");
  if (contest.is_match != (contest.length > 0)) {
    throw bad_argument("newsession: a match requires length 1 or more, money play has no length");
  }
  return contest;
}

}  // namespace senet::protocol
