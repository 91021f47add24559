#include "tools/play/process_player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ranges>
#include <system_error>

#include "tools/play/protocol/words.hpp"

namespace senet {

Result<Action> MoveProcess::best_move(const AnyState& state, const IsStopped& is_stopped) {
  const Result<std::string> words = best_words(state, is_stopped);
  if (!words) return words.error();
  const Result<Action> action = state.action_from_text(*words);
  if (action) return action;
  return fail(SENET_BAD_ACTION,
              fmt::format("illegal move \"{}\" in {} ({}); request: {}; reason: {}", *words,
                          state.text(), name(), question(state), action.error().reason()));
}

Result<TextEngine> TextEngine::start(const TextEngineSettings& settings) {
  Result<ChildProcess> process = ChildProcess::start_shell(settings.command);
  if (!process) return process.error();
  TextEngine engine(std::move(*process), settings);
  const bool is_uci = settings.protocol == EngineProtocol::kUci;
  const std::string word = is_uci ? "uci" : "ubgi";
  std::vector<std::string> options;
  for (const auto& [name, value] : settings.options) {
    options.push_back(fmt::format("setoption name {} value {}", name, value));
  }
  options.emplace_back("isready");
  const std::pair<std::vector<std::string>, std::string> exchanges[] = {
      {{word}, word + "ok"},
      {options, "readyok"},
      // Each request contains the whole position, so that one process can alternate between games.
      {{is_uci ? "ucinewgame" : "newgame", "isready"}, "readyok"}};
  for (const auto& [lines, reply] : exchanges) {
    if (const auto sent = engine.send(lines, settings.start_time); !sent) return sent.error();
    if (const auto replied = engine.wait_for(reply); !replied) return replied.error();
  }
  return engine;
}

std::vector<std::string> TextEngine::lines_about(const AnyState& state) const {
  std::vector<std::string> lines = settings_.protocol == EngineProtocol::kUci
                                       ? std::vector{fmt::format("position fen {}", state.text())}
                                       : state.game().ubgi_question(state);
  lines.push_back(settings_.go);
  return lines;
}

std::string TextEngine::question(const AnyState& state) const {
  return fmt::format("{}", fmt::join(lines_about(state), " | "));
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
  return send(lines, settings_.answer_time);
}

Result<std::string> TextEngine::wait_for(std::string_view word, const IsStopped& is_stopped) {
  constexpr std::chrono::milliseconds kLookForStop(50), kReading(1000);
  // Output that arrived before the deadline counts even if we read it later. last_line bounds the
  // reading, in case the engine never stops printing.
  const auto last_line = std::max(deadline_, Clock::now()) + kReading;
  for (;;) {
    if (is_stopped && is_stopped())
      return fail(SENET_STOPPED, "stopped while the program was thinking");
    const auto now = Clock::now();
    const Result<std::optional<std::string>> line =
        process_.next_line(std::min(deadline_, now + kLookForStop));
    if (!line) return line.error();
    if (*line) {
      // All other lines are ignored ("info ...", greetings).
      protocol::Words words(**line);
      const std::string_view first = words.next();
      if (first == word) return std::string(words.rest());
      if (first == "error") return fail(fmt::format("{}: {}", process_.name(), **line));
    }
    if (now >= (*line ? last_line : deadline_)) {
      return process_.failure(fmt::format("did not answer \"{}\" in time", word));
    }
  }
}

Result<std::string> TextEngine::answer(const IsStopped& is_stopped) {
  Result<std::string> move = wait_for("bestmove", is_stopped);
  if (move) move->resize(std::min(move->find(" ponder "), move->size()));
  return move;
}

Result<std::string> TextEngine::best_words(const AnyState& state, const IsStopped& is_stopped) {
  const Result<void> asked = ask(lines_about(state));
  return asked ? answer(is_stopped) : asked.error();
}

void TextEngine::quit() {
  const auto deadline = Clock::now() + std::chrono::milliseconds(500);
  // A failure does not matter: the destructor kills the process.
  (void)process_.write_line("quit", deadline);
  process_.close_input();
  while (Clock::now() < deadline && process_.read_line(deadline)) continue;
}

Result<std::unique_ptr<ProcessPlayer>> ProcessPlayer::start(MoveProcess::Start start,
                                                            std::size_t processes,
                                                            MoveProcess::IsStopped is_stopped) {
  std::unique_ptr<ProcessPlayer> player(new ProcessPlayer(std::move(start), std::move(is_stopped)));
  player->slots_.resize(processes);
  for (Slot& slot : player->slots_) {
    if (const Result<void> started = player->start(slot); !started) return started.error();
  }
  return player;
}

ProcessPlayer::~ProcessPlayer() {
  try {
    share_out(slots_, slots_.size(), [](Slot& slot, std::size_t) {
      if (slot.process) slot.process->quit();
      return true;
    });
  } catch (const std::system_error&) {
    // No thread could be started: processes that did not get "quit" are killed.
  }
}

Result<void> ProcessPlayer::choose(std::span<const AnyState> states, std::span<const Random>,
                                   std::span<Action> actions) {
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    slots_[p].state = p;
    slots_[p].is_second = false;
  }
  std::atomic<bool> is_lost = false;  // an illegal move: no other answer matters
  const auto is_stopped = [&] { return is_lost || (is_stopped_ && is_stopped_()); };
  const auto ask = [&](Slot& slot, std::size_t i) {
    if (i < slot.state) return true;  // answered in an earlier round
    if (is_stopped()) {
      slot.failure = fail(SENET_STOPPED, "stopped");
      return false;
    }
    const Result<Action> action = slot.process->best_move(states[i], is_stopped);
    if (action) {
      actions[i] = *action;
      slot.state = i + slots_.size();
      slot.is_second = false;
      return true;
    }
    slot.failure = action.error();
    if (action.error().status() == SENET_BAD_ACTION) {
      is_lost = true;
    } else {
      slot.process.reset();
    }
    return false;
  };
  const auto is_done = [&](const Slot& slot) { return slot.state >= states.size(); };
  while (!std::ranges::all_of(slots_, is_done)) {
    // Start processes here: no time limit is running, and a process started in a share_out() thread
    // could end with that thread.
    for (Slot& slot : slots_) {
      if (slot.process || is_done(slot)) continue;
      if (const Result<void> started = start(slot); !started) {
        ++faults_.crashes;
        return failed_twice(slot, started.error(), states);
      }
    }
    share_out(slots_, states.size(), ask);
    if (const Result<void> counted = count_failures(states); !counted) return counted;
  }
  return {};
}

