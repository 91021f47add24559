#include "games/backgammon/xgid.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>

namespace senet::backgammon {
namespace {

constexpr std::string_view kPrefix = "XGID=";
constexpr std::size_t kPlaces = 26;
constexpr std::size_t kFields = 10;  // the places and nine numbers

// The letter of `count` checkers, from `first` ('A' or 'a') on.
char letter(char first, std::uint8_t count) { return static_cast<char>(first + count - 1); }

Result<std::array<std::string_view, kFields>> split(std::string_view text) {
  std::array<std::string_view, kFields> fields;
  for (std::size_t i = 0; i < kFields; ++i) {
    const std::size_t colon = text.find(':');
    if ((colon == std::string_view::npos) != (i + 1 == kFields)) {
      return fail(fmt::format("an XGID has {} fields between colons", kFields));
    }
    fields[i] = text.substr(0, colon);
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  }
  return fields;
}

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
    if (!complete) return fail(complete.error().reason());
    *checkers = *complete;
  }
  return check({xgid.bottom, xgid.top});
}

Result<int> read_number(std::string_view text, int least, int most, std::string_view what) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most) {
    return fail(fmt::format("the {} of an XGID is {}..{}, not '{}'", what, least, most, text));
  }
  return number;
}

Result<std::optional<Dice>> read_dice(std::string_view text) {
  if (text == "00") return std::nullopt;
  if (text == "D" || text == "B" || text == "R") {
    return fail("this XGID asks about the cube, not about a play");
  }
  const std::optional<Dice> dice =
      text.size() == 2 ? make_dice(text[0] - '0', text[1] - '0') : std::nullopt;
  if (!dice)
    return fail(fmt::format("the dice of an XGID are two digits 1..6 or 00, not '{}'", text));
  return dice;
}

}  // namespace

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
  const auto fields = split(text);
  if (!fields) return fail(fields.error().reason());
  Xgid xgid;
  if (const Result<void> places = read_places((*fields)[0], xgid); !places) {
    return fail(places.error().reason());
  }
  const Result<std::optional<Dice>> dice = read_dice((*fields)[4]);
  if (!dice) return fail(dice.error().reason());
  xgid.dice = *dice;

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
  for (const Number& number : numbers) {
    const Result<int> read =
        read_number((*fields)[number.field], number.least, number.most, number.what);
    if (!read) return fail(read.error().reason());
    *number.to = *read;
  }
  if (on_roll == 0) return fail("the player on roll of an XGID is 1 or -1");
  xgid.bottom_on_roll = on_roll == 1;
  return xgid;
}

}  // namespace senet::backgammon
