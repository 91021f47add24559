#include "tools/match/text_engine.hpp"

#include <fmt/format.h>

namespace senet {
namespace {

std::string_view protocol_word(EngineProtocol protocol) {
  return protocol == EngineProtocol::kUci ? "uci" : "ubgi";
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// True when `line` is this word or begins with it, which is then taken off.
bool take_word(std::string_view& line, std::string_view word) {
  if (!line.starts_with(word)) return false;
  const std::string_view rest = line.substr(word.size());
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return false;
  line = trimmed(rest);
  return true;
}

}  // namespace

Result<TextEngine> TextEngine::start(const TextEngineSettings& settings) {
  Result<ChildProcess> process = ChildProcess::start_shell(settings.command);
  if (!process) return tl::unexpected(process.error());
  TextEngine engine(std::move(*process), settings.answer_time);
  const auto exchange = [&](const std::vector<std::string>& lines, std::string_view reply) {
    const Result<void> sent = engine.send(lines, settings.start_time);
    return sent ? engine.wait_for(reply) : tl::unexpected(sent.error());
  };
  const std::string word(protocol_word(settings.protocol));
  if (const auto greeted = exchange({word}, word + "ok"); !greeted) {
    return tl::unexpected(greeted.error());
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : settings.options) {
    lines.push_back(fmt::format("setoption name {} value {}", name, value));
  }
  lines.emplace_back("isready");
  if (const auto set = exchange(lines, "readyok"); !set) return tl::unexpected(set.error());
  // Positions are always told whole, so that one process can serve many games in turns.
  lines = {settings.protocol == EngineProtocol::kUci ? "ucinewgame" : "newgame", "isready"};
  if (const auto ready = exchange(lines, "readyok"); !ready) return tl::unexpected(ready.error());
  return engine;
}

Result<void> TextEngine::send(const std::vector<std::string>& lines,
                              std::chrono::milliseconds time) {
  deadline_ = ChildProcess::Clock::now() + time;
  for (const std::string& line : lines) {
    if (const auto written = process_.write_line(line, deadline_); !written) return written;
  }
  return {};
}

Result<void> TextEngine::ask(const std::vector<std::string>& lines) {
  return send(lines, answer_time_);
}

Result<std::string> TextEngine::wait_for(std::string_view word) {
  for (;;) {
    const Result<std::string> line = process_.read_line(deadline_);
    if (!line) return line;
    // Whatever else it says ("info ...", greetings of its own) is its own business.
    std::string_view rest = trimmed(*line);
    if (take_word(rest, word)) return std::string(rest);
    if (take_word(rest, "error")) return fail(fmt::format("{}: {}", process_.name(), *line));
    // A flood of lines must not hold us beyond the deadline either.
    if (ChildProcess::Clock::now() > deadline_) {
      return fail(fmt::format("{}: does not say \"{}\" in time", process_.name(), word));
    }
  }
}

Result<std::string> TextEngine::answer() {
  Result<std::string> move = wait_for("bestmove");
  if (!move) return move;
  if (const std::size_t ponder = move->find(" ponder "); ponder != std::string::npos) {
    move->resize(ponder);
  }
  return move;
}

void TextEngine::quit() {
  const auto deadline = ChildProcess::Clock::now() + std::chrono::milliseconds(500);
  // Whether it listens does not matter: its process is killed next.
  (void)process_.write_line("quit", deadline);
  process_.close_input();
  while (process_.read_line(deadline) && ChildProcess::Clock::now() < deadline) {
  }
}

}  // namespace senet
