#include "games/backgammon/position_id.hpp"

#include <fmt/core.h>

#include <array>

namespace senet::backgammon {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using Bytes = std::array<std::uint8_t, 10>;
constexpr std::size_t kBits = 80;

bool bit(const Bytes& bytes, std::size_t index) { return bytes[index / 8] >> (index % 8) & 1; }

// Reads one player's checkers from bit `next` on and moves `next` behind them.
Result<Checkers> read_checkers(const Bytes& bytes, std::size_t& next) {
  Checkers checkers{};
  for (std::size_t place = 1; place <= kBar; ++place) {
    for (; next < kBits && bit(bytes, next); ++next) ++checkers[place];
    if (next == kBits) return fail("the position id ends before all points are told");
    ++next;
  }
  return with_borne_off(checkers);
}

}  // namespace

std::string position_id(const Board& board) {
  Bytes bytes{};
  std::size_t next = 0;
  for (const Checkers* checkers : {&board.waiting, &board.on_roll}) {
    for (std::size_t place = 1; place <= kBar; ++place, ++next) {
      for (int i = 0; i < (*checkers)[place]; ++i, ++next) {
        bytes[next / 8] = static_cast<std::uint8_t>(bytes[next / 8] | 1u << (next % 8));
      }
    }
  }
  std::string text;
  text.reserve(kPositionIdLength);
  // Base64 reads bits from the top of each byte; the four bits behind the tenth byte are 0.
  for (std::size_t first = 0; first < kPositionIdLength * 6; first += 6) {
    unsigned letter = 0;
    for (std::size_t i = first; i < first + 6; ++i) {
      letter = letter << 1 | (i < kBits ? bytes[i / 8] >> (7 - i % 8) & 1u : 0u);
    }
    text.push_back(kBase64[letter]);
  }
  return text;
}

Result<Board> board_from_position_id(std::string_view text) {
  if (text.size() != kPositionIdLength) {
    return fail(fmt::format("a position id has {} characters, '{}' has {}", kPositionIdLength, text,
                            text.size()));
  }
  Bytes bytes{};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t letter = kBase64.find(text[i]);
    if (letter == std::string_view::npos) {
      return fail(fmt::format("'{}' in position id '{}' is no base64 character", text[i], text));
    }
    for (std::size_t j = 0; j < 6; ++j) {
      if ((letter >> (5 - j) & 1) == 0) continue;
      const std::size_t index = i * 6 + j;
      if (index >= kBits)
        return fail(fmt::format("position id '{}' has bits beyond its end", text));
      bytes[index / 8] = static_cast<std::uint8_t>(bytes[index / 8] | 1u << (7 - index % 8));
    }
  }
  std::size_t next = 0;
  Board board;
  for (Checkers* checkers : {&board.waiting, &board.on_roll}) {
    const Result<Checkers> read = read_checkers(bytes, next);
    if (!read) return fail(fmt::format("position id '{}': {}", text, read.error().reason()));
    *checkers = *read;
  }
  for (; next < kBits; ++next) {
    if (bit(bytes, next)) return fail(fmt::format("position id '{}' tells too many points", text));
  }
  if (const Result<void> checked = check(board); !checked) {
    return fail(fmt::format("position id '{}': {}", text, checked.error().reason()));
  }
  return board;
}

}  // namespace senet::backgammon