Result<void> ProcessPlayer::start(Slot& slot) {
  Result<std::unique_ptr<MoveProcess>> process = start_();
  if (!process) return process.error();
  slot.process = std::move(*process);
  return {};
}

// Fails when a slot must not be retried. An illegal move stops all slots and becomes the reason; of
// several illegal moves only the one in the first position is counted and reported.
Result<void> ProcessPlayer::count_failures(std::span<const AnyState> states) {
  Result<void> counted;
  const Slot* illegal = nullptr;                     // with the lowest state index
  for (Slot& slot : slots_ | std::views::reverse) {  // so that the first slot's reason wins
    if (!slot.failure) continue;
    if (slot.failure->status() == SENET_STOPPED) {
      if (counted) counted = *slot.failure;
    } else if (slot.failure->status() == SENET_BAD_ACTION) {
      if (illegal == nullptr || slot.state < illegal->state) illegal = &slot;
    } else {
      ++faults_.crashes;
      if (std::exchange(slot.is_second, true)) counted = failed_twice(slot, *slot.failure, states);
    }
  }
  if (illegal != nullptr) {
    ++faults_.illegal;
    faults_.state = illegal->state;
    counted = *illegal->failure;
  }
  for (Slot& slot : slots_) slot.failure.reset();
  return counted;
}

Error ProcessPlayer::failed_twice(const Slot& slot, const Error& error,
                                  std::span<const AnyState> states) {
  faults_.state = slot.state;
  return fail(fmt::format("{} (in {}, asked twice)", error.reason(), states[slot.state].text()));
}

}  // namespace senet
