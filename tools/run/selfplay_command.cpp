// senet selfplay: plays games against itself, trains on them, and keeps everything in a run folder.
// senet train: the same with recorded games in place of new ones.
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "games/games.hpp"
#include "tools/command.hpp"
#include "tools/metric.hpp"
#include "tools/run/daemon.hpp"
#include "tools/stop_signals.hpp"
#include "tools/terminal.hpp"
#include "train_bridge/resident_memory.hpp"
#include "train_bridge/run.hpp"

namespace senet {
namespace {

constexpr const char* kLogFile = "selfplay.log";  // of a run folder

struct SelfPlayArguments {
  std::string game;
  RunOptions options;
  const char* command = "selfplay";
  bool quiet = false;  // no progress line and no summary
  bool verbose = false;
  bool print_config = false;
  bool detach = false;
  bool no_train = false;
  std::map<std::string, std::string, std::less<>> settings;  // as given, by name
};

// The first standard game.
const AnyGame& default_game(const Games& games) {
  const auto all = games.all();
  const auto standard = std::ranges::find_if(all, &AnyGame::is_standard);
  return standard == all.end() ? *all.front() : **standard;
}

Result<const RunGame*> find_run_game(const Games& games, std::string_view name) {
  const auto game = games.find(name);
  if (!game) return game.error();
  return table_of<RunGame>(**game);
}

void apply(const SelfPlayArguments& arguments, const RunGame& game, RunConfig& config) {
  const auto is_typed = [&](const char* name) { return arguments.settings.contains(name); };
  // The mode of a new run decides whether a policy is trained, unless that was typed too.
  const auto mode = arguments.settings.find("mode");
  if (!arguments.options.resume && mode != arguments.settings.end()) {
    apply_setting(config, mode->first, mode->second).value();
    const bool has_policy = config.learn.samples.evaluates == Evaluates::kPosition;
    config.learn.trainer.policy_weight = has_policy ? 1.0f : 0.0f;
    config.network.dueling = config.learn.samples.evaluates == Evaluates::kMoves;
    config.network.policy_head = has_policy || config.network.dueling;
  }
  for (const auto& [name, text] : arguments.settings) {
    apply_setting(config, name, text).value();
  }
  // A --visits below the default of --fast-visits lowers that too.
  auto& play = config.selfplay.play;
  if (!is_typed("fast-visits")) play.fast_visits = std::min(play.fast_visits, play.full_visits);
  check_config(game, config).value();
}

/// Whether this call has trained, so that the losses are known.
bool has_losses(const LearnProgress& learn) {
  return learn.policy_loss > 0 || learn.value_loss > 0;
}

/// "loss: policy 1.68, value 0.95"; without the policy's if none is trained.
std::string losses_text(const LearnProgress& learn, int decimals) {
  const std::string value = fmt::format("value {:.{}f}", learn.value_loss, decimals);
  if (learn.policy_loss == 0) return "loss: " + value;
  return fmt::format("loss: policy {:.{}f}, {}", learn.policy_loss, decimals, value);
}

/// Whether the trainer keeps up: it drops steps when self-play has earned more than it may owe.
class TrainerPace {
 public:
  /// Reports that it is behind until ten seconds after the last dropped step.
  bool keeps_up(const RunProgress& now) {
    const double dropped = now.learn.dropped_steps;
    if (dropped > dropped_.value_or(dropped)) behind_until_ = now.seconds + 10;
    dropped_ = dropped;
    return now.seconds >= behind_until_;
  }

