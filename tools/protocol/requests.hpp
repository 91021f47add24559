// The commands that are sentences: what "go", "position" and "newsession" ask for, as values.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "senet/game.hpp"
#include "tools/protocol/problem.hpp"
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

  bool has_clock() const { return time[0] || time[1]; }
  /// How long the player on turn may think by the clock or by movetime; none without either.
  std::optional<Milliseconds> thinking_time(Player on_turn) const;
};

/// Reads what follows "go".
Result<GoRequest> parse_go(Words words);

/// "position ...".
struct PositionRequest {
  enum class Kind : std::uint8_t {
    kStart,
    kText,      // in the game's own notation, "fen" before it or not
    kNotation,  // in another one that some game has
  };
  Kind kind = Kind::kStart;
  std::string_view notation = {};       // of kNotation: Notation::name
  std::string_view text;                // of all kinds but kStart; never empty then
  std::vector<std::string_view> moves;  // the words behind "moves"
};

/// Reads what follows "position". The views point into the line.
Result<PositionRequest> parse_position(Words words);

/// "newsession ...": who plays for what.
struct Contest {
  bool is_match = false;
  std::uint32_t length = 0;  // of a match, in points
  bool jacoby = false;
  bool crawford = true;
};

/// Reads what follows "newsession".
Result<Contest> parse_newsession(Words words);

/// "p0" or "p1".
Result<Player> parse_player(std::string_view word);

}  // namespace senet::protocol
