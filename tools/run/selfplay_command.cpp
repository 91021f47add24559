// senet selfplay: plays games against itself, trains on them, and keeps everything in a run folder.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "tools/command.hpp"
#include "tools/stop_signals.hpp"
#include "tools/terminal.hpp"
#include "train_bridge/resident_memory.hpp"
#include "train_bridge/run.hpp"

namespace senet {
namespace {

struct SelfPlayArguments {
  std::string game;
  RunOptions options;
  bool quiet = false;  // no progress line and no summary
  bool verbose = false;
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

/// "12:34", or "1:02:34" from an hour on.
std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(seconds, 0.0));
  const std::string minutes = fmt::format("{:02}:{:02}", whole / 60 % 60, whole % 60);
  return whole < 3600 ? minutes : fmt::format("{}:{}", whole / 3600, minutes);
}

/// A number with commas between thousands.
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

std::string loss_text(const LearnProgress& learn) {
  return fmt::format("policy loss {:.3f}, value loss {:.3f}", learn.policy_loss, learn.value_loss);
}

/// The progress line: as many of its parts, by importance, as fit into `columns`.
std::string progress_text(const RunProgress& now, const RunOptions& options, std::size_t columns) {
  const LearnProgress& learn = now.learn;
  std::string line = clock_text(now.seconds);
  if (now.phase == RunPhase::kPlaying) {
    if (options.minutes > 0) {
      line += fmt::format(", {} left", clock_text(options.minutes * 60 - now.seconds));
    }
  } else {
    constexpr std::array kPhases = {"", "finishing the games in progress",
                                    "abandoning the games in progress", "saving"};
    line.append(" ").append(kPhases[static_cast<std::size_t>(now.phase)]);
  }
  std::vector<std::string> parts = {
      fmt::format("{} games, {:.0f}/min", learn.games, now.games_per_minute)};
  if (options.train) {
    parts.push_back(fmt::format("loss {:.3f} + {:.3f}", learn.policy_loss, learn.value_loss));
    // At the limit of what it may owe, the trainer drops steps that self-play has earned.
    parts.push_back(learn.dropped_steps > 0
                        ? fmt::format("trainer behind: {:.0f} steps dropped", learn.dropped_steps)
                        : fmt::format("trainer {:.0f} %",
                                      100 * learn.train_seconds / std::max(now.seconds, 1e-3)));
    parts.push_back(fmt::format("step {}, network {}", learn.steps, learn.iterations));
  }
  parts.push_back(fmt::format("{:.0f} K evaluations/s", now.evaluations_per_second / 1000));
  parts.push_back(fmt::format("{:.0f} MiB", resident_mib()));
  for (const std::string& part : parts) {
    if (line.size() + 3 + part.size() > columns) break;
    line.append(" | ").append(part);
  }
  return line;
}

/// What a run did, and what to do with it.
void print_summary(const RunSummary& ended, const std::string& game, const RunOptions& options) {
  const RunProgress& done = ended.progress;
  const std::string folder = options.folder.string(), weights = ended.weights.string();
  fmt::print(stderr, "\n{} games in {}, {:.0f} a minute; {} positions in the run\n",
             grouped(done.finished_games), clock_text(done.seconds),
             60 * static_cast<double>(done.finished_games) / std::max(done.seconds, 1e-3),
             grouped(done.learn.positions));
  if (options.train) {
    fmt::print(stderr, "{} training steps in the run, {} networks published; {}\n",
               grouped(done.learn.steps), done.learn.iterations, loss_text(done.learn));
  }
  fmt::print(stderr, "newest weights: {}\nnext:\n", weights);
  if (options.train) {
    fmt::print(stderr, "  senet match --game {} --first {} --second untrained\n", game, weights);
  }
  fmt::print(stderr, "  senet selfplay --resume --run {}\n", folder);
}

// The first SIGTERM, SIGINT or SIGHUP finishes the games in progress, the second one drops them.
Result<void> play(Run& run, const std::string& game, const SelfPlayArguments& arguments) {
  const RunOptions& options = arguments.options;
  StopSignals signals(StopSignals::Mode::kEach);
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  bool has_begun = false;
  std::optional<RunPhase> shown;
  double shown_at = 0;
  RunHooks hooks;
  hooks.begins = [&](const RunBeginning& begun) {
    const SelfPlaySettings& settings = begun.config.selfplay;
    fmt::print(stderr, "{} | {} workers x {} lanes, {} visits | trainer {}\n", game,
               settings.workers, settings.worker.lanes, settings.play.full_visits, begun.trainer);
    fmt::print(stderr, "run {} | network {}, {} parameters\n", run.folder().string(),
               id_text(begun.network), grouped(parameter_count(begun.config.network)));
    has_begun = true;
  };
  // A progress line on a terminal, else a log line every 10 s and for each new phase.
  hooks.progresses = [&](const RunProgress& now) {
    if (arguments.quiet || (!is_terminal && now.seconds - shown_at < 10 && now.phase == shown))
      return;
    shown_at = now.seconds;
    shown = now.phase;
    // A line that wraps would not be erased completely by the next update.
    std::string line =
        progress_text(now, options, is_terminal ? terminal_columns(STDERR_FILENO) - 1 : 80);
    line = is_terminal ? "\r\x1b[K" + line : line + '\n';
    // Ignore errors, for example a closed terminal: metrics.jsonl has the same figures.
    static_cast<void>(std::fputs(line.c_str(), stderr));
    std::fflush(stderr);
  };
  hooks.order = [&] {
    const int stops = signals.count();
    return stops == 0 ? RunOrder::kContinue : stops == 1 ? RunOrder::kFinish : RunOrder::kDrop;
  };
  hooks.warning = [&](const std::string& reason) {
    fmt::print(stderr, "{}senet selfplay: {}\n", has_begun ? "\n" : "", reason);
  };
  if (arguments.verbose) {
    hooks.note = [](const std::string& reason) { fmt::print(stderr, "note: {}\n", reason); };
  }
  const Result<RunSummary> ended = run.play(hooks);
  if (is_terminal && shown) std::fputc('\n', stderr);
  if (!ended) return ended.error();
  if (!arguments.quiet) print_summary(*ended, game, options);
  return {};
}

Job prepare(const SelfPlayArguments& arguments) {
  const RunOptions& options = arguments.options;
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
  if (options.folder.empty()) throw fail("--run: name the run folder");
  Run run = Run::open(**find_game<RunGame>(config.game), config, options, [](const auto& reason) {
              fmt::print(stderr, "{}\n", reason);
            }).value();
  return [run = std::move(run), game = config.game, arguments]() mutable {
    return play(run, game, arguments);
  };
}

}  // namespace

