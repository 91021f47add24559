#include "games/backgammon/text.hpp"

#include <fmt/core.h>

#include <array>

#include "games/backgammon/backgammon.hpp"
#include "games/fields.hpp"

namespace senet {
namespace backgammon {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kBits = 80;

// Bits of a position id count from the lowest of each byte, those of base64 from the highest.
constexpr std::size_t letter_of(std::size_t bit) { return (bit ^ 7) / 6; }
constexpr unsigned mask_of(std::size_t bit) { return 32u >> (bit ^ 7) % 6; }

constexpr std::string_view kPrefix = "XGID=";
constexpr std::size_t kPlaces = 26;
constexpr std::size_t kFields = 10;  // the places and nine numbers

// The letter of `count` checkers, from `first` ('A' or 'a') on.
char letter(char first, std::uint8_t count) { return static_cast<char>(first + count - 1); }

Result<void> read_places(std::string_view places, Xgid& xgid) {
  if (places.size() != kPlaces) {
    return fail(fmt::format("an XGID tells {} places, this one {}", kPlaces, places.size()));
  }
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const char c = places[place];
    if (c >= 'A' && c <= 'O' && place != 0) {
      xgid.bottom[place] = static_cast<std::uint8_t>(c - 'A' + 1);
    } else if (c >= 'a' && c <= 'o' && place != kBar) {
      xgid.top[25 - place] = static_cast<std::uint8_t>(c - 'a' + 1);
    } else if (c != '-') {
      return fail(fmt::format("'{}' cannot stand at place {} of an XGID", c, place));
    }
  }
  for (Checkers* checkers : {&xgid.bottom, &xgid.top}) {
    const Result<Checkers> complete = with_borne_off(*checkers);
    if (!complete) return complete.error();
    *checkers = *complete;
  }
  return check({xgid.bottom, xgid.top});
}

}  // namespace

std::string position_id(const Board& board) {
  std::array<unsigned, kPositionIdLength> letters{};
  std::size_t next = 0;
  for (const Checkers* checkers : {&board.waiting, &board.on_roll}) {
    for (std::size_t place = 1; place <= kBar; ++place, ++next) {
      for (int i = 0; i < (*checkers)[place]; ++i, ++next)
        letters[letter_of(next)] |= mask_of(next);
    }
  }
  std::string text;
  for (const unsigned value : letters) text.push_back(kBase64[value]);
  return text;
}

Result<Board> board_from_position_id(std::string_view text) {
  if (text.size() != kPositionIdLength) {
    return fail(fmt::format("a position id has {} characters, '{}' has {}", kPositionIdLength, text,
                            text.size()));
  }
  const auto wrong = [&](std::string_view reason) {
    return fail(fmt::format("position id '{}'{}", text, reason));
  };
  std::array<std::size_t, kPositionIdLength> letters;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    letters[i] = kBase64.find(text[i]);
    if (letters[i] < kBase64.size()) continue;
    return fail(fmt::format("'{}' in position id '{}' is no base64 character", text[i], text));
  }
  // The last letter has four bits more than the ten bytes.
  if ((letters.back() & 15) != 0) return wrong(" has bits beyond its end");
  const auto bit = [&](std::size_t index) {
    return (letters[letter_of(index)] & mask_of(index)) != 0;
  };
  std::size_t next = 0;
  Board board;
  for (Checkers* checkers : {&board.waiting, &board.on_roll}) {
    for (std::size_t place = 1; place <= kBar; ++place, ++next) {
      for (; next < kBits && bit(next); ++next) ++(*checkers)[place];
      if (next >= kBits) return wrong(": the position id ends before all points are told");
    }
    const Result<Checkers> complete = with_borne_off(*checkers);
    if (!complete) return wrong(": " + complete.error().reason());
    *checkers = *complete;
  }
  for (; next < kBits; ++next) {
    if (bit(next)) return wrong(" tells too many points");
  }
  const Result<void> checked = check(board);
  if (!checked) return wrong(": " + checked.error().reason());
  return board;
}

