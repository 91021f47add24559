#include "games/cube2/cube2.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
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

// The images of the cube: rotations about the diagonal through URF and DBL, and their mirror
// images. DBL stays where it is.
constexpr std::size_t kImages = 6;
constexpr std::size_t kPlaces = Cube2::kPositions.size();  // DBL too

struct Image {
  // [position][3 * corner + orientation] the byte of what is there, at its place in the image.
  std::array<std::array<std::uint64_t, Cube2::kTurnedCorners>, Cube2::kCorners> bytes;
  std::array<std::uint8_t, Cube2::kMaxLegal> actions;
};

// `faces`: what the faces U D L R F B become.
constexpr Image image_of(std::string_view faces) {
  const auto of = [faces](char face) { return faces[std::string_view("UDLRFB").find(face)]; };
  // Where the sticker of each position's axis 0 goes: a position and an axis.
  std::array<std::size_t, kPlaces> place{}, axis{};
  bool is_mirror = false;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const std::string_view from = Cube2::kPositions[i];
    for (std::size_t to = 0; to < kPlaces; ++to) {
      const std::size_t first = Cube2::kPositions[to].find(of(from[0]));
      const std::size_t second = Cube2::kPositions[to].find(of(from[1]));
      const std::size_t third = Cube2::kPositions[to].find(of(from[2]));
      if (first > 2 || second > 2 || third > 2) continue;
      place[i] = to;
      axis[i] = first;
      is_mirror = second == (first + 2) % 3;
    }
  }
  Image image{};
  for (std::size_t i = 0; i < Cube2::kCorners; ++i) {
    for (std::size_t turned = 0; turned < Cube2::kTurnedCorners; ++turned) {
      const std::size_t corner = turned / 3;
      const std::size_t orientation = is_mirror ? 3 - turned % 3 : turned % 3;
      const std::size_t seen = (orientation + axis[i] + 3 - axis[corner]) % 3;
      image.bytes[i][turned] = std::uint64_t{place[corner] | seen << 4} << 8 * place[i];
    }
  }
  for (std::size_t action = 0; action < Cube2::kMaxLegal; ++action) {
    const std::size_t face = kFaces.find(of(kFaces[action / 3]));
    const std::size_t turns = is_mirror ? 2 - action % 3 : action % 3;
    image.actions[action] = static_cast<std::uint8_t>(3 * face + turns);
  }
  return image;
}
constexpr std::array<Image, kImages> kAllImages = {image_of("UDLRFB"), image_of("RLBFUD"),
                                                   image_of("FBDURL"), image_of("UDBFRL"),
                                                   image_of("RLDUFB"), image_of("FBLRUD")};

// The image whose bytes are the least number, so that all images of a cube have the same.
struct LeastImage {
  explicit LeastImage(const Cube2& cube) {
    std::array<std::size_t, Cube2::kCorners> turned;
    for (std::size_t i = 0; i < turned.size(); ++i) {
      turned[i] = 3 * cube.corner(i) + cube.orientation(i);
    }
    for (const Image& other : kAllImages) {
      std::uint64_t all = 0;
      for (std::size_t i = 0; i < turned.size(); ++i) all |= other.bytes[i][turned[i]];
      if (all < bytes) bytes = all, image = &other;
    }
  }
  std::uint64_t bytes = ~std::uint64_t{0};
  const Image* image = nullptr;
};

}  // namespace

void Cube2::encode(FeatureRow& row) const {
  const std::uint64_t bytes = LeastImage(*this).bytes;
  std::array<std::size_t, kCorners> turned;
  for (std::size_t i = 0; i < kCorners; ++i) {
    turned[i] = 3 * (bytes >> 8 * i & 7) + (bytes >> (8 * i + 4) & 3);
    row.add(kTurnedCorners * i + turned[i], 1.0f);
  }
  std::size_t pair = kCorners;
  for (std::size_t i = 0; i < kCorners; ++i) {
    for (std::size_t j = i + 1; j < kCorners; ++j) {
      row.add(kTurnedCorners * pair + kTurnedCorners * turned[i] + turned[j], 1.0f);
      pair += kTurnedCorners;
    }
  }
}

std::array<std::uint16_t, Cube2::kLogitsPerAction> Cube2::logits_of(Action action) const {
  return {LeastImage(*this).image->actions[action]};
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

}  // namespace senet
