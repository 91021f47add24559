// GNU Backgammon as a player and as an evaluator of plays: Debian's program `gnubg`, run as a
// separate process and used through its `external` interface. None of its code is linked or copied.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/kit/exam.hpp"
#include "senet/result.hpp"
#include "tools/play/child_process.hpp"
#include "tools/play/process_player.hpp"
#include "tools/scratch_folder.hpp"

namespace senet {

/// How GNU Backgammon plays. It always plays money games without a cube and without the Jacoby
/// rule, without noise, on one thread, and without its pruning networks.
struct GnubgSettings {
  int ply = 0;  // 0 (the network evaluates the position after the play), 1 or 2
  /// False: gnubg's "normal" move filter, which evaluates plays ply by ply and keeps up to 8 within
  /// 0.16 points of the best. True: every legal play is evaluated at the full ply.
  bool full = false;
  std::chrono::milliseconds answer_time{60'000};  // limit of each answer
};

inline constexpr int kMaxGnubgPly = 2;

/// Finds `gnubg` in PATH or in /usr/games. Nullopt when it is not installed.
std::optional<std::filesystem::path> find_gnubg();

/// Sends and receives lines over a Unix domain socket, with a deadline for each answer. Movable;
/// use from one thread at a time.
class LineSocket {
 public:
  using Clock = std::chrono::steady_clock;

  /// Connects to the socket `file`. Fails when no program listens there, or when the name is too
  /// long for a socket (about 100 bytes).
  static Result<LineSocket> connect(const std::filesystem::path& file);

  /// Sends `line` with a line end and returns the next received line without its line end. Fails
  /// when the peer closes the connection, sends more than 64 KiB without a line end, or does not
  /// answer before the deadline. After a failure the connection is closed, and all later calls
  /// fail.
  Result<std::string> ask(std::string_view line, Clock::time_point deadline);

 private:
  // Null after a failure.
  std::unique_ptr<boost::asio::local::stream_protocol::iostream> stream_;
};

/// GNU Backgammon's evaluation of a position.
struct GnubgEvaluation {
  backgammon::Probabilities probabilities;
  double equity = 0;  // as printed by gnubg, six digits; cubeless, without the Jacoby rule
};

/// One legal play and its evaluation from the perspective of the player who makes it.
struct GnubgPlay {
  Action action = 0;
  GnubgEvaluation evaluation;
};

/// A running GNU Backgammon. Movable; use only from the thread that started it. The process ends
/// with this object; if setpriv is installed, also when that thread ends or our process is killed.
///
/// After a timeout or the end of the process, all later calls fail: start another one.
class Gnubg final : public MoveProcess {
 public:
  /// Starts the program with its own settings folder. Fails when it is not installed, cannot be
  /// started, or refuses a setting.
  static Result<Gnubg> start(const GnubgSettings& settings);

  /// Evaluates a position for the player on roll, before the roll, at `ply` (0..2).
  Result<GnubgEvaluation> evaluate(const backgammon::Board& board, int ply);

  /// Evaluates one legal play by the position after it, at `ply`; exact when it ends the game.
  Result<GnubgPlay> judge(const Backgammon& state, Action action, int ply);

  /// Evaluates all legal plays at `ply` and sorts them, the best first and equal ones by action. At
  /// 2 ply, if there are more than `most_in_depth` plays, all are evaluated at 1 ply first and then
  /// the best `most_in_depth` at 2 ply.
  Result<std::vector<GnubgPlay>> rank(const Backgammon& state, int ply,
                                      std::size_t most_in_depth = Backgammon::kMaxLegal);

  /// The id of the process, for tests.
  pid_t process_id() const { return process_.id(); }

 private:
  Gnubg(const GnubgSettings& settings, ScratchFolder folder, ChildProcess process,
        LineSocket socket)
      : settings_(settings),
        folder_(std::move(folder)),
        process_(std::move(process)),
        socket_(std::move(socket)) {}

  Result<std::string> best_words(const AnyState& state, const IsStopped& is_stopped) override;
  std::string question(const AnyState& state) const override;
  std::string_view name() const override { return "gnubg"; }
  Result<std::string> ask(std::string_view line);

  GnubgSettings settings_;
  ScratchFolder folder_;  // outlives the process
  ChildProcess process_;
  LineSocket socket_;
};

}  // namespace senet
