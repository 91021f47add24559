// The commands that are sentences: what "go", "position" and "newsession" ask for, as values.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "games/any_game.hpp"
#include "tools/protocol/words.hpp"

namespace senet::protocol {

using Milliseconds = std::chrono::milliseconds;

/// What UBGI's "go role" asks for: a play, whether to double, or both.
enum class Role : std::uint8_t { kChequer, kCube, kTurn };

/// "go ...": words that are not there leave their fields empty.
struct GoRequest {
  std::optional<Role> role;
  std::optional<std::uint32_t> nodes;
  std::optional<Milliseconds> movetime;
  bool infinite = false;
  /// A clock: what each player has left and gets for each move, and the moves until more is given.
  std::array<std::optional<Milliseconds>, 2> time, increment;
  std::optional<std::uint32_t> moves_to_go;
  /// How long the player on turn may think by the clock or by movetime; none without either.
  std::optional<Milliseconds> thinking_time(Player on_turn) const;
};

/// Reads what follows "go".
Result<GoRequest> parse_go(Words words);

/// The position that the words behind "position" name, with its moves played: startpos, a text in
/// the game's own notation ("fen" before it or not) or one in another notation that some game has.
/// `on_roll`: the player who rolls when the words do not say (a position id, a new game).
Result<AnyState> read_position(const AnyGame& game, Words words, Player on_roll);

/// The refusal of a word that only the games of `have_it` know.
Error other_games(const AnyGame& game, const std::function<bool(const AnyGame&)>& have_it);

/// "newsession ...": who plays for what.
struct Contest {
  bool is_match = false;
  std::uint32_t length = 0;  // of a match, in points
  bool jacoby = false;
  bool crawford = true;
};

/// Reads what follows "newsession".
Result<Contest> parse_newsession(Words words);

/// Whether the game is spoken about in UBGI, with its doubling cube, roles and score.
inline bool speaks_ubgi(const AnyGame& game) { return game.ubgi_question != nullptr; }

}  // namespace senet::protocol
