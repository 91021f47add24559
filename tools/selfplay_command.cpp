// senet selfplay: play games against itself, learn from them, keep everything in a run folder.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "tools/command.hpp"
#include "tools/daemon.hpp"
#include "tools/setting_options.hpp"

namespace senet {
namespace {

struct SelfPlayArguments {
  std::string game;
  std::string trainer = "auto";
  std::string precision = "auto";
  DaemonOptions options;
  bool print_config = false;
  bool no_train = false;
  bool replay_on_device = false;
  std::map<std::string, std::string> settings;  // as typed, by name
};

Result<void> apply(const SelfPlayArguments& arguments, RunConfig& config) {
  const auto typed = [&](const char* name) { return !arguments.settings.at(name).empty(); };
  for (const auto& [name, text] : arguments.settings) {
    if (text.empty()) continue;
    const Result<void> applied = apply_setting(config, name, text);
    if (!applied) return fail("--" + applied.error().reason());
  }
  if (typed("mode") && !typed("policy-weight")) {
    const bool has_policy = config.learn.samples.evaluates == Evaluates::kPosition;
    config.learn.trainer.policy_weight = has_policy ? 1.0f : 0.0f;
  }
  // A smaller full search alone is not meant to be an error.
  auto& play = config.selfplay.play;
  if (!typed("fast-visits")) play.fast_visits = std::min(play.fast_visits, play.full_visits);
  return check_config(config);
}

Result<TrainerChoice> trainer_choice(const SelfPlayArguments& arguments) {
  const auto backend = trainer_backend_from_name(arguments.trainer);
  if (!backend) return fail("--trainer: " + backend.error().reason());
  const auto precision = precision_from_name(arguments.precision);
  if (!precision) return fail("--precision: " + precision.error().reason());
  return TrainerChoice{
      .backend = *backend, .precision = *precision, .replay_on_device = arguments.replay_on_device};
}

Result<Job> prepare(const SelfPlayArguments& arguments) {
  DaemonOptions options = arguments.options;
  const auto trainer = trainer_choice(arguments);
  if (!trainer) return trainer.error();
  options.trainer = *trainer;
  const bool needs_folder = options.resume || !arguments.print_config;
  if (needs_folder && options.folder.empty()) return fail("--run: name the run folder");
  const auto config_file = options.folder / "config.json";
  std::error_code unknown;
  if (needs_folder && !options.resume && std::filesystem::exists(config_file, unknown)) {
    return fail(
        fmt::format("{} already holds a run; --resume goes on with it", options.folder.string()));
  }
  Result<RunConfig> config =
      options.resume ? load_config(config_file)
                     : default_config(arguments.game.empty() ? default_game() : arguments.game);
  if (!config) return config.error();
  if (!arguments.game.empty() && arguments.game != config->game) {
    return fail(
        fmt::format("--game: the run in {} learns {}", options.folder.string(), config->game));
  }
  if (const auto applied = apply(arguments, *config); !applied) return applied.error();
  if (arguments.print_config) {
    return Job([text = config_text(*config)]() -> Result<void> {
      fmt::print("{}\n", text);
      return {};
    });
  }
  return prepare_daemon(*config, options);
}

}  // namespace

void add_selfplay_command(const Command& program) {
  auto arguments = std::make_shared<SelfPlayArguments>();
  const Command command = program.add_command(
      "selfplay", "Play games against itself, learn from them, keep everything in a run folder");
  command.option("--game", arguments->game, "the game to learn (default: " + default_game() + ")");
  command.option("--run", arguments->options.folder, "the run folder");
  command.flag("--resume", arguments->options.resume,
               "go on with the run in the folder, with its settings");
  command.option("--minutes", arguments->options.minutes, "stop after this time; 0: never")
      .not_negative();
  command.option("--games", arguments->options.games, "stop after so many games; 0: never");
  command.option("--weights", arguments->options.weights, "start from these weights");
  command.flag("--no-train", arguments->no_train, "play and record only");
  command.flag("--quiet", arguments->options.quiet, "no progress line");
  command.flag("--print-config", arguments->print_config,
               "print the settings this call would run with, and stop");
  command
      .option("--trainer", arguments->trainer,
              "what learns: auto (CUDA where there is a device), cpu or cuda")
      .shows_default();
  command
      .option("--precision", arguments->precision,
              "of a CUDA device's products: auto, bf16, fp16, tf32 or fp32")
      .shows_default();
  command.flag("--replay-on-device", arguments->replay_on_device,
               "a CUDA device keeps the samples: a step sends only where they lie");
  const RunConfig names;
  for_each_setting(names, [&](const auto& entry, const auto&) {
    const std::string name(entry.name);
    std::string& typed = arguments->settings[name];
    const auto keep = [&typed](const std::string& text) -> Result<void> {
      typed = text;
      return {};
    };
    command.option("--" + name, option_type(entry), keep, std::string(entry.help))
        .in_group("Settings (default: the game's own recipe, see --print-config)");
  });
  command.runs([arguments] {
    arguments->options.train = !arguments->no_train;
    return run_command("selfplay", prepare(*arguments));
  });
}

}  // namespace senet
