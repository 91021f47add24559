// Runs a protocol session in memory, for tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/play/protocol/session.hpp"

namespace senet::protocol {

using Lines = std::vector<std::string>;

/// The return value of a function, or the Error that it throws.
template <class Function>
auto result_of(Function function) -> Result<decltype(function())> {
  try {
    return function();
  } catch (const Error& error) {
    return error;
  }
}

/// The listed games.
inline const Games kGames;

/// Options for fast tests: few visits, little memory, no network.
inline Options small_options(const std::string& game = "backgammon") {
  Options options;
  options.game = game;
  options.visits = 8;
  options.hash_mib = 4;
  options.search.evaluation.kind = EvaluatorKind::kHash;
  return options;
}

/// An "info" or "bench" line without times and speeds, which vary; other lines unchanged.
inline std::string without_times(const std::string& line) {
  Words words(line);
  if (words.peek() != "info" && words.peek() != "bench") return line;
  std::string kept;
  while (!words.empty()) {
    const std::string_view word = words.next();
    if (word == "time" || word == "time_ms" || word == "nps") {
      words.next();
    } else {
      kept.append(kept.empty() ? "" : " ").append(word);
    }
  }
  return kept;
}

class Talk {
 public:
  explicit Talk(const Options& options = small_options()) {
    session.emplace(kGames, options, inbox, [this](std::string_view line) {
      said.emplace_back(line);
      if (on_line) on_line(said.back());
    });
  }
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  /// Executes one line and returns its answer, without times.
  Lines ask(std::string_view line) {
    said.clear();
    EXPECT_EQ(session->handle(line), line != "quit") << line;
    Lines answer;
    for (const std::string& reported : said) answer.push_back(without_times(reported));
    return answer;
  }
  /// Executes one line and returns the last line of its answer.
  std::string last(std::string_view line) {
    const Lines answer = ask(line);
    return answer.empty() ? "" : answer.back();
  }
  /// Executes several lines that must have no answer.
  void tell(std::initializer_list<std::string_view> lines) {
    for (const std::string_view line : lines) EXPECT_EQ(ask(line), Lines{}) << line;
  }

  Inbox inbox;
  std::function<void(const std::string&)> on_line;  // called for each line of an answer
  Lines said;
  std::optional<Session> session;
};

/// The code of an "error" line, or the whole line if it is another line.
inline std::string code_of(const std::string& line) {
  if (!line.starts_with("error ")) return line;
  return line.substr(6, line.find(' ', 6) - 6);
}

/// The number after a word of a line; -1 if the line does not contain the word.
inline long number_behind(const std::string& line, const std::string& word) {
  const std::size_t at = line.find(" " + word + " ");
  return at == std::string::npos ? -1 : std::stol(line.substr(at + word.size() + 2));
}

/// The lines that begin with `start`.
inline Lines beginning(const Lines& lines, const std::string& start) {
  Lines found;
  for (const std::string& line : lines) {
    if (line.starts_with(start)) found.push_back(line);
  }
  return found;
}

}  // namespace senet::protocol
