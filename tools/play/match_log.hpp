// The log file of a match: one JSON object per line. The first holds the settings of the match,
// each further one a game.
//
//   {"senet_match":1,"game":"backgammon","seed":1,...,"first":"...","second":"..."}
//   {"number":0,"seed":1,"points":-2.0,"outcome":4,"plies":["52","24/22 13/8","64",...]}
//
// "plies" are all actions in order, including rolls and random opening moves. "points" and
// "outcome" are from the first player's perspective, or null if the game was cut. "outcome" is an
// index into the game's outcome values, several of which may be equal. Old logs have no "outcome":
// the first one worth the points is assumed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/file.hpp"
#include "selfplay/match.hpp"
#include "senet/result.hpp"

namespace senet {

/// Everything that the result of a match depends on: names and values, in order.
using MatchIdentity = std::vector<std::pair<std::string, std::string>>;

/// The settings as the log's first line, without a line end.
std::string identity_line(const MatchIdentity& identity);

/// The log line of a game in the match with this seed, without a line end.
std::string game_line(const AnyGame& game, const PlayedGame& played, std::uint64_t seed);

/// Reads a game's log line and checks that the game belongs to the match with these settings.
Result<PlayedGame> read_game_line(const AnyGame& game, std::string_view line,
                                  const MatchSettings& settings);

/// Appends games to the log file of one match. If the process is killed, at most the line being
/// written is lost; the next open() truncates it. Movable; use from one thread.
class MatchLog {
 public:
  /// Opens an existing log, or creates a new one, which fails if the file exists. Calls `use` with
  /// the line of each logged game. Fails, and leaves the file unchanged, when it belongs to another
  /// match (the reason names the difference), cannot be read, or `use` refuses a game (the reason
  /// contains the line number).
  static Result<MatchLog> open(const std::filesystem::path& file, FileHandle::Mode mode,
                               const MatchIdentity& identity,
                               const std::function<Result<void>(std::string_view line)>& use);

  /// Appends one line.
  Result<void> append(std::string_view line);

 private:
  explicit MatchLog(FileHandle file) : file_(std::move(file)) {}

  FileHandle file_;
  std::uint64_t end_ = 0;
};

}  // namespace senet
