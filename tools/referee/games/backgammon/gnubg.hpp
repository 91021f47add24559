// GNU Backgammon as a player and a judge: Debian's program `gnubg`, run as a process of its own and
// asked over its `external` interface. Nothing of it is linked or copied.
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

/// How GNU Backgammon plays. Whatever is said here, it plays for money without a cube and without
/// the Jacoby rule, without noise, on one thread, and with its full networks: its pruning networks
/// are off.
struct GnubgSettings {
  int ply = 0;  // 0 (the network looks at the position after the play), 1 or 2
  /// False: its own "normal" move filter, which looks at plays ply by ply and keeps up to 8 within
  /// 0.16 points of the best. True: every legal play is evaluated at the full ply.
  bool full = false;
  std::chrono::milliseconds answer_time{60'000};  // no answer may take longer
};

inline constexpr int kMostGnubgPly = 2;

/// The program: `gnubg` in PATH or in Debian's folder for games. Nothing when it is not installed.
std::optional<std::filesystem::path> find_gnubg();

/// A conversation in lines over a socket in the file system, every answer by a deadline. Movable;
/// belongs to one thread at a time.
class LineSocket {
 public:
  using Clock = std::chrono::steady_clock;

  /// Connects to the program that listens at `file`. Fails with a reason when none does, or when
  /// the name is too long for a socket (about 100 bytes).
  static Result<LineSocket> connect(const std::filesystem::path& file);

  /// Sends `line` with a line end and returns the next line of the other side without its own.
  /// Fails when the other side hangs up, answers more than 64 KiB without a line end, or does not
  /// answer by the deadline; then the conversation is given up, and all later questions fail too.
  Result<std::string> ask(std::string_view line, Clock::time_point deadline);

 private:
  // None once the conversation has been given up.
  std::unique_ptr<boost::asio::local::stream_protocol::iostream> stream_;
};

/// What GNU Backgammon thinks of a position.
struct GnubgEvaluation {
  backgammon::Probabilities probabilities;
  double equity = 0;  // as it says itself, six digits; cubeless, without the Jacoby rule
};

/// One legal play and its worth for the player who makes it.
struct GnubgPlay {
  Action action = 0;
  GnubgEvaluation evaluation;
};

/// A running GNU Backgammon. Movable; belongs to one thread, and does not outlive the thread that
/// started it. The process ends with this object, or with us, whatever ends us.
///
/// Once a question failed because there was no answer in time, or because the process is gone, all
/// later ones fail as well: start another one.
class Gnubg final : public MoveProcess {
 public:
  /// Starts the program with a folder of its own for settings. Fails with a reason when it is not
  /// installed, cannot be started, or refuses a setting.
  static Result<Gnubg> start(const GnubgSettings& settings);

  /// The worth of a position for the player on roll, before the roll, at `ply` (0..2).
  Result<GnubgEvaluation> evaluate(const backgammon::Board& board, int ply);

  /// The worth of one legal play: that of the position after it, at `ply`; exact when the play ends
  /// the game.
  Result<GnubgPlay> judge(const Backgammon& state, Action action, int ply);

  /// All legal plays judged at `ply`, the best first; of equals the lower action first. At 2 ply,
  /// of more than `most_in_depth` all are judged at 1 ply first, and then the best of those at 2.
  Result<std::vector<GnubgPlay>> rank(const Backgammon& state, int ply,
                                      std::size_t most_in_depth = Backgammon::kMaxLegal);

  /// The process, for those who want to watch it.
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
