// The games of a match in a file: one JSON object a line, the first of them the match's settings.
//
//   {"senet_match":1,"game":"backgammon","seed":1,...,"first":"...","second":"..."}
//   {"number":0,"seed":1,"points":-2.0,"plies":["52","24/22 13/8","64",...]}
//
// "plies" are all actions in the order they were played, rolls and blind openings included, and
// "points" are the first player's; null for a game that was cut.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/file.hpp"
#include "selfplay/match.hpp"
#include "senet/result.hpp"

namespace senet {

/// A game's line in text.
struct LoggedGame {
  std::uint64_t number = 0;
  std::optional<float> points;  // none: cut
  std::vector<std::string> plies;
};

/// What the log's first line says: names and values, in order.
using MatchIdentity = std::vector<std::pair<std::string, std::string>>;

/// The line of a game, without a line end.
std::string game_line(const LoggedGame& game, std::uint64_t seed);

/// Appends games to a file that belongs to one match. A kill loses at most the line that is being
/// written; it is cut off when the file is opened again. Movable; belongs to one thread.
class MatchLog {
 public:
  /// Makes a new log. Fails when the file is there already.
  static Result<MatchLog> create(const std::filesystem::path& file, const MatchIdentity& identity);

  /// Opens a log, calls `use` with each of its games, and goes on behind them. Fails, and leaves
  /// the file as it is, when it belongs to another match (naming what differs), cannot be read, or
  /// `use` refuses a game; the reason names the line.
  static Result<MatchLog> resume(const std::filesystem::path& file, const MatchIdentity& identity,
                                 const std::function<Result<void>(const LoggedGame&)>& use);

  /// Appends one line.
  Result<void> append(std::string_view line);

 private:
  explicit MatchLog(FileHandle file) : file_(std::move(file)) {}

  FileHandle file_;
  std::uint64_t end_ = 0;
};

/// A game in its own notation.
LoggedGame to_log(const AnyGame& game, const PlayedGame& played);

/// The game that a line tells, checked against the match it is said to be of.
Result<PlayedGame> from_log(const AnyGame& game, const LoggedGame& logged,
                            const MatchSettings& settings);

}  // namespace senet
