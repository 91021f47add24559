// A conversation with a session in memory: lines in, the lines that answer them out.
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

/// What a function that may throw a refusal returns, or the refusal.
template <class Function>
auto result_of(Function function) -> Result<decltype(function())> {
  try {
    return function();
  } catch (const Error& error) {
    return error;
  }
}

/// Few visits, little memory, no network is asked: what tests of words need.
inline Options small_options(const std::string& game = "backgammon") {
  Options options;
  options.game = game;
  options.visits = 8;
  options.hash_mib = 4;
  options.search.evaluator = EvaluatorKind::kHash;
  return options;
}

/// An "info" or "bench" line without what changes from run to run; other lines as they are.
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
    session.emplace(options, inbox, [this](std::string_view line) {
      said.emplace_back(line);
      if (on_line) on_line(said.back());
    });
  }
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  /// Has one line carried out; its answer, without times.
  Lines ask(std::string_view line) {
    said.clear();
    EXPECT_EQ(session->handle(line), line != "quit") << line;
    Lines answer;
    for (const std::string& told : said) answer.push_back(without_times(told));
    return answer;
  }
  /// The last line of an answer: the terminating one.
  std::string last(std::string_view line) {
    const Lines answer = ask(line);
    return answer.empty() ? "" : answer.back();
  }
  /// Several lines that must be silent.
  void tell(std::initializer_list<std::string_view> lines) {
    for (const std::string_view line : lines) EXPECT_EQ(ask(line), Lines{}) << line;
  }

  Inbox inbox;
  std::function<void(const std::string&)> on_line;  // called as lines are said
  Lines said;
  std::optional<Session> session;
};

/// The first word of an "error" line behind "error", or the whole line.
inline std::string code_of(const std::string& line) {
  if (!line.starts_with("error ")) return line;
  return line.substr(6, line.find(' ', 6) - 6);
}

/// The number behind a word of a line; -1 when it is not there.
inline long number_behind(const std::string& line, const std::string& word) {
  const std::size_t at = line.find(" " + word + " ");
  return at == std::string::npos ? -1 : std::stol(line.substr(at + word.size() + 2));
}

/// The lines that begin so.
inline Lines beginning(const Lines& lines, const std::string& start) {
  Lines found;
  for (const std::string& line : lines) {
    if (line.starts_with(start)) found.push_back(line);
  }
  return found;
}

}  // namespace senet::protocol
