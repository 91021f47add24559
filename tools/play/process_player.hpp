// External programs as match players: parallel processes that choose moves, such as engines that
// speak UCI, or UBGI for backgammon.
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

/// Calls use(process, i) for i = 0 .. count - 1, in parallel: process p of n has its own thread and
/// handles p, p + n, ... in this order. A process stops when `use` returns false for it.
template <class Process, class Use>
void share_out(std::vector<Process>& processes, std::size_t count, const Use& use) {
  const auto work = [&](std::size_t own) {
    for (std::size_t i = own; i < count && use(processes[own], i); i += processes.size()) continue;
  };
  std::vector<std::jthread> threads;
  for (std::size_t own = 1; own < processes.size(); ++own) threads.emplace_back(work, own);
  work(0);
}

/// A running program that chooses moves. Use from one thread at a time. The program may end with
/// the thread that started it.
class MoveProcess {
 public:
  using IsStopped = std::function<bool()>;
  /// Starts another process.
  using Start = std::function<Result<std::unique_ptr<MoveProcess>>()>;

  virtual ~MoveProcess() = default;

  /// The program's move in a state where a player is to move. Fails with SENET_BAD_ACTION when the
  /// answer is not a legal move: the reason contains the position in our notation, the request and
  /// the answer. Fails with SENET_STOPPED when `is_stopped`, if set, returned true during the wait.
  /// After that and after every failure but SENET_BAD_ACTION the process cannot be used again.
  Result<Action> best_move(const AnyState& state, const IsStopped& is_stopped = {});

  /// Requests the program to end, and waits at most half a second for it.
  virtual void quit() {}

  /// A Start that calls Process::start(settings).
  template <class Process, class Settings>
  static Start starter(const Settings& settings) {
    return [settings]() -> Result<std::unique_ptr<MoveProcess>> {
      Result<Process> process = Process::start(settings);
      if (!process) return process.error();
      return std::make_unique<Process>(std::move(*process));
    };
  }

 private:
  /// The program's move as text, not yet checked.
  virtual Result<std::string> best_words(const AnyState& state, const IsStopped& is_stopped) = 0;
  /// The request for a position, on one line, for reasons.
  virtual std::string question(const AnyState& state) const = 0;
  /// The program's name, for reasons.
  virtual std::string_view name() const = 0;
};

enum class EngineProtocol : std::uint8_t { kUci, kUbgi };

struct TextEngineSettings {
  EngineProtocol protocol = EngineProtocol::kUci;
  std::string command;                                       // for /bin/sh
  std::vector<std::pair<std::string, std::string>> options;  // sent once, by setoption
  std::string go = {};                                       // the line that requests a move
  std::chrono::milliseconds start_time{60'000};   // limit of each exchange until it is ready
  std::chrono::milliseconds answer_time{60'000};  // limit of each answer
};

/// An external program that speaks UCI or UBGI. Movable; use from one thread at a time.
class TextEngine final : public MoveProcess {
 public:
  /// Starts the command, greets it, sets the options and waits until it is ready. Fails when any of
  /// these steps fails, for example when the engine refuses an option.
  static Result<TextEngine> start(const TextEngineSettings& settings);

  /// Process id of the command.
  pid_t id() const { return process_.id(); }

  /// Sends lines, the last of which requests a move. The answer's time limit starts when they have
  /// been sent.
  Result<void> ask(const std::vector<std::string>& lines);

  /// Waits for "bestmove" and returns the move after it, without the "ponder" part. Fails when the
  /// engine answers `error`, has ended, or exceeds its time limit, and with SENET_STOPPED when
  /// `is_stopped`, if set, returns true.
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
  // Waits for a line that begins with `word`; returns the rest of that line.
  Result<std::string> wait_for(std::string_view word, const IsStopped& is_stopped = {});

  ChildProcess process_;
  TextEngineSettings settings_;
  ChildProcess::Deadline deadline_{};
};

/// A player whose moves are chosen by one or more processes. Draws no random numbers. Each answer
/// has its own time limit, independent of the other processes. A process that ends, hangs or
/// answers with an error counts as a crash; it is restarted and asked once more, and the player
/// fails if that fails too. An illegal move fails at once.
class ProcessPlayer final : public MatchPlayer {
 public:
  /// Starts `processes` >= 1 processes, which share the positions of each choose(). `is_stopped`,
  /// if set, is polled from several threads; when it returns true, choose() fails.
  static Result<std::unique_ptr<ProcessPlayer>> start(MoveProcess::Start start,
                                                      std::size_t processes = 1,
                                                      MoveProcess::IsStopped is_stopped = {});
  ~ProcessPlayer() override;

  Result<void> choose(std::span<const AnyState> states, std::span<const Random> draws,
                      std::span<Action> actions) override;

  PlayerFaults faults() const override { return faults_; }

 private:
  struct Slot {
    std::unique_ptr<MoveProcess> process;  // null when it must be restarted
    std::size_t state = 0;                 // index of the next state to evaluate
    bool is_second = false;                // the previous process crashed on this state
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
