#include "tools/bench_processes.hpp"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "tools/child_process.hpp"

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;

ChildProcess::Deadline soon() { return Clock::now() + std::chrono::seconds(60); }

/// One game and the process that thinks about it.
class ProcessGame {
 public:
  static Result<ProcessGame> start(const AnyGame& rules, const std::string& weights) {
    std::error_code unknown;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
    constexpr const char* kHashMib = "2";  // room for kBenchTreeVisits in all games here
    auto process = ChildProcess::start({program.string(), "uci", "--game", std::string(rules.name),
                                        "--weights", weights, "--hash", kHashMib});
    if (!process) return process.error();
    ProcessGame game(rules, std::move(*process));
    if (const auto sent = game.process_.write_line("isready", soon()); !sent) {
      return sent.error();
    }
    const auto ready = game.wait_for("readyok");
    if (!ready) return ready.error();
    return game;
  }

  Result<void> ask(std::uint32_t visits, Random& random) {
    go_to_decision(random);
    const auto sent = process_.write_line(fmt::format("position {}", state_.text()), soon());
    if (!sent) return sent;
    return process_.write_line(fmt::format("go nodes {}", visits), soon());
  }

  Result<void> take_answer() {
    const auto words = wait_for("bestmove");
    if (!words) return words.error();
    const auto action = state_.action_from_text(*words);
    if (!action) return fail(fmt::format("{}: {}", state_.text(), action.error().reason()));
    state_.play(*action);
    return {};
  }

  pid_t id() const { return process_.id(); }

 private:
  ProcessGame(const AnyGame& game, ChildProcess process)
      : process_(std::move(process)), state_(game) {}

  /// What follows `word` in the first line that begins with it.
  Result<std::string> wait_for(std::string_view word) {
    for (;;) {
      auto line = process_.read_line(soon());
      if (!line) return line;
      if (line->starts_with("error")) return fail(fmt::format("senet uci: {}", *line));
      if (line->starts_with(word)) {
        return line->size() > word.size() ? line->substr(word.size() + 1) : std::string();
      }
    }
  }

  void go_to_decision(Random& random) {
    while (!is_decision(state_.turn())) {
      if (state_.turn() == Turn::kOver) {
        state_ = AnyState(state_.game());
      } else {
        state_.play(draw_action(state_, random));
      }
    }
  }

  ChildProcess process_;
  AnyState state_;
};

Result<ProcessLoad> run(const AnyGame& rules, const std::string& weights, std::size_t count,
                        const BenchSettings& settings) {
  std::vector<ProcessGame> games;
  std::vector<pid_t> ids;
  for (std::size_t i = 0; i < count; ++i) {
    auto game = ProcessGame::start(rules, weights);
    if (!game) return game.error();
    ids.push_back(game->id());
    games.push_back(std::move(*game));
  }
  Random random(settings.seed, count, 1, Purpose::kTest);
  const auto round = [&]() -> Result<void> {
    for (auto& game : games) {
      if (const auto asked = game.ask(settings.visits, random); !asked) return asked;
    }
    for (auto& game : games) {
      if (const auto answered = game.take_answer(); !answered) return answered;
    }
    return {};
  };
  if (const auto warm = round(); !warm) return warm.error();
  const auto start = Clock::now();
  double seconds = 0;
  std::size_t searches = 0;
  while (seconds < settings.seconds) {
    if (const auto done = round(); !done) return done.error();
    searches += count;
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return ProcessLoad{static_cast<double>(searches) / seconds, shared_out_mib(ids).value_or(0)};
}

}  // namespace

Result<ProcessLoad> run_processes(const std::string& game, const std::string& weights,
                                  std::size_t count, const BenchSettings& settings) {
  const Result<const AnyGame*> rules = find_game<AnyGame>(game);
  if (!rules) return rules.error();
  return run(**rules, weights, count, settings);
}

std::optional<double> shared_out_mib(std::span<const pid_t> others) {
  double kib = 0;
  const auto add = [&](const std::string& process) {
    std::ifstream file(fmt::format("/proc/{}/smaps_rollup", process));
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("Pss:")) continue;
      kib += std::strtod(line.c_str() + 4, nullptr);
      return true;
    }
    return false;
  };
  if (!add("self")) return std::nullopt;
  for (const pid_t id : others) {
    if (!add(std::to_string(id))) return std::nullopt;
  }
  return kib / 1024;
}

}  // namespace senet
