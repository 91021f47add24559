// The games of a match in a file: one JSON object a line, the first of them the match's settings.
//
//   {"senet_match":1,"game":"backgammon","seed":1,...,"first":"...","second":"..."}
//   {"number":0,"seed":1,"points":-2.0,"outcome":4,"plies":["52","24/22 13/8","64",...]}
//
// "plies" are all actions in the order they were played, rolls and blind openings included.
// "points" are the first player's, and "outcome" is the number of that way to end, as it sees it:
// two ways may be worth the same. Both are null for a game that was cut. Logs from before have no
// "outcome": then the first way that is worth the points is meant.
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

/// What the log's first line says: names and values, in order.
using MatchIdentity = std::vector<std::pair<std::string, std::string>>;

/// The line of a game of the match with that seed, without a line end.
std::string game_line(const AnyGame& game, const PlayedGame& played, std::uint64_t seed);

/// The game of a line, checked against the match that it should be of.
Result<PlayedGame> read_game_line(const AnyGame& game, std::string_view line,
                                  const MatchSettings& settings);

/// Appends games to a file that belongs to one match. A kill loses at most the line that is being
/// written; it is cut off when the file is opened again. Movable; belongs to one thread.
class MatchLog {
 public:
  /// Opens the log that is there, or makes a new one, which fails when a file is there. Calls `use`
  /// with the line of each game in it, and goes on behind them. Fails, and leaves the file as it
  /// is, when it belongs to another match (naming what differs), cannot be read, or `use` refuses a
  /// game; the reason names the line.
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
