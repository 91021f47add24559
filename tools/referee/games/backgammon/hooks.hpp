// What backgammon adds to the senet program: GNU Backgammon as a player, and senet label.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>

#include "tools/play/players.hpp"
#include "tools/referee/games/backgammon/gnubg.hpp"

namespace senet {

/// Parses a player name "gnubg:PLY" or "gnubg:PLY:full". Returns nullopt when the text does not
/// begin with "gnubg", and an error when it does but is malformed.
inline std::optional<Result<GnubgSettings>> parse_gnubg(std::string_view text) {
  if (!text.starts_with("gnubg")) return std::nullopt;
  for (int ply = 0; ply <= kMaxGnubgPly; ++ply) {
    const std::string word = fmt::format("gnubg:{}", ply);
    if (text == word || text == word + ":full") {
      return GnubgSettings{.ply = ply, .full = text != word};
    }
  }
  return fail(fmt::format("\"{}\" is not gnubg:PLY or gnubg:PLY:full with PLY 0 .. {}", text,
                          kMaxGnubgPly));
}

/// Adds senet label (label_command.cpp).
void add_label_command(const Command& program);

template <>
struct GameHooks<Backgammon> {
  static constexpr std::string_view kPlayerWords = "gnubg:PLY[:full]";
  static constexpr std::string_view kPlayerHelp =
      "GNU Backgammon (the program gnubg) at PLY 0 .. 2; with full, without its move filter: every "
      "legal move is evaluated at PLY plies";
  static bool is_player(std::string_view word) { return parse_gnubg(word).has_value(); }
  static Result<PlayerHolder> make_player(const std::string& word, const PlayerSettings& settings) {
    Result<GnubgSettings> gnubg = *parse_gnubg(word);
    if (!gnubg) return gnubg.error();
    gnubg->answer_time = milliseconds_of(settings.answer_seconds);
    return make_process_player(MoveProcess::starter<Gnubg>(*gnubg), word, settings);
  }
  static void add_commands(const Command& program) { add_label_command(program); }
};

}  // namespace senet