void add_selfplay_command(const Command& program) {
  auto arguments = std::make_shared<SelfPlayArguments>();
  const Command command = program.add_command(
      "selfplay", "Play games against itself, train on them, keep everything in a run folder");
  RunOptions& options = arguments->options;
  command.heading("Run");
  command.option("--game", arguments->game, "the game")
      .shows_type("NAME")
      .shows_default(default_game());
  command.option("--run", options.folder, "the run folder");
  command.flag("--resume", options.resume, "continue the run in the folder with its settings");
  command.option("--minutes", options.minutes, "stop after this time; 0: never")
      .not_negative("--minutes 90");
  command.option("--games", options.games, "stop after this many games; 0: never");
  command.option("--weights", options.weights, "start from these weights");
  command.flag("--no-train", arguments->no_train, "only play and record");
  command.flag("--print-config", arguments->print_config,
               "print the settings that this call would use, and exit");
  command.flag("--quiet", arguments->quiet, "print no progress line and no summary");
  command.flag("--verbose", arguments->verbose, "print notes, such as why no device trains");
  TrainerChoice& trainer = options.trainer;
  add_setting(command, setting_of(&TrainerChoice::backend), trainer.backend);
  add_setting(command, setting_of(&TrainerChoice::precision), trainer.precision);
  const auto on_device = setting_of(&TrainerChoice::replay_on_device);
  command.flag("--replay-on-device", trainer.replay_on_device, std::string(on_device.help));
  const RunConfig names;
  const auto add = [&]<class Struct, class Value>(const Setting<Struct, Value>& entry,
                                                  const Value&) {
    const auto keep = [arguments, name = std::string(entry.name)](const std::string& text) {
      arguments->settings[name] = text;
      return Result<void>();
    };
    command.heading(std::string(settings_heading(std::type_identity<Struct>{})));
    command.option("--" + std::string(entry.name), option_type(entry), keep,
                   std::string(entry.help));
  };
  for_each_setting(names, add);
  command.footer(
      "The defaults of the settings from --mode on are the game's recipe: senet selfplay "
      "--game NAME --print-config prints them.");
  command.runs([arguments] {
    arguments->options.train = !arguments->no_train;
    return prepare(*arguments);
  });
}

}  // namespace senet
