// A state of backgammon as text and back. The notation of turns is in
// games/backgammon_notation.cpp.
#include <fmt/core.h>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/xgid.hpp"

namespace senet {

using backgammon::Dice;
using backgammon::Xgid;

std::string Backgammon::text() const {
  std::string roll = "-";
  if (dice_.high != 0) {
    roll = fmt::format("{}{}", dice_.high, dice_.low);
  } else if (opening_ != 0) {
    roll = "open";
  }
  return fmt::format("{}:{}:{}", backgammon::position_id(board()), on_roll_, roll);
}

std::string Backgammon::xgid() const {
  Xgid xgid;
  xgid.bottom = checkers_[0];
  xgid.top = checkers_[1];
  xgid.bottom_on_roll = on_roll_ == 0;
  xgid.dice = dice();
  return backgammon::xgid_text(xgid);
}

Result<Backgammon> Backgammon::from_text(std::string_view text) {
  // An XGID's places are followed by nine fields; our own text has two colons.
  if (text.starts_with("XGID=") || text.find(':') == 26) {
    const Result<Xgid> xgid = backgammon::parse_xgid(text);
    if (!xgid) return fail(xgid.error().reason());
    if (xgid->bottom_on_roll) return from_board({xgid->bottom, xgid->top}, 0, xgid->dice);
    return from_board({xgid->top, xgid->bottom}, 1, xgid->dice);
  }
  const std::size_t first = text.find(':');
  const std::string_view id = text.substr(0, first);
  if (first == std::string_view::npos) return from_position_id(id, 0);

  const std::string_view rest = text.substr(first + 1);
  const std::size_t second = rest.find(':');
  const std::string_view player = rest.substr(0, second);
  if (second == std::string_view::npos || (player != "0" && player != "1")) {
    return fail(fmt::format("expected 'position id:player 0 or 1:dice', not '{}'", text));
  }
  BackgammonStart options{.position_id = id,
                          .on_roll = static_cast<Player>(player[0] - '0'),
                          .first_roll = FirstRoll::kAny};
  const std::string_view roll = rest.substr(second + 1);
  if (roll == "open") {
    options.first_roll = FirstRoll::kOpening;
  } else if (roll != "-") {
    const std::optional<Dice> dice =
        roll.size() == 2 ? backgammon::make_dice(roll[0] - '0', roll[1] - '0') : std::nullopt;
    if (!dice) return fail(fmt::format("dice are two digits 1..6, '-' or 'open', not '{}'", roll));
    options.first_roll = FirstRoll::kGiven;
    options.dice = *dice;
  }
  return start(options);
}

}  // namespace senet
