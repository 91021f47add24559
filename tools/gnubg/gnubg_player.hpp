// GNU Backgammon in a match, and where a player is graded.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "selfplay/match_player.hpp"
#include "tools/gnubg/gnubg.hpp"

namespace senet {

/// Plays what Gnubg::best_play() says; needs no random numbers. A process that ends or hangs is
/// counted as a crash, started anew and asked once more; when that fails too, so does the player. A
/// play that our rules forbid fails at once, and the reason tells the position and the play.
class GnubgPlayer final : public MatchPlayer<Backgammon> {
 public:
  /// Starts `processes` (at least 1) of them, which share the positions of each choose(). They do
  /// not outlive the thread that calls this or choose().
  static Result<GnubgPlayer> start(const GnubgSettings& settings, std::size_t processes = 1);

  Result<void> choose(std::span<const Backgammon> states, std::span<const Random> draws,
                      std::span<Action> actions) override;

  PlayerFaults faults() const override { return faults_; }

  /// The first of the processes, for those who want to watch it.
  pid_t process_id() const { return processes_.front().process_id(); }

 private:
  explicit GnubgPlayer(std::vector<Gnubg> processes) : processes_(std::move(processes)) {}

  // The answer, or what a process started anew says when this one has gone; counts faults.
  Result<Action> settle(Gnubg& process, const Backgammon& state, Result<Action> answer);

  std::vector<Gnubg> processes_;
  PlayerFaults faults_;
};

}  // namespace senet
