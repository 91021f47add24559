// Other programs as players of a match: processes that are asked for moves, side by side, such as
// engines that speak UCI, or UBGI for backgammon.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "selfplay/match_player.hpp"
#include "senet/result.hpp"
#include "tools/play/child_process.hpp"

namespace senet {

/// Calls use(process, i) for i = 0 .. count - 1, side by side: each process has its share of them
/// (p, p + n, ... in this order), and a thread. One for which `use` returns false does no more.
template <class Process, class Use>
void share_out(std::vector<Process>& processes, std::size_t count, const Use& use) {
  const auto work = [&](std::size_t own) {
    for (std::size_t i = own; i < count && use(processes[own], i); i += processes.size()) continue;
  };
  std::vector<std::jthread> threads;
  for (std::size_t own = 1; own < processes.size(); ++own) threads.emplace_back(work, own);
  work(0);
}

/// A running program that can be asked for moves. Belongs to one thread at a time, and may end with
/// the thread that started it.
class MoveProcess {
 public:
  using IsStopped = std::function<bool()>;
  /// How to start one more of the same kind.
  using Start = std::function<Result<std::unique_ptr<MoveProcess>>()>;

  virtual ~MoveProcess() = default;

  /// Its move where a player is to move. Fails with SENET_BAD_ACTION when it answers what is no
  /// legal move: the reason has the position in our notation, what it was sent, and its answer.
  /// Fails with SENET_STOPPED when `is_stopped`, if any, said yes while it was thinking. After that
  /// and after every other failure it cannot be asked again.
  Result<Action> best_move(const AnyState& state, const IsStopped& is_stopped = {});

  /// Asks it to end by itself, and gives it half a second for that.
  virtual void quit() {}

  /// How to start one by Process::start(settings).
  template <class Process, class Settings>
  static Start starter(const Settings& settings) {
    return [settings]() -> Result<std::unique_ptr<MoveProcess>> {
      Result<Process> process = Process::start(settings);
      if (!process) return process.error();
      return std::make_unique<Process>(std::move(*process));
    };
  }

 private:
  /// What it answers, in its words.
  virtual Result<std::string> best_words(const AnyState& state, const IsStopped& is_stopped) = 0;
  /// What it is sent about a position, on one line, and what reasons call it.
  virtual std::string question(const AnyState& state) const = 0;
  virtual std::string_view name() const = 0;
};

enum class EngineProtocol : std::uint8_t { kUci, kUbgi };

struct TextEngineSettings {
  EngineProtocol protocol = EngineProtocol::kUci;
  std::string command;                                       // for /bin/sh
  std::vector<std::pair<std::string, std::string>> options;  // sent once, by setoption
  std::string go = {};                                       // the line that asks for a move
  std::chrono::milliseconds start_time{60'000};              // until it is ready
  std::chrono::milliseconds answer_time{60'000};             // no answer may take longer
};

/// Another program that speaks such a protocol. Movable; belongs to one thread at a time.
class TextEngine final : public MoveProcess {
 public:
  /// Starts the command, greets it, sets the options and waits until it is ready. Fails with a
  /// reason when any of it fails, a refused option included.
  static Result<TextEngine> start(const TextEngineSettings& settings);

  /// Process id of the command.
  pid_t id() const { return process_.id(); }

  /// Sends lines, the last of which asks for a move. The time for its answer begins when they have
  /// been sent.
  Result<void> ask(const std::vector<std::string>& lines);

  /// Waits for what it answers behind "bestmove", without what it expects the other side to do.
  /// Fails when the engine says `error`, has ended, or its time is over, and with SENET_STOPPED
  /// when `is_stopped`, if any, says yes.
  Result<std::string> answer(const IsStopped& is_stopped = {});

  void quit() override;

 private:
  using Clock = ChildProcess::Clock;

  TextEngine(ChildProcess process, TextEngineSettings settings)
      : process_(std::move(process)), settings_(std::move(settings)) {}

  Result<std::string> best_words(const AnyState& state, const IsStopped& is_stopped) override;
  std::string question(const AnyState& state) const override;
  std::string_view name() const override { return settings_.command; }

  std::vector<std::string> lines_about(const AnyState& state) const;
  Result<void> send(const std::vector<std::string>& lines, std::chrono::milliseconds time);
  // What follows this word in a line that begins with it.
  Result<std::string> wait_for(std::string_view word, const IsStopped& is_stopped = {});

  ChildProcess process_;
  TextEngineSettings settings_;
  ChildProcess::Deadline deadline_{};
};

/// A player whose moves are those of some processes; needs no random numbers. Each process has its
/// own clock for each answer, however long the others take. One that ends, hangs or answers nothing
/// that can be read is counted as a crash, started anew and asked once more; when that fails too,
/// so does the player. An answer that is no legal move fails at once.
class ProcessPlayer final : public MatchPlayer {
 public:
  /// Starts `processes` (at least 1) of them, which share the positions of each choose().
  /// `is_stopped`, if any, is asked between positions and while they think, by several threads at
  /// once: true makes choose() fail.
  static Result<std::unique_ptr<ProcessPlayer>> start(MoveProcess::Start start,
                                                      std::size_t processes = 1,
                                                      MoveProcess::IsStopped is_stopped = {});
  ~ProcessPlayer() override;

  Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                      std::span<Action> actions) override;

  PlayerFaults faults() const override { return faults_; }

 private:
  /// A process and what it is at.
  struct Slot {
    std::unique_ptr<MoveProcess> process;  // null when it must be started anew
    std::size_t state = 0;                 // the next one that it is asked about
    bool is_second = false;                // the last process did not survive the question
    std::optional<Error> failure = {};     // of the last answer
  };

  ProcessPlayer(MoveProcess::Start start, MoveProcess::IsStopped is_stopped)
      : start_(std::move(start)), is_stopped_(std::move(is_stopped)) {}

  Result<void> start(Slot& slot);
  Result<void> count_failures(std::span<const AnyState> states);
  Error failed_twice(const Slot& slot, const Error& error, std::span<const AnyState> states);

  const MoveProcess::Start start_;
  const MoveProcess::IsStopped is_stopped_;
  std::vector<Slot> slots_;
  PlayerFaults faults_;
};

}  // namespace senet
