// Texts of backgammon positions: position ids (games/backgammon/board.hpp), our own text, which
// contains one, and XGIDs.
//
// XGID: eXtreme Gammon's position text. Its cube and match fields are validated and ignored.
//
//   XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10
//        |                          | | | |  | | | | |
//        |                          | | | |  | | | | largest cube, as a power of two
//        |                          | | | |  | | | match length, 0 for money
//        |                          | | | |  | | rules: Jacoby 1 + beavers 2; Crawford game 1
//        |                          | | | |  | score of the player at the top
//        |                          | | | |  score of the player at the bottom
//        |                          | | | dice, 00 before the roll
//        |                          | | on roll: 1 bottom, -1 top
//        |                          | cube owner: 1 bottom, -1 top, 0 centred
//        |                          cube, as a power of two
//        26 places, numbered from the bottom player's perspective
//
// Places: the top player's bar, points 1..24, the bottom player's bar; A..O for 1..15 checkers of
// the bottom player, a..o for those of the top player, - for none.
#include <fmt/core.h>

#include <array>
#include <numeric>

#include "games/backgammon/backgammon.hpp"
#include "games/fields.hpp"

namespace senet {
namespace backgammon {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kBits = 80;

// A position id numbers the bits of a byte from the lowest, base64 from the highest.
constexpr std::size_t letter_of(std::size_t bit) { return (bit ^ 7) / 6; }
constexpr unsigned mask_of(std::size_t bit) { return 32u >> (bit ^ 7) % 6; }

constexpr std::string_view kPrefix = "XGID=";
constexpr std::size_t kXgidPlaces = 26;
constexpr std::size_t kFields = 10;  // the places and nine numbers

// The board from the perspective of the player at the bottom.
Result<Board> read_places(std::string_view places) {
  if (places.size() != kXgidPlaces) {
    return fail(fmt::format("an XGID has {} places, this one {}", kXgidPlaces, places.size()));
  }
  Board board;
  for (std::size_t place = 0; place < kXgidPlaces; ++place) {
    const char c = places[place];
    if (c >= 'A' && c <= 'O' && place != 0) {
      board.on_roll[place] = static_cast<std::uint8_t>(c - 'A' + 1);
    } else if (c >= 'a' && c <= 'o' && place != kBar) {
      board.waiting[25 - place] = static_cast<std::uint8_t>(c - 'a' + 1);
    } else if (c != '-') {
      return fail(fmt::format("'{}' is not allowed at place {} of an XGID", c, place));
    }
  }
  return with_borne_off(board);
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
    return fail(fmt::format("'{}' in position id '{}' is not a base64 character", text[i], text));
  }
  // The last character has four bits more than the ten bytes.
  if ((letters.back() & 15) != 0) return wrong(" has bits beyond its end");
  const auto bit = [&](std::size_t index) {
    return (letters[letter_of(index)] & mask_of(index)) != 0;
  };
  std::size_t next = 0;
  Board board;
  for (Checkers* checkers : {&board.waiting, &board.on_roll}) {
    for (std::size_t place = 1; place <= kBar; ++place, ++next) {
      for (; next < kBits && bit(next); ++next) ++(*checkers)[place];
      if (next >= kBits) return wrong(" ends before the last place");
    }
    const int all = std::accumulate(checkers->begin(), checkers->end(), 0);
    if (all > kCheckers) {
      return wrong(fmt::format(": a player has {} checkers, more than {}", all, kCheckers));
    }
  }
  for (; next < kBits; ++next) {
    if (bit(next)) return wrong(" has bits after the last place");
  }
  const Result<Board> complete = with_borne_off(board);
  return complete ? complete : wrong(": " + complete.error().reason());
}

}  // namespace backgammon

using namespace backgammon;

