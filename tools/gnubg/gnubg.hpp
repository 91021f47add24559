// GNU Backgammon as a player and a judge: Debian's program `gnubg`, run as a process of its own and
// asked over its `external` interface. Nothing of it is linked or copied.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/outcomes.hpp"
#include "senet/result.hpp"
#include "tools/child_process.hpp"
#include "tools/gnubg/line_socket.hpp"
#include "tools/gnubg/scratch_folder.hpp"

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

/// Reads a player's name "gnubg:PLY" or "gnubg:PLY:full". Nothing when the text does not begin with
/// "gnubg"; a reason when it does and goes on wrongly.
std::optional<Result<GnubgSettings>> parse_gnubg(std::string_view text);

/// The program: `gnubg` in PATH or in Debian's folder for games. Nothing when it is not installed.
std::optional<std::filesystem::path> find_gnubg();

/// A board in signed numbers from the side of the player on roll: [1..24] its points, own checkers
/// positive; [25] its bar; [0] the opponent's bar, 0 or negative.
using SignedPoints = std::array<int, 26>;

SignedPoints signed_points(const backgammon::Board& board);

/// What GNU Backgammon thinks of a position.
struct GnubgEvaluation {
  backgammon::Probabilities probabilities;
  double equity = 0;  // as it says itself, six digits; cubeless, without the Jacoby rule

  /// The same seen by the other player.
  GnubgEvaluation from_other_side() const;
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
class Gnubg {
 public:
  /// Starts the program with a folder of its own for settings. Fails with a reason when it is not
  /// installed, cannot be started, or refuses a setting.
  static Result<Gnubg> start(const GnubgSettings& settings);

  /// The play it makes where a player has rolled, in its words: its own choice at its ply, or with
  /// `full` the first of rank().
  Result<std::string> best_words(const Backgammon& state);

  /// The play that these words mean. One that our rules forbid is a failure that tells the position
  /// as we have it, as it was told, and the play.
  static Result<Action> read_play(const Backgammon& state, const std::string& words);

  /// Both together.
  Result<Action> best_play(const Backgammon& state);

  /// The worth of a position for the player on roll, before the roll, at `ply` (0..2).
  Result<GnubgEvaluation> evaluate(const backgammon::Board& board, int ply);

  /// The worth of one legal play: that of the position after it, at `ply`; exact when the play ends
  /// the game.
  Result<GnubgPlay> judge(const Backgammon& state, Action action, int ply);

  /// All legal plays judged at `ply`, the best first; of equals the lower action first.
  Result<std::vector<GnubgPlay>> rank(const Backgammon& state, int ply);

  /// False once there was no answer in time or the process has gone.
  bool is_alive() const { return socket_.is_open(); }

  const GnubgSettings& settings() const { return settings_; }
  /// The process, for those who want to watch it.
  pid_t process_id() const { return process_.id(); }

 private:
  Gnubg(const GnubgSettings& settings, ScratchFolder folder, ChildProcess process,
        LineSocket socket)
      : settings_(settings),
        folder_(std::move(folder)),
        process_(std::move(process)),
        socket_(std::move(socket)) {}

  Result<std::string> ask(std::string_view line);

  GnubgSettings settings_;
  ScratchFolder folder_;  // outlives the process
  ChildProcess process_;
  LineSocket socket_;
};

}  // namespace senet
