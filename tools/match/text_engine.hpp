// Another program as a player: a process that speaks UCI, or UBGI for backgammon.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "senet/result.hpp"
#include "tools/child_process.hpp"

namespace senet {

enum class EngineProtocol : std::uint8_t { kUci, kUbgi };

struct TextEngineSettings {
  EngineProtocol protocol = EngineProtocol::kUci;
  std::string command;                                       // for /bin/sh
  std::vector<std::pair<std::string, std::string>> options;  // sent once, by setoption
  std::chrono::milliseconds start_time{60'000};              // until it is ready
  std::chrono::milliseconds answer_time{60'000};             // no answer may take longer
};

/// One such process. Movable; belongs to one thread at a time.
class TextEngine {
 public:
  using Clock = ChildProcess::Clock;

  /// Starts the command, greets it, sets the options and waits until it is ready. Fails with a
  /// reason when any of it fails, a refused option included.
  static Result<TextEngine> start(const TextEngineSettings& settings);

  /// Process id of the command.
  pid_t id() const { return process_.id(); }

  /// Sends lines, the last of which asks for a move. The time for its answer begins when they have
  /// been sent.
  Result<void> ask(const std::vector<std::string>& lines);

  /// What it has answered behind "bestmove", without what it expects the other side to do; nothing
  /// while it may still think. Does not wait: the answer counts if it is there when we look first
  /// after its time. Fails when the engine says `error`, has ended, or its time is over.
  Result<std::optional<std::string>> answer();

  /// Waits until one of these says something, has no time left, or `longest` is over.
  static void wait_for_any(std::span<TextEngine* const> engines, std::chrono::milliseconds longest);

  /// Says good-bye to all of them and waits, half a second together, for them to end by themselves.
  static void quit(std::span<TextEngine* const> engines);

 private:
  TextEngine(ChildProcess process, std::chrono::milliseconds answer_time)
      : process_(std::move(process)), answer_time_(answer_time) {}

  Result<void> send(const std::vector<std::string>& lines, std::chrono::milliseconds time);
  // What follows this word in a line that begins with it; nothing when none is there yet.
  Result<std::optional<std::string>> look_for(std::string_view word);
  Result<void> wait_for(std::string_view word);

  ChildProcess process_;
  std::chrono::milliseconds answer_time_;
  ChildProcess::Deadline deadline_{};
};

}  // namespace senet
