#include "games/cube2/cube2.hpp"

#include <fmt/core.h>

#include <optional>

#include "games/fields.hpp"

namespace senet {
namespace {

constexpr std::string_view kFaces = "URF";

// A move at the front of `text`, which is removed from it; none if there is none.
std::optional<Action> take_move(std::string_view& text) {
  const std::size_t face = text.empty() ? kFaces.npos : kFaces.find(text.front());
  if (face == kFaces.npos) return std::nullopt;
  text.remove_prefix(1);
  std::size_t turns = 1;
  if (text.starts_with('2')) turns = 2;
  if (text.starts_with('\'')) turns = 3;
  if (turns > 1) text.remove_prefix(1);
  return static_cast<Action>(3 * face + turns - 1);
}

void skip_spaces(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}

}  // namespace

void Cube2::encode(FeatureRow& row) const {
  std::array<std::size_t, kCorners> at;
  for (std::size_t i = 0; i < kCorners; ++i) {
    at[i] = 3 * corner(i) + orientation(i);
    row.add(kTurnedCorners * i + at[i], 1.0f);
  }
  std::size_t pair = kCorners;
  for (std::size_t i = 0; i < kCorners; ++i) {
    for (std::size_t j = i + 1; j < kCorners; ++j) {
      row.add(kTurnedCorners * pair + kTurnedCorners * at[i] + at[j], 1.0f);
      pair += kTurnedCorners;
    }
  }
}

std::string Cube2::text() const {
  std::string corners, orientations;
  for (std::size_t i = 0; i < kCorners; ++i) {
    corners += static_cast<char>('0' + corner(i));
    orientations += static_cast<char>('0' + orientation(i));
  }
  return fmt::format("{}/{} {}", corners, orientations, moves_left());
}

Result<Cube2> Cube2::from_text(std::string_view text) {
  if (text == "startpos") return Cube2();
  const auto refuse = [text](std::string_view reason) {
    return fail(fmt::format("cube2 position \"{}\": {}", text, reason));
  };
  if (text.find('/') == std::string_view::npos) {
    Cube2 state = solved();
    std::string_view rest = text;
    skip_spaces(rest);
    if (rest.empty()) return refuse("neither a position nor a scramble");
    for (; !rest.empty(); skip_spaces(rest)) {
      const std::string_view before = rest;
      const std::optional<Action> move = take_move(rest);
      if (!move) return refuse(fmt::format("\"{}\" does not begin with a move, U R F", before));
      state.play(*move);
    }
    return state.as_start();
  }
  if (text.size() < 2 * kCorners + 1 || text[kCorners] != '/') {
    return refuse("not seven corners, a slash and seven orientations");
  }
  std::uint64_t cube = 0;
  unsigned seen = 0, twist = 0;
  for (std::size_t i = 0; i < kCorners; ++i) {
    const char corner = text[i], orientation = text[kCorners + 1 + i];
    if (corner < '0' || corner > '6') return refuse("a corner that is not 0 .. 6");
    if (orientation < '0' || orientation > '2') return refuse("an orientation that is not 0 .. 2");
    seen |= 1u << (corner - '0');
    twist += static_cast<unsigned>(orientation - '0');
    cube |= static_cast<std::uint64_t>((corner - '0') | (orientation - '0') << 4) << 8 * i;
  }
  if (seen != 0x7f) return refuse("a corner is there twice");
  if (twist % 3 != 0) return refuse("no moves reach it: the orientations do not add up");
  std::string_view rest = text.substr(2 * kCorners + 1);
  if (rest.empty()) return Cube2(cube, kMaxPlies);
  const auto moves_left = number_of<std::size_t>(rest.substr(1), 0, kMaxPlies);
  if (rest.front() != ' ' || !moves_left) {
    return refuse(fmt::format("after it must be a number of moves left, 0 .. {}", kMaxPlies));
  }
  return Cube2(cube, *moves_left);
}

std::string Cube2::action_text(Action action) {
  constexpr std::array<std::string_view, 3> kTurnTexts = {"", "2", "'"};
  return fmt::format("{}{}", kFaces[action / 3], kTurnTexts[action % 3]);
}

Result<Action> Cube2::action_from_text(std::string_view text) const {
  std::string_view rest = text;
  const std::optional<Action> move = take_move(rest);
  if (!move || !rest.empty()) {
    return fail(fmt::format("\"{}\" is not a move: U, R or F, alone or with 2 or '", text));
  }
  if (turn() == Turn::kOver) return fail(fmt::format("{}: the game is over", text));
  return *move;
}

Cube2 Cube2::mirrored() const {
  constexpr std::array<std::uint8_t, kCorners> kImage = {0, 3, 2, 1, 4, 6, 5};
  std::uint64_t image = 0;
  for (std::size_t i = 0; i < kCorners; ++i) {
    const std::uint64_t byte = kImage[corner(i)] | (3 - orientation(i)) % 3 << 4;
    image |= byte << 8 * kImage[i];
  }
  return Cube2(image, moves_left());
}

Action Cube2::mirrored(Action action) {
  constexpr std::array<Action, 3> kFace = {0, 2, 1};  // right and front change places
  return static_cast<Action>(3 * kFace[action / 3u] + 2 - action % 3);
}

}  // namespace senet
