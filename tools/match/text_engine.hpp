// Another program as a player: a process that speaks UCI, or UBGI for backgammon.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "games/result.hpp"
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
  /// Starts the command, greets it, sets the options and waits until it is ready. Fails with a
  /// reason when any of it fails, a refused option included.
  static Result<TextEngine> start(const TextEngineSettings& settings);

  /// Sends lines, the last of which asks for a move. answer() follows, and nothing else before it.
  Result<void> ask(const std::vector<std::string>& lines);

  /// What the engine answers behind "bestmove", without what it expects the other side to do.
  /// Fails when it says `error`, ends, or does not answer in time.
  Result<std::string> answer();

  /// Says good-bye and waits up to half a second for the engine to end by itself.
  void quit();

 private:
  TextEngine(ChildProcess process, std::chrono::milliseconds answer_time)
      : process_(std::move(process)), answer_time_(answer_time) {}

  Result<void> send(const std::vector<std::string>& lines, std::chrono::milliseconds time);
  // Waits for a line that begins with this word and returns what follows it.
  Result<std::string> wait_for(std::string_view word);

  ChildProcess process_;
  std::chrono::milliseconds answer_time_;
  ChildProcess::Deadline deadline_{};
};

}  // namespace senet
