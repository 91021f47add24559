#include "tools/match/text_engine.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/protocol/words.hpp"

namespace senet {
namespace {

std::vector<ChildProcess*> processes_of(std::span<TextEngine* const> engines,
                                        ChildProcess TextEngine::*process) {
  std::vector<ChildProcess*> processes;
  for (TextEngine* const engine : engines) processes.push_back(&(engine->*process));
  return processes;
}

}  // namespace

Result<TextEngine> TextEngine::start(const TextEngineSettings& settings) {
  Result<ChildProcess> process = ChildProcess::start_shell(settings.command);
  if (!process) return process.error();
  TextEngine engine(std::move(*process), settings.answer_time);
  const auto exchange = [&](const std::vector<std::string>& lines, std::string_view reply) {
    const Result<void> sent = engine.send(lines, settings.start_time);
    return sent ? engine.wait_for(reply) : sent;
  };
  const bool is_uci = settings.protocol == EngineProtocol::kUci;
  const std::string word = is_uci ? "uci" : "ubgi";
  if (const auto greeted = exchange({word}, word + "ok"); !greeted) {
    return greeted.error();
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : settings.options) {
    lines.push_back(fmt::format("setoption name {} value {}", name, value));
  }
  lines.emplace_back("isready");
  if (const auto set = exchange(lines, "readyok"); !set) return set.error();
  // Positions are always sent whole, so that one process can serve many games in turns.
  lines = {is_uci ? "ucinewgame" : "newgame", "isready"};
  if (const auto ready = exchange(lines, "readyok"); !ready) return ready.error();
  return engine;
}

Result<void> TextEngine::send(const std::vector<std::string>& lines,
                              std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  for (const std::string& line : lines) {
    if (const auto written = process_.write_line(line, deadline); !written) return written;
  }
  deadline_ = Clock::now() + time;
  return {};
}

Result<void> TextEngine::ask(const std::vector<std::string>& lines) {
  return send(lines, answer_time_);
}

Result<std::optional<std::string>> TextEngine::look_for(std::string_view word) {
  // In this order: what is there counts however late we come. It is taken once, so that a flood of
  // lines does not hold us.
  const bool is_late = Clock::now() >= deadline_;
  process_.listen();
  for (;;) {
    Result<std::optional<std::string>> line = process_.next_line();
    if (!line) return line;
    if (!*line) break;
    // Whatever else it says ("info ...", greetings of its own) is its own business.
    protocol::Words words(**line);
    const std::string_view first = words.next();
    if (first == word) return std::string(words.rest());
    if (first == "error") return fail(fmt::format("{}: {}", process_.name(), **line));
  }
  if (is_late) return process_.failure(fmt::format("does not say \"{}\" in time", word));
  return std::nullopt;
}

Result<void> TextEngine::wait_for(std::string_view word) {
  ChildProcess* const process = &process_;
  for (;;) {
    const Result<std::optional<std::string>> found = look_for(word);
    if (!found) return found.error();
    if (*found) return {};
    ChildProcess::wait_for_any({&process, 1}, deadline_);
  }
}

Result<std::optional<std::string>> TextEngine::answer() {
  Result<std::optional<std::string>> move = look_for("bestmove");
  if (!move || !*move) return move;
  if (const std::size_t ponder = (*move)->find(" ponder "); ponder != std::string::npos) {
    (*move)->resize(ponder);
  }
  return move;
}

void TextEngine::wait_for_any(std::span<TextEngine* const> engines,
                              std::chrono::milliseconds longest) {
  auto deadline = Clock::now() + longest;
  for (const TextEngine* engine : engines) deadline = std::min(deadline, engine->deadline_);
  ChildProcess::wait_for_any(processes_of(engines, &TextEngine::process_), deadline);
}

void TextEngine::quit(std::span<TextEngine* const> engines) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(500);
  std::vector<ChildProcess*> running = processes_of(engines, &TextEngine::process_);
  for (ChildProcess* const process : running) {
    // Whether it listens does not matter: in the end its process is killed.
    (void)process->write_line("quit", deadline);
    process->close_input();
  }
  for (;;) {
    std::erase_if(running,
                  [](const ChildProcess* process) { return process->has_closed_output(); });
    if (running.empty() || Clock::now() >= deadline) return;
    ChildProcess::wait_for_any(running, deadline);
  }
}

}  // namespace senet
