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
    return bad_argument("setscore takes two whole numbers of points");
  }
  score_ = {static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*second)};
  return {};
}

Result<void> Session::setcube(Words words) {
  constexpr std::uint64_t kMost = 1u << 24;
  std::uint32_t cube = cube_;
  std::string owner = cube_owner_;
  if (words.empty()) return bad_argument("setcube takes value <N> owner <player>");
  while (!words.empty()) {
    const std::string_view word = words.next();
    const std::string_view value = words.next();
    if (word == "value") {
      const std::uint64_t shown = number(value, kMost).value_or(0);
      if (!std::has_single_bit(shown)) {
        return bad_argument("a cube shows a power of two, not {}", in_quotes(value));
      }
      cube = static_cast<std::uint32_t>(shown);
    } else if (word == "owner") {
      const auto known = choice("the cube's owner", value, {"center", "p0", "p1"});
      if (!known) return known.error();
      owner = value;
    } else {
      return bad_argument("setcube does not know the word {}", in_quotes(word));
    }
  }
  cube_ = cube;
  cube_owner_ = std::move(owner);
  return {};
}

Result<void> Session::setturn(Words words) {
  const Result<std::size_t> chosen = choice("a player", words.next(), {"p0", "p1"});
  if (!chosen) return chosen.error();
  if (!words.empty()) return bad_argument("setturn takes one player, p0 or p1");
  const auto with_player_on_roll = engine_.game().with_player_on_roll;
  if (with_player_on_roll == nullptr) {
    return other_games(engine_.game(),
                       [](const AnyGame& any) { return any.with_player_on_roll != nullptr; });
  }
  const auto player = static_cast<Player>(*chosen);
  const Result<AnyState> turned = with_player_on_roll(position_, player);
  if (!turned) return refuse(Code::kIllegalPosition, turned.error());
  turn_ = player;
  return set_position(*turned);
}

Result<void> Session::dice(Words words) {
  const std::optional<std::uint64_t> first = number(words.next(), 6);
  const std::optional<std::uint64_t> second = number(words.next(), 6);
  if (!first || !second || !words.empty()) {
    return bad_argument("dice takes two numbers, 1 to 6 each");
  }
  const auto with_dice = engine_.game().with_dice;
  if (with_dice == nullptr) {
    return other_games(engine_.game(), [](const AnyGame& any) { return any.with_dice != nullptr; });
  }
  if (position_.turn() == Turn::kOver) return refuse(Code::kGameOver, "the game is over");
  return set_position(with_dice(position_, static_cast<int>(*first), static_cast<int>(*second)));
}

}  // namespace senet::protocol
