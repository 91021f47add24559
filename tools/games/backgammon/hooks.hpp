// Players of backgammon that are programs of their own.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selfplay/match_player.hpp"
#include "tools/games/backgammon/gnubg.hpp"
#include "tools/match/players.hpp"

namespace senet {

/// Plays what Gnubg::best_words() says; needs no random numbers. A process that ends, hangs or
/// answers what is no play is counted as a crash, started anew and asked once more; when that fails
/// too, so does the player. A play that our rules forbid fails at once, and the reason names the
/// position as we have it, as it was sent, and the play.
class GnubgPlayer final : public MatchPlayer {
 public:
  /// Starts `processes` (at least 1) of them, which share the positions of each choose(). They do
  /// not outlive the thread that calls this or choose(). `is_stopped`, if any, is asked between
  /// positions, by several threads at once: true makes choose() fail.
  static Result<GnubgPlayer> start(const GnubgSettings& settings, std::size_t processes = 1,
                                   std::function<bool()> is_stopped = {});

  Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                      std::span<Action> actions) override;

  PlayerFaults faults() const override { return faults_; }

  /// The first of the processes, for those who want to watch it.
  pid_t process_id() const { return processes_.front().process_id(); }

 private:
  GnubgPlayer(std::vector<Gnubg> processes, std::function<bool()> is_stopped)
      : processes_(std::move(processes)), is_stopped_(std::move(is_stopped)) {}

  bool is_stopped() const { return is_stopped_ && is_stopped_(); }
  // The answer, or that of a process started anew when there was none.
  Result<std::string> second_chance(Gnubg& process, const Backgammon& state,
                                    Result<std::string> answer);

  std::vector<Gnubg> processes_;
  std::function<bool()> is_stopped_;
  PlayerFaults faults_;
};

/// GNU Backgammon, in processes of its own.
template <>
struct OwnPlayers<Backgammon> {
  static constexpr std::string_view kWords = "gnubg:PLY, gnubg:PLY:full";
  static bool is_one(std::string_view word);
  static Result<PlayerHolder> make(const std::string& word, const PlayerSettings& settings);
};

}  // namespace senet
