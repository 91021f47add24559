#include "tools/protocol/requests.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "games/any_game.hpp"
#include "games/registry.hpp"

namespace senet::protocol {
namespace {

// Eleven days; more is a slip of the keyboard.
constexpr std::uint64_t kMostMilliseconds = 1'000'000'000;
constexpr std::uint32_t kMostNodes = 1u << 30;

Result<std::uint64_t> read_number(Words& words, std::string_view what, std::uint64_t most) {
  const std::string_view word = words.next();
  if (word.empty()) return refuse(Code::kBadArgument, fmt::format("{} needs a number", what));
  const std::optional<std::uint64_t> value = number(word, most);
  if (value) return *value;
  return refuse(Code::kBadArgument, fmt::format("{} takes a whole number up to {}, not {}", what,
                                                most, in_quotes(word)));
}

Result<void> read_time(Words& words, std::string_view what, std::optional<Milliseconds>& to) {
  const Result<std::uint64_t> value = read_number(words, what, kMostMilliseconds);
  if (!value) return value.error();
  to = Milliseconds(*value);
  return {};
}

Result<void> read_count(Words& words, std::string_view what, std::optional<std::uint32_t>& to) {
  const Result<std::uint64_t> value = read_number(words, what, kMostNodes);
  if (!value) return value.error();
  to = static_cast<std::uint32_t>(*value);
  return {};
}

Result<void> read_role(Words& words, std::optional<Role>& role) {
  const std::string_view word = words.next();
  if (word == "chequer")
    role = Role::kChequer;
  else if (word == "cube")
    role = Role::kCube;
  else if (word == "turn")
    role = Role::kTurn;
  else
    return refuse(Code::kBadArgument,
                  fmt::format("role is chequer, cube or turn, not {}", in_quotes(word)));
  return {};
}

Result<void> read_go_word(std::string_view word, Words& words, GoRequest& go) {
  if (word == "role") return read_role(words, go.role);
  if (word == "nodes") return read_count(words, word, go.nodes);
  if (word == "movetime") return read_time(words, word, go.movetime);
  if (word == "movestogo") return read_count(words, word, go.moves_to_go);
  if (word == "wtime" || word == "p1time") return read_time(words, word, go.time[0]);
  if (word == "btime" || word == "p2time") return read_time(words, word, go.time[1]);
  if (word == "winc" || word == "p1inc") return read_time(words, word, go.increment[0]);
  if (word == "binc" || word == "p2inc") return read_time(words, word, go.increment[1]);
  if (word == "infinite") {
    go.infinite = true;
    return {};
  }
  for (const std::string_view known : {"depth", "trials", "mate", "ponder", "searchmoves"}) {
    if (word != known) continue;
    return refuse(Code::kUnsupportedFeature,
                  fmt::format("go {}: a search here is limited by nodes or by time", word));
  }
  return refuse(Code::kBadArgument, fmt::format("go does not know the word {}", in_quotes(word)));
}

// Whether positions of some game are written so, whichever game is played.
bool is_known_notation(std::string_view name) {
  return std::ranges::any_of(all_games<AnyGame>(), [&](const AnyGame* game) {
    return std::ranges::find(game->notations, name, &Notation::name) != game->notations.end();
  });
}

Result<bool> read_switch(Words& words, std::string_view what) {
  const std::string_view word = words.next();
  if (word == "on" || word == "off") return word == "on";
  return refuse(Code::kBadArgument, fmt::format("{} is on or off, not {}", what, in_quotes(word)));
}

}  // namespace

std::optional<Milliseconds> GoRequest::thinking_time(Player on_turn) const {
  if (movetime || !time[on_turn]) return movetime;
  // An even share of what is left for the moves that are likely to come, and most of what each move
  // brings; some always stays on the clock for the way there and back.
  constexpr std::int64_t kLikelyMoves = 30, kLeastMoves = 2, kOnTheWay = 20;
  const std::int64_t left = time[on_turn]->count();
  const std::int64_t moves = moves_to_go
                                 ? std::clamp<std::int64_t>(*moves_to_go, kLeastMoves, kLikelyMoves)
                                 : kLikelyMoves;
  const std::int64_t gained = increment[on_turn].value_or(Milliseconds(0)).count();
  const std::int64_t share = left / moves + gained * 3 / 4;
  return Milliseconds(std::max<std::int64_t>(std::min(share, left - kOnTheWay), 1));
}

Result<GoRequest> parse_go(Words words) {
  GoRequest go;
  while (!words.empty()) {
    const Result<void> read = read_go_word(words.next(), words, go);
    if (!read) return read.error();
  }
  if (go.infinite && (go.nodes || go.movetime || go.has_clock())) {
    return refuse(Code::kBadArgument, "go infinite takes no limit");
  }
  return go;
}

Result<PositionRequest> parse_position(Words words) {
  using Kind = PositionRequest::Kind;
  if (words.empty()) {
    return refuse(Code::kBadArgument, "position needs startpos or a position");
  }
  PositionRequest position;
  const std::string_view first = words.next();
  if (first != "startpos") {
    const bool is_notation = is_known_notation(first);
    position.kind = is_notation ? Kind::kNotation : Kind::kText;
    if (is_notation) position.notation = first;
    position.text = is_notation || first == "fen" ? words.next() : first;
    if (position.text.empty()) {
      return refuse(Code::kBadArgument, fmt::format("position {} needs a position", first));
    }
  }
  if (words.empty()) return position;
  if (const std::string_view word = words.next(); word != "moves") {
    return refuse(Code::kBadArgument,
                  fmt::format("behind a position stands \"moves\", not {}", in_quotes(word)));
  }
  position.moves = words_of(words.rest());
  return position;
}

Result<Contest> parse_newsession(Words words) {
  Contest contest;
  bool has_type = false;
  while (!words.empty()) {
    const std::string_view word = words.next();
    if (word == "type") {
      const std::string_view type = words.next();
      if (type != "money" && type != "match") {
        return refuse(Code::kBadArgument,
                      fmt::format("type is money or match, not {}", in_quotes(type)));
      }
      contest.is_match = type == "match";
      has_type = true;
    } else if (word == "length") {
      const Result<std::uint64_t> length = read_number(words, word, 1000);
      if (!length) return length.error();
      contest.length = static_cast<std::uint32_t>(*length);
    } else if (word == "jacoby" || word == "crawford") {
      const Result<bool> is_on = read_switch(words, word);
      if (!is_on) return is_on.error();
      (word == "jacoby" ? contest.jacoby : contest.crawford) = *is_on;
    } else {
      return refuse(Code::kBadArgument,
                    fmt::format("newsession does not know the word {}", in_quotes(word)));
    }
  }
  if (!has_type) return refuse(Code::kBadArgument, "newsession needs type money or type match");
  if (contest.is_match != (contest.length > 0)) {
    return refuse(Code::kBadArgument, "a match has a length of 1 or more, money play has none");
  }
  return contest;
}

Result<Player> parse_player(std::string_view word) {
  if (word == "p0" || word == "p1") return static_cast<Player>(word[1] - '0');
  return refuse(Code::kBadArgument, fmt::format("a player is p0 or p1, not {}", in_quotes(word)));
}

}  // namespace senet::protocol
