// The session's UBGI words: what surrounds a decision.
#include <bit>

#include "tools/protocol/session.hpp"

namespace senet::protocol {

Result<void> Session::newsession(Words words) {
  const Result<Contest> contest = parse_newsession(words);
  if (!contest) return contest.error();
  contest_ = *contest;
  score_ = {};
  return newgame(words);
}

Result<void> Session::setscore(Words words) {
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
  constexpr std::uint64_t kMost = 1u << 24;
  std::uint32_t cube = cube_;
  std::string owner = cube_owner_;
  if (words.empty()) return refuse(Code::kBadArgument, "setcube takes value <N> owner <player>");
  while (!words.empty()) {
    const std::string_view word = words.next();
    const std::string_view value = words.next();
    if (word == "value") {
      const std::uint64_t shown = number(value, kMost).value_or(0);
      if (!std::has_single_bit(shown)) {
        return refuse(Code::kBadArgument, "a cube shows a power of two, not {}", in_quotes(value));
      }
      cube = static_cast<std::uint32_t>(shown);
    } else if (word == "owner") {
      const auto known = choice("the cube's owner", value, {"center", "p0", "p1"});
      if (!known) return known.error();
      owner = value;
    } else {
      return refuse(Code::kBadArgument, "setcube does not know the word {}", in_quotes(word));
    }
  }
  cube_ = cube;
  cube_owner_ = std::move(owner);
  return {};
}

Result<void> Session::setturn(Words words) {
  const Result<std::size_t> chosen = choice("a player", words.next(), {"p0", "p1"});
  if (!chosen) return chosen.error();
  if (!words.empty()) return refuse(Code::kBadArgument, "setturn takes one player, p0 or p1");
  const auto player = static_cast<Player>(*chosen);
  const Result<void> set = set_position(with_player_on_roll(position_, player));
  if (set) turn_ = player;
  return set;
}

Result<void> Session::dice(Words words) {
  const std::optional<std::uint64_t> first = number(words.next(), 6);
  const std::optional<std::uint64_t> second = number(words.next(), 6);
  if (!first || !second || !words.empty()) {
    return refuse(Code::kBadArgument, "dice takes two numbers, 1 to 6 each");
  }
  return set_position(with_dice(position_, static_cast<int>(*first), static_cast<int>(*second)));
}

}  // namespace senet::protocol
