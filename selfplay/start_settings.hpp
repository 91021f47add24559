// Settings of where self-play games start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "games/random.hpp"
#include "games/settings.hpp"
#include "senet/result.hpp"

namespace senet {

struct StartSettings {
  std::string sources = "game";  // see read_sources()
  std::uint32_t scramble_moves = 20;
  /// With a curriculum, scrambles have 1 move at first, and one more whenever this share of the
  /// last games was solved. 0: no curriculum.
  float curriculum = 0;
  std::uint32_t curriculum_games = 1000;
};

constexpr auto settings_of(std::type_identity<StartSettings>) {
  using S = StartSettings;
  constexpr SettingUse<S> kIfScrambles{
      .matters = [](const S& s) { return s.sources.find("scrambles") != std::string::npos; }};
  return std::tuple{
      setting("starts", &S::sources,
              "where games start, each with its share of them: game (its own start), scrambles "
              "(random moves from the end, in a game of one player), hard (positions of the run's "
              "own games that the search misjudged most) or file:FILE (a position on each line; no "
              "comma and no @ in its name)",
              {.unit = "SOURCE@SHARE,..."}),
      setting("scramble-moves", &S::scramble_moves,
              "most random moves of a scramble; each scramble draws its number from 1 on",
              {.least = 1, .most = 1000, .unit = "moves"}, kIfScrambles),
      setting("curriculum", &S::curriculum,
              "scrambles begin with 1 move and get one more whenever this share of the last games "
              "was solved, up to scramble-moves; 0: no curriculum",
              {.least = 0, .most = 1}, kIfScrambles),
      setting("curriculum-games", &S::curriculum_games,
              "number of these last games, counted anew after each raise",
              {.least = 1, .most = 1'000'000, .unit = "games"}, kIfScrambles),
  };
}

constexpr std::string_view settings_heading(std::type_identity<StartSettings>) { return "Games"; }

/// One source of StartSettings::sources.
struct StartSource {
  enum class Kind : std::uint8_t { kGame, kScrambles, kHard, kFile };

  Kind kind = Kind::kGame;
  std::string file;
  float share = 1;  // all shares add up to 1
};
/// Reads "game" or "game@0.8,file:bearoffs.txt@0.2": sources and their weights, which are 1 if left
/// out. Fails with the words that are wrong.
Result<std::vector<StartSource>> read_sources(std::string_view text);
/// The same text with absolute paths of files; unchanged if it cannot be read.
std::string with_absolute_files(const std::string& text);

/// The random stream of a game's start, and its first draw: the source, an index.
inline Random start_draws(std::uint64_t seed, std::uint64_t game) {
  return {seed, game, std::numeric_limits<std::uint32_t>::max() - 1, Purpose::kOpening};
}
inline std::size_t draw_source(std::span<const StartSource> sources, Random& draws) {
  return draws.pick(sources.size(), [&](std::size_t i) { return sources[i].share; });
}
inline bool has_source(std::span<const StartSource> sources, StartSource::Kind kind) {
  return std::ranges::find(sources, kind, &StartSource::kind) != sources.end();
}

}  // namespace senet