std::string Backgammon::text() const {
  const std::string roll = dice_.high != 0 ? fmt::format("{}{}", dice_.high, dice_.low)
                           : opening_ != 0 ? "open"
                                           : "-";
  return fmt::format("{}:{}:{}", position_id(board()), on_roll_, roll);
}

std::string Backgammon::xgid() const {
  const auto& [bottom, top] = checkers_;
  std::string text(kPrefix);
  for (std::size_t place = 0; place < kXgidPlaces; ++place) {
    if (place != 0 && bottom[place] > 0) {
      text.push_back(static_cast<char>('A' + bottom[place] - 1));
    } else if (place != kBar && top[25 - place] > 0) {
      text.push_back(static_cast<char>('a' + top[25 - place] - 1));
    } else {
      text.push_back('-');
    }
  }
  return text +
         fmt::format(":0:0:{}:{}{}:0:0:0:0:10", on_roll_ == 0 ? 1 : -1, dice_.high, dice_.low);
}

Result<Backgammon> Backgammon::from_xgid(std::string_view text) {
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  const std::vector<std::string_view> fields = split(text, ":");
  if (fields.size() != kFields) {
    return fail(fmt::format("an XGID has {} fields between colons", kFields));
  }
  const Result<Board> board = read_places(fields[0]);
  if (!board) return board.error();
  const std::string_view roll = fields[4];
  if (roll == "D" || roll == "B" || roll == "R") {
    return fail("this XGID is a cube decision, not a checker play");
  }
  const std::optional<Dice> dice = make_dice(roll);
  if (!dice && roll != "00") {
    return fail(fmt::format("the dice of an XGID are two digits 1..6 or 00, not '{}'", roll));
  }
  struct Number {
    std::size_t field;
    int least, most;
    std::string_view what;
  };
  constexpr std::size_t kOnRoll = 3;
  constexpr int kMaxPoints = 99999;
  constexpr Number kNumbers[] = {{1, 0, 30, "cube"},
                                 {2, -1, 1, "cube owner"},
                                 {kOnRoll, -1, 1, "player on roll"},
                                 {5, 0, kMaxPoints, "score"},
                                 {6, 0, kMaxPoints, "score"},
                                 {7, 0, 3, "rules field"},
                                 {8, 0, kMaxPoints, "match length"},
                                 {9, 0, 30, "largest cube"}};
  int on_roll = 0;
  for (const auto& [field, least, most, what] : kNumbers) {
    const std::optional<int> number = number_of(fields[field], least, most);
    if (!number) {
      return fail(
          fmt::format("the {} of an XGID is {}..{}, not '{}'", what, least, most, fields[field]));
    }
    if (field == kOnRoll) on_roll = *number;
  }
  if (on_roll == 0) return fail("the player on roll of an XGID is 1 or -1");
  return on_roll == 1 ? from_board(*board, 0, dice)
                      : from_board({board->waiting, board->on_roll}, 1, dice);
}

Result<Backgammon> Backgammon::from_text(std::string_view text) {
  // An XGID's first colon follows its 26 places. In our own text it follows a shorter position id.
  if (text.starts_with(kPrefix) || text.find(':') == kXgidPlaces) return from_xgid(text);
  const std::vector<std::string_view> fields = split(text, ":");
  if (fields.size() == 1) return from_position_id(text, 0);
  if (fields.size() != 3 || (fields[1] != "0" && fields[1] != "1")) {
    return fail(fmt::format("expected 'position id:player 0 or 1:dice', not '{}'", text));
  }
  const std::string_view roll = fields[2];
  const std::optional<Dice> dice = make_dice(roll);
  if (!dice && roll != "-" && roll != "open") {
    return fail(fmt::format("dice are two digits 1..6, '-' or 'open', not '{}'", roll));
  }
  Result<Backgammon> state =
      from_position_id(fields[0], static_cast<Player>(fields[1] == "1"), dice);
  if (state && roll == "open" && !state->is_over()) state->opening_ = 1;
  return state;
}

}  // namespace senet
