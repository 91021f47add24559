#include "tools/protocol/requests.hpp"

#include <algorithm>

#include "games/registry.hpp"

namespace senet::protocol {
namespace {

// Eleven days; more is a slip of the keyboard.
constexpr std::uint64_t kMostMilliseconds = 1'000'000'000;
constexpr std::uint32_t kMostNodes = 1u << 30;

template <class Number>
Result<void> read(Words& words, std::string_view what, std::uint64_t most,
                  std::optional<Number>& to) {
  const std::string_view word = words.next();
  if (word.empty()) return bad_argument("{} needs a number", what);
  const std::optional<std::uint64_t> value = number(word, most);
  if (!value) {
    return bad_argument("{} takes a whole number up to {}, not {}", what, most, in_quotes(word));
  }
  to = static_cast<Number>(*value);
  return {};
}

Result<void> read_go_word(std::string_view word, Words& words, GoRequest& go) {
  const auto count = [&](auto& to) { return read(words, word, kMostNodes, to); };
  const auto time = [&](auto& to) { return read(words, word, kMostMilliseconds, to); };
  if (word == "nodes") return count(go.nodes);
  if (word == "movestogo") return count(go.moves_to_go);
  if (word == "movetime") return time(go.movetime);
  if (word == "wtime" || word == "p1time") return time(go.time[0]);
  if (word == "btime" || word == "p2time") return time(go.time[1]);
  if (word == "winc" || word == "p1inc") return time(go.increment[0]);
  if (word == "binc" || word == "p2inc") return time(go.increment[1]);
  if (word == "infinite") {
    go.infinite = true;
    return {};
  }
  if (word == "role") {
    const Result<std::size_t> role = choice("role", words.next(), {"chequer", "cube", "turn"});
    if (!role) return role.error();
    go.role = static_cast<Role>(*role);
    return {};
  }
  for (const std::string_view known : {"depth", "trials", "mate", "ponder", "searchmoves"}) {
    if (word != known) continue;
    return refuse(Code::kUnsupportedFeature, "go {}: a search here is limited by nodes or by time",
                  word);
  }
  return bad_argument("go does not know the word {}", in_quotes(word));
}

const Notation* find_notation(const AnyGame& game, std::string_view name) {
  const auto found = std::ranges::find(game.notations, name, &Notation::name);
  return found == game.notations.end() ? nullptr : &*found;
}

// Plays moves that come word by word, some of them in several words.
Result<void> play(AnyState& state, Words words) {
  const AnyGame& game = state.game();
  for (std::size_t number = 1; !words.empty(); ++number) {
    std::string move(words.next());
    if (game.continues_move(move)) {
      while (!words.empty() && game.continues_move(words.peek()))
        move.append(" ").append(words.next());
    }
    const auto wrong = [&](std::string_view reason) {
      return refuse(Code::kIllegalMove, "move {} {}: {}", number, in_quotes(move), reason);
    };
    if (state.turn() == Turn::kOver) return wrong("the game is over before it");
    const Result<Action> action = state.action_from_text(move);
    if (!action) return wrong(action.error().reason());
    state.play(*action);
  }
  return {};
}

}  // namespace

std::optional<Milliseconds> GoRequest::thinking_time(Player on_turn) const {
  if (movetime || !time[on_turn]) return movetime;
  // An even share of what is left for the moves that are likely to come, and most of what each move
  // brings; some always stays on the clock for the way there and back.
  constexpr std::int64_t kLikelyMoves = 30, kLeastMoves = 2, kOnTheWay = 20;
  const std::int64_t left = time[on_turn]->count();
  const std::int64_t moves =
      std::clamp<std::int64_t>(moves_to_go.value_or(kLikelyMoves), kLeastMoves, kLikelyMoves);
  const std::int64_t gained = increment[on_turn].value_or(Milliseconds(0)).count();
  const std::int64_t share = left / moves + gained * 3 / 4;
  return Milliseconds(std::max<std::int64_t>(std::min(share, left - kOnTheWay), 1));
}

Result<GoRequest> parse_go(Words words) {
  GoRequest go;
  while (!words.empty()) {
    const Result<void> done = read_go_word(words.next(), words, go);
    if (!done) return done.error();
  }
  if (go.infinite && (go.nodes || go.movetime || go.time[0] || go.time[1])) {
    return bad_argument("go infinite takes no limit");
  }
  return go;
}

Result<AnyState> read_position(const AnyGame& game, Words words, Player on_roll) {
  if (words.empty()) return bad_argument("position needs startpos or a position");
  const std::string_view first = words.next();
  const auto knows_it = [&](const AnyGame& any) { return find_notation(any, first) != nullptr; };
  const bool is_start = first == "startpos";
  const bool is_notation = std::ranges::any_of(  // of any game, whichever is played
      all_games<AnyGame>(), [&](const AnyGame* any) { return knows_it(*any); });
  const std::string_view text = is_start                        ? ""
                                : is_notation || first == "fen" ? words.next()
                                                                : first;
  if (!is_start && text.empty()) {
    return bad_argument("position {} needs a position", first);
  }
  if (!words.empty()) {
    const std::string_view word = words.next();
    if (word != "moves") {
      return bad_argument("behind a position stands \"moves\", not {}", in_quotes(word));
    }
  }
  if (is_notation && !knows_it(game)) return other_games(game, knows_it);
  Result<AnyState> state = is_start      ? game.start_of(on_roll)
                           : is_notation ? find_notation(game, first)->read(text, on_roll)
                                         : AnyState::from_text(game, text);
  if (!state) return refuse(Code::kIllegalPosition, state.error());
  if (const Result<void> played = play(*state, words); !played) return played.error();
  return state;
}

Error other_games(const AnyGame& game, const std::function<bool(const AnyGame&)>& have_it) {
  return refuse(Code::kUnsupportedFeature, "that is a word of {}; this is {}", games_that(have_it),
                game.name);
}

Result<Contest> parse_newsession(Words words) {
  Contest contest;
  bool has_type = false;
  while (!words.empty()) {
    const std::string_view word = words.next();
    if (word == "length") {
      std::optional<std::uint32_t> length;
      if (const auto is_read = read(words, word, 1000, length); !is_read) return is_read.error();
      contest.length = *length;
    } else if (word == "type") {
      const Result<std::size_t> type = choice(word, words.next(), {"money", "match"});
      if (!type) return type.error();
      contest.is_match = *type == 1;
      has_type = true;
    } else if (word == "jacoby" || word == "crawford") {
      const Result<std::size_t> off = choice(word, words.next(), {"on", "off"});
      if (!off) return off.error();
      (word == "jacoby" ? contest.jacoby : contest.crawford) = *off == 0;
    } else {
      return bad_argument("newsession does not know the word {}", in_quotes(word));
    }
  }
  if (!has_type) return bad_argument("newsession needs type money or type match");
  if (contest.is_match != (contest.length > 0)) {
    return bad_argument("a match has a length of 1 or more, money play has none");
  }
  return contest;
}

}  // namespace senet::protocol