std::string xgid_text(const Xgid& xgid) {
  std::string text(kPrefix);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (place != 0 && xgid.bottom[place] > 0) {
      text.push_back(letter('A', xgid.bottom[place]));
    } else if (place != kBar && xgid.top[25 - place] > 0) {
      text.push_back(letter('a', xgid.top[25 - place]));
    } else {
      text.push_back('-');
    }
  }
  const Dice dice = xgid.dice.value_or(Dice{});
  return text + fmt::format(":{}:{}:{}:{}{}:{}:{}:{}:{}:{}", xgid.cube_log2, xgid.cube_owner,
                            xgid.bottom_on_roll ? 1 : -1, dice.high, dice.low, xgid.score_bottom,
                            xgid.score_top, xgid.rules, xgid.match_length, xgid.max_cube_log2);
}

Result<Xgid> parse_xgid(std::string_view text) {
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  const std::vector<std::string_view> fields = split(text, ":");
  if (fields.size() != kFields) {
    return fail(fmt::format("an XGID has {} fields between colons", kFields));
  }
  Xgid xgid;
  if (const Result<void> places = read_places(fields[0], xgid); !places) return places.error();
  const std::string_view dice = fields[4];
  if (dice == "D" || dice == "B" || dice == "R") {
    return fail("this XGID asks about the cube, not about a play");
  }
  xgid.dice = make_dice(dice);
  if (!xgid.dice && dice != "00") {
    return fail(fmt::format("the dice of an XGID are two digits 1..6 or 00, not '{}'", dice));
  }
  struct Number {
    std::size_t field;
    int least, most;
    std::string_view what;
    int* to;
  };
  constexpr int kMostPoints = 99999;
  int on_roll = 1;
  const std::array<Number, 8> numbers{{{1, 0, 30, "cube", &xgid.cube_log2},
                                       {2, -1, 1, "cube owner", &xgid.cube_owner},
                                       {3, -1, 1, "player on roll", &on_roll},
                                       {5, 0, kMostPoints, "score", &xgid.score_bottom},
                                       {6, 0, kMostPoints, "score", &xgid.score_top},
                                       {7, 0, 3, "rules", &xgid.rules},
                                       {8, 0, kMostPoints, "match length", &xgid.match_length},
                                       {9, 0, 30, "largest cube", &xgid.max_cube_log2}}};
  for (const auto& [field, least, most, what, to] : numbers) {
    const std::optional<int> number = parse_number(fields[field], least, most);
    if (!number) {
      return fail(
          fmt::format("the {} of an XGID is {}..{}, not '{}'", what, least, most, fields[field]));
    }
    *to = *number;
  }
  if (on_roll == 0) return fail("the player on roll of an XGID is 1 or -1");
  xgid.bottom_on_roll = on_roll == 1;
  return xgid;
}

}  // namespace backgammon

using backgammon::Xgid;

std::string Backgammon::text() const {
  const std::string roll = dice_.high != 0 ? fmt::format("{}{}", dice_.high, dice_.low)
                           : opening_ != 0 ? "open"
                                           : "-";
  return fmt::format("{}:{}:{}", backgammon::position_id(board()), on_roll_, roll);
}

std::string Backgammon::xgid() const {
  return backgammon::xgid_text({.bottom = checkers_[0],
                                .top = checkers_[1],
                                .bottom_on_roll = on_roll_ == 0,
                                .dice = dice()});
}

Result<Backgammon> Backgammon::from_text(std::string_view text) {
  // An XGID's places are followed by nine fields; our own text has two colons.
  if (text.starts_with(backgammon::kPrefix) || text.find(':') == backgammon::kPlaces) {
    const Result<Xgid> xgid = backgammon::parse_xgid(text);
    if (!xgid) return xgid.error();
    if (xgid->bottom_on_roll) return from_board({xgid->bottom, xgid->top}, 0, xgid->dice);
    return from_board({xgid->top, xgid->bottom}, 1, xgid->dice);
  }
  const std::vector<std::string_view> fields = split(text, ":");
  if (fields.size() == 1) return from_position_id(text, 0);
  if (fields.size() != 3 || (fields[1] != "0" && fields[1] != "1")) {
    return fail(fmt::format("expected 'position id:player 0 or 1:dice', not '{}'", text));
  }
  const std::string_view roll = fields[2];
  const std::optional<backgammon::Dice> dice = backgammon::make_dice(roll);
  if (!dice && roll != "-" && roll != "open") {
    return fail(fmt::format("dice are two digits 1..6, '-' or 'open', not '{}'", roll));
  }
  Result<Backgammon> state =
      from_position_id(fields[0], static_cast<Player>(fields[1] == "1"), dice);
  if (state && roll == "open" && !state->is_over()) state->opening_ = 1;
  return state;
}

}  // namespace senet
