// senet selfplay: plays games against itself, trains on them, and keeps everything in a run folder.
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "tools/command.hpp"
#include "tools/stop_signals.hpp"
#include "train_bridge/resident_memory.hpp"
#include "train_bridge/run.hpp"

namespace senet {
namespace {

struct SelfPlayArguments {
  std::string game;
  RunOptions options;
  bool quiet = false;  // no progress line
  bool print_config = false;
  bool no_train = false;
  std::map<std::string, std::string, std::less<>> settings;  // as given, by name
};

// The first standard game.
std::string default_game() {
  const auto games = all_games<AnyGame>();
  const auto standard = std::ranges::find_if(games, &AnyGame::is_standard);
  return std::string((standard == games.end() ? games.front() : *standard)->name);
}

void apply(const SelfPlayArguments& arguments, RunConfig& config) {
  for (const auto& [name, text] : arguments.settings) {
    if (const auto applied = apply_setting(config, name, text); !applied) {
      throw fail("--" + applied.error().reason());
    }
  }
  const auto is_typed = [&](const char* name) { return arguments.settings.contains(name); };
  if (is_typed("mode") && !is_typed("policy-weight")) {
    const bool has_policy = config.learn.samples.evaluates == Evaluates::kPosition;
    config.learn.trainer.policy_weight = has_policy ? 1.0f : 0.0f;
  }
  // A --visits below the default of --fast-visits lowers that too.
  auto& play = config.selfplay.play;
  if (!is_typed("fast-visits")) play.fast_visits = std::min(play.fast_visits, play.full_visits);
  check_config(config).value();
}

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

constexpr std::array kPhases = {"playing", "finishing the games in progress",
                                "abandoning the games in progress", "saving"};

std::string progress_text(const RunProgress& now) {
  const LearnProgress& learn = now.learn;
  const auto whole = static_cast<std::uint64_t>(now.seconds);
  return fmt::format(
      "{:02}:{:02} {} | {} games, {:.0f}/min | {:.0f} K evaluations/s | step {}, network {} | loss "
      "{:.3f} + {:.3f} | {:.0f} MiB",
      whole / 60, whole % 60, kPhases[static_cast<std::size_t>(now.phase)], learn.games,
      now.games_per_minute, now.evaluations_per_second / 1000, learn.steps, learn.iterations,
      learn.policy_loss, learn.value_loss, resident_mib());
}

// The first SIGTERM, SIGINT or SIGHUP finishes the games in progress, the second one drops them.
Result<void> play(Run& run, bool quiet) {
  StopSignals signals(StopSignals::Mode::kEach);
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  bool has_begun = false;
  std::optional<RunPhase> shown;
  double shown_at = 0;
  RunHooks hooks;
  hooks.begins = [&](const RunBeginning& begun) {
    const SelfPlaySettings& settings = begun.config.selfplay;
    fmt::print(
        stderr,
        "{} | {} workers x {} lanes, {} visits | network {} ({} parameters) | trainer {} | {}\n",
        begun.config.game, settings.workers, settings.worker.lanes, settings.play.full_visits,
        id_text(begun.network), parameter_count(begun.config.network), begun.trainer,
        run.folder().string());
    has_begun = true;
  };
  // A progress line on a terminal, else a log line every 10 s and for each new phase.
  hooks.progresses = [&](const RunProgress& now) {
    if (quiet || (!is_terminal && now.seconds - shown_at < 10 && now.phase == shown)) return;
    shown_at = now.seconds;
    shown = now.phase;
    std::string line = progress_text(now);
    // Truncate: a wrapped line would not be erased completely by the next update.
    line = is_terminal ? "\r\x1b[K" + line.substr(0, terminal_columns() - 1) : line + '\n';
    // Ignore errors, for example a closed terminal: metrics.jsonl has the same figures.
    static_cast<void>(std::fputs(line.c_str(), stderr));
    std::fflush(stderr);
  };
  hooks.order = [&] {
    const int stops = signals.count();
    return stops == 0 ? RunOrder::kGoOn : stops == 1 ? RunOrder::kFinish : RunOrder::kDrop;
  };
  hooks.warning = [&](const std::string& reason) {
    fmt::print(stderr, "{}senet selfplay: {}\n", has_begun ? "\n" : "", reason);
  };
  const Result<RunSummary> ended = run.play(hooks);
  if (is_terminal && shown) std::fputc('\n', stderr);
  return ended ? Result<void>() : ended.error();
}

Job prepare(const SelfPlayArguments& arguments) {
  RunOptions options = arguments.options;
  options.train = !arguments.no_train;
  if (options.resume && options.folder.empty()) throw fail("--resume requires --run");
  RunConfig config =
      (options.resume ? load_config(options.folder / "config.json")
                      : default_config(arguments.game.empty() ? default_game() : arguments.game))
          .value();
  if (!arguments.game.empty() && arguments.game != config.game) {
    throw fail(
        fmt::format("--game: the run in {} is for {}", options.folder.string(), config.game));
  }
  apply(arguments, config);
  if (arguments.print_config) {
    return [text = config_text(config)]() -> Result<void> {
      fmt::print("{}\n", text);
      return {};
    };
  }
  Run run = Run::open(**find_game<RunGame>(config.game), config, options, [](const auto& reason) {
              fmt::print(stderr, "{}\n", reason);
            }).value();
  return [run = std::move(run), quiet = arguments.quiet]() mutable { return play(run, quiet); };
}

}  // namespace

void add_selfplay_command(const Command& program) {
  auto arguments = std::make_shared<SelfPlayArguments>();
  const Command command = program.add_command(
      "selfplay", "Play games against itself, train on them, keep everything in a run folder");
  command.option("--game", arguments->game, "the game (default: " + default_game() + ")");
  command.option("--run", arguments->options.folder, "the run folder");
  command.flag("--resume", arguments->options.resume,
               "continue the run in the folder with its settings");
  command.option("--minutes", arguments->options.minutes, "stop after this time; 0: never")
      .not_negative();
  command.option("--games", arguments->options.games, "stop after this many games; 0: never");
  command.option("--weights", arguments->options.weights, "start from these weights");
  command.flag("--no-train", arguments->no_train, "only play and record");
  command.flag("--quiet", arguments->quiet, "print no progress line");
  command.flag("--print-config", arguments->print_config,
               "print the settings that this call would use, and exit");
  TrainerChoice& trainer = arguments->options.trainer;
  add_setting(command, setting_of(&TrainerChoice::backend), trainer.backend);
  add_setting(command, setting_of(&TrainerChoice::precision), trainer.precision);
  const auto on_device = setting_of(&TrainerChoice::replay_on_device);
  command.flag("--replay-on-device", trainer.replay_on_device, std::string(on_device.help));
  command.heading("Settings (default: the game's own recipe, see --print-config)");
  const RunConfig names;
  for_each_setting(names, [&](const auto& entry, const auto&) {
    const auto keep = [arguments, name = std::string(entry.name)](const std::string& text) {
      arguments->settings[name] = text;
      return Result<void>();
    };
    command.option("--" + std::string(entry.name), option_type(entry), keep,
                   std::string(entry.help));
  });
  command.runs([arguments] { return prepare(*arguments); });
}

}  // namespace senet
