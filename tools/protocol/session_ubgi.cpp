// The session's UBGI words: what surrounds a decision.
#include <fmt/core.h>

#include <bit>

#include "tools/protocol/game_words.hpp"
#include "tools/protocol/session.hpp"

namespace senet::protocol {

Result<void> Session::newsession(Words words) {
  if (const Result<void> fits = only_ubgi("newsession"); !fits) return fits;
  const Result<Contest> contest = parse_newsession(words);
  if (!contest) return contest.error();
  contest_ = *contest;
  score_ = {};
  return newgame(words);
}

Result<void> Session::setscore(Words words) {
  if (const Result<void> fits = only_ubgi("setscore"); !fits) return fits;
  constexpr std::uint64_t kMost = 1'000'000;
  const std::optional<std::uint64_t> first = number(words.next(), kMost);
  const std::optional<std::uint64_t> second = number(words.next(), kMost);
  if (!first || !second || !words.empty()) {
    return refuse(Code::kBadArgument, "setscore takes two whole numbers of points");
  }
  score_ = {static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*second)};
  return {};
}

Result<void> Session::setcube(Words words) {
  if (const Result<void> fits = only_ubgi("setcube"); !fits) return fits;
  constexpr std::uint64_t kMost = 1u << 24;
  std::uint32_t cube = cube_;
  std::string owner = cube_owner_;
  if (words.empty()) return refuse(Code::kBadArgument, "setcube takes value <N> owner <player>");
  while (!words.empty()) {
    const std::string_view word = words.next();
    const std::string_view value = words.next();
    if (word == "value") {
      const std::optional<std::uint64_t> told = number(value, kMost);
      if (!told || !std::has_single_bit(*told)) {
        return refuse(Code::kBadArgument,
                      fmt::format("a cube shows a power of two, not {}", in_quotes(value)));
      }
      cube = static_cast<std::uint32_t>(*told);
    } else if (word == "owner") {
      if (value != "center" && value != "p0" && value != "p1") {
        return refuse(
            Code::kBadArgument,
            fmt::format("the cube's owner is center, p0 or p1, not {}", in_quotes(value)));
      }
      owner = value;
    } else {
      return refuse(Code::kBadArgument,
                    fmt::format("setcube does not know the word {}", in_quotes(word)));
    }
  }
  cube_ = cube;
  cube_owner_ = std::move(owner);
  return {};
}

Result<void> Session::setturn(Words words) {
  if (const Result<void> fits = only_ubgi("setturn"); !fits) return fits;
  const Result<Player> player = parse_player(words.next());
  if (!player) return player.error();
  if (!words.empty()) return refuse(Code::kBadArgument, "setturn takes one player, p0 or p1");
  const Result<AnyState> state = any_state();
  if (!state) return state.error();
  const Result<void> set = set_position(with_player_on_roll(*state, *player));
  if (set) turn_ = *player;
  return set;
}

Result<void> Session::dice(Words words) {
  if (const Result<void> fits = only_ubgi("dice"); !fits) return fits;
  const std::optional<std::uint64_t> first = number(words.next(), 6);
  const std::optional<std::uint64_t> second = number(words.next(), 6);
  if (!first || !second || !words.empty()) {
    return refuse(Code::kBadArgument, "dice takes two numbers, 1 to 6 each");
  }
  const Result<AnyState> state = any_state();
  if (!state) return state.error();
  return set_position(with_dice(*state, static_cast<int>(*first), static_cast<int>(*second)));
}

}  // namespace senet::protocol