 private:
  std::optional<double> dropped_;
  double behind_until_ = 0;
};

/// The progress line: as many of its parts, by importance, as fit into `columns`.
std::string progress_text(const RunProgress& now, const RunOptions& options, bool keeps_up,
                          std::size_t columns) {
  const LearnProgress& learn = now.learn;
  std::string line = clock_text(now.seconds);
  if (now.phase != RunPhase::kPlaying) {
    line.append(" ").append(name_of(now.phase));
  } else if (options.minutes > 0) {
    line = clock_text(options.minutes * 60 - now.seconds) + " left";
  }
  std::vector<std::string> parts;
  const std::string games = count_text(learn.games, "game");
  const bool has_rate = now.phase == RunPhase::kPlaying && now.rates.games_per_minute > 0;
  parts.push_back(has_rate
                      ? fmt::format("{} games/min",
                                    grouped(static_cast<std::uint64_t>(now.rates.games_per_minute)))
                      : games);
  if (options.train) {
    parts.push_back(has_losses(learn)
                        ? losses_text(learn, 2)
                        : "no training yet, " + count_text(learn.positions, "position"));
    if (has_losses(learn)) parts.emplace_back(keeps_up ? "trainer keeps up" : "trainer behind");
  }
  if (has_rate) parts.push_back(games);
  if (options.train && learn.planned_share >= 0.005) {
    parts.push_back(fmt::format("{:.0f} % of the plan", 100 * learn.planned_share));
  }
  if (learn.steps > 0) parts.push_back(fmt::format("step {}", grouped(learn.steps)));
  if (has_rate) {
    parts.push_back(fmt::format("{:.0f} K evaluations/s", now.rates.evaluations_per_second / 1000));
  }
  parts.push_back(fmt::format("{:.0f} MiB", resident_mib()));
  for (const std::string& part : parts) {
    if (line.size() + 2 + part.size() > columns) break;
    line.append("  ").append(part);
  }
  return line;
}

/// What plays and trains.
std::string beginning_text(const RunBeginning& begun, const Run& run, const RunOptions& options) {
  const SelfPlaySettings& settings = begun.config.selfplay;
  const PlaySettings& play = settings.play;
  std::string visits = count_text(play.full_visits, "visit");
  if (play.full_share < 1 && play.fast_visits != play.full_visits) {
    visits +=
        fmt::format(" for {:.3g} % of the moves, else {}", 100 * play.full_share, play.fast_visits);
  }
  const std::string source =
      options.from.empty()
          ? fmt::format("{}; {} x {}", visits, count_text(settings.workers, "worker"),
                        count_text(settings.worker.lanes, "lane"))
          : "the games of " + options.from.string();
  std::string text = fmt::format("{}: {}\n", begun.config.game, source);
  text += fmt::format("run {}: network {}, {}\n", run.folder().string(), id_text(begun.network),
                      count_text(parameter_count(begun.config.network), "parameter"));
  text += fmt::format("trainer {}\n", options.train ? begun.trainer : "none (--no-train)");
  for (const SettingChange& change : begun.changes) text += change_text(change) + '\n';
  if (begun.games > 0) {
    text += fmt::format("continues after {}\n", count_text(begun.games, "game"));
  }
  return text;
}

/// Options that make a run with a plan twice as long.
std::string longer_plan(const LearnSettings& learn) {
  std::string text;
  if (learn.planned_games > 0) text += fmt::format(" --planned-games {}", 2 * learn.planned_games);
  if (learn.planned_minutes > 0) {
    text += fmt::format(" --planned-minutes {:g}", 2 * learn.planned_minutes);
  }
  return text;
}

/// What a run did, and what to do with it. `longer`: longer_plan() of the run.
std::string summary_text(const RunSummary& ended, const AnyGame& game, const RunOptions& options,
                         const std::string& longer) {
  const RunProgress& done = ended.progress;
  const LearnProgress& learn = done.learn;
  const std::string folder = options.folder.string(), weights = ended.weights.string();
  const double per_minute =
      60 * static_cast<double>(done.finished_games) / std::max(done.seconds, 1e-3);
  std::string text =
      fmt::format("{} in {}, {} a minute; {} in the run\n", count_text(done.finished_games, "game"),
                  clock_text(done.seconds), grouped(static_cast<std::uint64_t>(per_minute)),
                  count_text(learn.positions, "position"));
  if (options.train) {
    text += fmt::format("{} and {} in the run\n", count_text(learn.steps, "training step"),
                        count_text(learn.iterations, "network"));
    if (has_losses(learn)) text += losses_text(learn, 3) + '\n';
    if (const Resignations& of = learn.resignations; of.resigned + of.tested > 0) {
      text += fmt::format("{} resigned; {} of {} that were played to their end were no losses\n",
                          count_text(of.resigned, "game"), of.wrong, of.tested);
    }
    if (learn.dropped_steps >= 1) {
      text += fmt::format("{} dropped: self-play was faster than the trainer\n",
                          count_text(static_cast<std::uint64_t>(learn.dropped_steps), "step"));
    }
  }
  const std::string library =
      game.own_tables == nullptr ? "" : fmt::format(" --game-library {}", game.own_tables->file());
  text += fmt::format("newest weights: {}\nnext:\n", weights);
  if (game.player_count == 1) {
    text += fmt::format("  echo \"{}\" | \\\n    senet solve{} --game {} --weights {}\n",
                        AnyState(game).text(), library, game.name, weights);
  } else if (options.train) {
    text +=
        fmt::format("  senet match{} --game {} --second untrained --visits 0 \\\n    --first {}\n",
                    library, game.name, weights);
  }
  text += fmt::format("  senet selfplay{} --run {}{}{}\n", library, folder,
                      options.train ? "" : " --no-train", learn.planned_share < 1 ? "" : longer);
  return text;
}

// Whether a write of a few lines to `descriptor` does not wait for a reader.
bool has_room(int descriptor) {
  pollfd waiting{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return ::poll(&waiting, 1, 0) != 0;
}

/// Where a run's messages go: to stderr; as a daemon to RUN/selfplay.log, whose lines have the
/// time. A run does not wait for a reader that does not read: messages are dropped then. Any thread
/// may print.
class Messages {
 public:
  explicit Messages(std::optional<RotatedLog> log) : log_(std::move(log)) {}

  void print(const std::string& text) {
    if (log_) return log_->write(text);
    if (has_room(STDERR_FILENO)) print_stderr("{}", text);
  }
  RotatedLog* log() { return log_ ? &*log_ : nullptr; }

 private:
  std::optional<RotatedLog> log_;
};

// SIGTERM, SIGINT and SIGHUP park the games in play: service managers wait for seconds, and a game
// may take minutes.
Result<void> play(Run& run, const AnyGame& game, const SelfPlayArguments& arguments,
                  DaemonChild* daemon) {
  const RunOptions& options = arguments.options;
  StopSignals signals(StopSignals::Mode::kEach);
  const bool is_terminal = daemon == nullptr && isatty(STDERR_FILENO) != 0;
  std::optional<RotatedLog> log;
  if (daemon != nullptr) {
    Result<RotatedLog> opened = RotatedLog::open(options.folder / kLogFile);
    if (!opened) return opened.error();
    log.emplace(*std::move(opened));
  }
  Messages messages(std::move(log));
  ServiceManager manager;
  std::optional<RunPhase> shown;
  std::atomic<bool> has_line{false};  // a progress line on a terminal
  double shown_at = 0;
  TrainerPace pace;
  std::string longer;
  RunHooks hooks;
  hooks.begins = [&](const RunBeginning& begun) {
    longer = longer_plan(begun.config.learn);
    messages.print(beginning_text(begun, run, options));
  };
  // A progress line on a terminal, else a log line every 10 s and for each new phase.
  hooks.progresses = [&](const RunProgress& now) {
    const bool keeps_up = pace.keeps_up(now);
    if (daemon != nullptr) daemon->leave(*messages.log());
    manager.keep_alive(now.stalled_seconds);
    const bool is_due = now.seconds - shown_at >= 10 || now.phase != shown;
    if (is_due) {
      // READY belongs to the first of these messages, STOPPING to the end of play.
      const char* const sign = !shown                            ? "READY=1\n"
                               : now.phase != RunPhase::kPlaying ? "STOPPING=1\n"
                                                                 : "";
      constexpr std::size_t kColumns = 200;
      manager.send(
          fmt::format("{}STATUS={}", sign, progress_text(now, options, keeps_up, kColumns)));
    }
    if (!is_due && (!is_terminal || arguments.quiet)) return;
    if (is_due) shown_at = now.seconds;
    shown = now.phase;
    if (arguments.quiet) return;
    // A line that wraps would not be erased completely by the next update.
    const std::size_t columns = is_terminal ? terminal_columns(STDERR_FILENO) - 1 : 80;
    const std::string line = progress_text(now, options, keeps_up, columns);
    messages.print(is_terminal ? "\r\x1b[K" + line : line + '\n');
    has_line = is_terminal;
    std::fflush(stderr);
  };
  hooks.order = [&] { return signals.count() == 0 ? RunOrder::kContinue : RunOrder::kPark; };
  hooks.warning = [&](const std::string& reason) {
    messages.print(
        fmt::format("{}senet {}: {}\n", has_line ? "\n" : "", arguments.command, reason));
  };
  if (arguments.verbose) {
    hooks.note = [&](const std::string& reason) { messages.print("note: " + reason + '\n'); };
  }
  const Result<RunSummary> ended = run.play(hooks);
  if (has_line) std::fputc('\n', stderr);
  if (!ended) {
    if (daemon == nullptr) return ended.error();
    messages.print(fmt::format("senet {}: {}\n", arguments.command, ended.error().reason()));
    if (!daemon->has_left()) return ended.error();
    throw ExitCode{1};
  }
  if (arguments.quiet) return {};
  if (daemon == nullptr) messages.print("\n");
  messages.print(summary_text(*ended, game, options, longer));
  return {};
}

/// The defaults of all settings by name: "1.5", or "100, backgammon 1" where the games' recipes
/// differ.
std::map<std::string, std::string, std::less<>> default_texts(const Games& games) {
  std::map<std::string, std::string, std::less<>> texts, first;
  const auto add = [&](const AnyGame& game) {
    const RunConfig config = default_config(*table_of<RunGame>(game)).value();
    for_each_setting(config, [&](const auto& entry, const auto& value) {
      const std::string name(entry.name), text = default_text(value);
      const auto [at, is_new] = first.emplace(name, text);
      if (is_new) texts[name] = text;
      if (at->second != text) texts[name] += fmt::format(", {} {}", game.name, text);
    });
  };
  add(default_game(games));
  for (const AnyGame* const game : games.all()) add(*game);
  return texts;
}

Job prepare(SelfPlayArguments arguments, const Games& games) {
  RunOptions& options = arguments.options;
  if (options.resume && options.folder.empty()) throw fail("--resume requires --run");
  if (options.folder.empty() && !arguments.print_config) {
    throw fail("--run is required: the folder for the run, for example --run runs/first");
  }
  std::error_code unknown;
  const bool is_there =
      !options.folder.empty() && std::filesystem::exists(options.folder / "config.json", unknown);
  if (!options.from.empty()) {
    if (is_there) {
      throw fail(
          fmt::format("--from: {} already holds a run: only a new one learns from recorded games",
                      options.folder.string()));
    }
    const auto recorded = GameLogReader::open(options.from);
    if (!recorded) throw fail("--from: " + recorded.error().reason());
    if (arguments.game.empty()) arguments.game = recorded->game();
  }
  if (is_there) {
    if (!options.weights.empty()) {
      throw fail(
          fmt::format("--weights: {} already holds a run, which has its own weights: name another "
                      "folder for a new run",
                      options.folder.string()));
    }
    options.resume = true;
  }
  std::optional<DaemonChild> daemon;
  if (arguments.detach && !arguments.print_config) {
    const std::string folder = options.folder.string();
    daemon.emplace(DaemonChild::fork(fmt::format("its messages are in {}\nsenet stop {} ends it\n",
                                                 (options.folder / kLogFile).string(), folder)));
  }
  const auto find = [&games](std::string_view name) { return find_run_game(games, name); };
  const auto default_of = [&] {
    const auto game = find(arguments.game.empty() ? default_game(games).name : arguments.game);
    return game ? default_config(**game) : game.error();
  };
  RunConfig config =
      (options.resume ? load_config(options.folder / "config.json", find) : default_of()).value();
  if (!arguments.game.empty() && arguments.game != config.game) {
    throw fail(
        fmt::format("--game: the run in {} is for {}", options.folder.string(), config.game));
  }
  const RunGame& game = *find(config.game).value();
  const RunConfig before = config;
  apply(arguments, game, config);
  if (options.resume) check_changes(before, config).value();
  if (arguments.print_config) {
    return [text = config_text(config)]() -> Result<void> {
      fmt::print("{}\n", text);
      return {};
    };
  }
  Run run = Run::open(game, config, options, [&arguments](const auto& reason) {
              print_stderr("senet {}: {}\n", arguments.command, reason);
            }).value();
  return
      [run = std::move(run), &rules = *game.any, arguments, daemon = std::move(daemon)]() mutable {
        return play(run, rules, arguments, daemon ? &*daemon : nullptr);
      };
}

void add_options(const Command& command, const std::shared_ptr<SelfPlayArguments>& arguments,
                 const Games& games) {
  RunOptions& options = arguments->options;
  command.flag("--detach", arguments->detach,
               "continue in the background, with messages in RUN/selfplay.log; senet status and "
               "senet stop take RUN");
  command
      .option("--minutes", options.minutes,
              "this call stops after so many minutes, once the games in play have finished; 0: no "
              "limit")
      .not_negative("--minutes 90", "min")
      .shows_default();
  command.option("--games", options.games, "games after which this call stops; 0: no limit")
      .shows_default();
  command.option(
      "--weights", options.weights,
      "start from these weights; a network without norms may be narrower than --width and "
      "--value-width and have fewer --value-layers");
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
  const auto defaults = default_texts(games);
  const auto add = [&]<class Struct, class Value>(const Setting<Struct, Value>& entry,
                                                  const Value&) {
    const auto keep = [arguments, name = std::string(entry.name)](const std::string& text) {
      arguments->settings[name] = text;
      return Result<void>();
    };
    command.heading(std::string(settings_heading(std::type_identity<Struct>{})));
    command
        .option("--" + std::string(entry.name), option_type(entry), keep, std::string(entry.help))
        .shows_default(defaults.at(std::string(entry.name)));
  };
  for_each_setting(names, add);
  command.footer(fmt::format(
      "Defaults are those of {}, followed by those of games that differ. A resumed run keeps its "
      "settings, except those given again, which RUN/changes.jsonl lists; the shape of its network "
      "and --mode cannot change. senet selfplay "
      "--game NAME --print-config prints all settings of a game.",
      default_game(games).name));
  command.runs([arguments, &games] {
    arguments->options.train = !arguments->no_train;
    return prepare(*arguments, games);
  });
}

}  // namespace

void add_selfplay_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<SelfPlayArguments>();
  const Command command = program.add_command(
      "selfplay", "Play games against itself, train on them and keep everything in a run folder");
  RunOptions& options = arguments->options;
  command.heading("Run");
  command.option("--game", arguments->game, "the game")
      .shows_type("NAME")
      .shows_default(std::string(default_game(games).name));
  command.option("--run", options.folder,
                 "the run folder; a run that is there continues, with its settings; required, "
                 "except with --print-config");
  command.flag("--resume", options.resume, "the folder must hold a run");
  command.flag("--no-train", arguments->no_train, "only play and record");
  add_options(command, arguments, games);
}

void add_train_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<SelfPlayArguments>();
  arguments->command = "train";
  const Command command = program.add_command(
      "train", "Begin a run with games that were recorded; senet selfplay continues it");
  RunOptions& options = arguments->options;
  command.heading("Run");
  command
      .option("--from", options.from,
              "the games to learn from: a file of games or a run folder; the new run gets a copy")
      .required();
  command.option("--game", arguments->game, "the game, as recorded").shows_type("NAME");
  command.option("--run", options.folder, "the folder for the new run; required");
  add_options(command, arguments, games);
}

}  // namespace senet
