// Everything that decides how a self-play run plays and learns: each setting once, for the command
// line, for the run folder's config.json and for the program.
#pragma once

#include <filesystem>
#include <string>

#include "nn/network_spec.hpp"
#include "selfplay/selfplay_threads.hpp"
#include "train_bridge/learn_settings.hpp"

namespace senet {

struct RunConfig {
  std::string game;
  NetworkSpec network;
  SelfPlaySettings selfplay;
  LearnSettings learn;
  std::size_t queue_games = 256;  // finished games that may wait for the trainer
};

/// Calls visit(name, value, help) for every setting that a person may change, in the order of
/// --help. `name` is the command-line option without dashes and the key in config.json.
template <class Config, class Visit>
void for_each_setting(Config& c, Visit&& visit) {
  auto& play = c.selfplay.play;
  auto& worker = c.selfplay.worker;
  auto& search = worker.search;
  visit("seed", play.seed, "fixes every draw of the run");
  visit("workers", c.selfplay.workers,
        "self-play threads; 0: hardware threads less two, at least one");
  visit("lanes", worker.lanes, "games played at once by each worker");
  visit("batch", worker.batch_rows, "most rows of one forward pass");
  visit("cache", worker.cache_mib, "MiB in which each worker remembers evaluations; 0: none");
  visit("visits", play.full_visits, "visits of a full search");
  visit("fast-visits", play.fast_visits, "visits of a fast search (playout cap randomisation)");
  visit("full-share", play.full_share, "share of the decisions that get a full search");
  visit("noise", play.noise, "Dirichlet noise at the root of full searches (0 or 1)");
  visit("noise-share", search.noise_share, "share of noise in the root's priors");
  visit("noise-total", search.noise_total, "sum of the Dirichlet concentrations");
  visit("c-puct", search.c_puct, "exploration constant");
  visit("fpu-reduction", search.fpu_reduction, "first-play urgency reduction");
  visit("policy-temperature", search.policy_temperature, "priors = softmax(policy logits / this)");
  visit("afterstate-temperature", search.afterstate_temperature,
        "priors = softmax(afterstate values / this)");
  visit("reuse-tree", search.reuse_tree, "keep the tree between moves (0 or 1)");
  visit("temperature", play.temperature, "temperature of the opening moves' choice");
  visit("temperature-plies", play.temperature_plies, "plies played with that temperature");
  visit("random-plies", play.random_plies, "a game begins with up to so many blind moves");
  visit("ply-cap", play.ply_cap, "plies after which a game is cut and scored by the network");
  visit("resign-below", play.resign_below,
        "resignation threshold as a share of the value range; 0: never");
  visit("width", c.network.width, "width of the network");
  visit("blocks", c.network.blocks, "residual blocks of the network");
  visit("policy-layers", c.network.policy_layers, "hidden layers of the policy head");
  visit("value-layers", c.network.value_layers, "hidden layers of the value head");
  visit("lambda", c.learn.samples.lambda,
        "weight of later results against the search's estimate (TD lambda)");
  visit("blunder", c.learn.samples.blunder,
        "share of the value range lost by a move behind which later results no longer count; 0: "
        "they always do");
  visit("replay", c.learn.replay_capacity, "positions kept for training");
  visit("window-minimum", c.learn.window_minimum,
        "train on at least so many of the newest positions");
  visit("window-share", c.learn.window_share,
        "... or on this share of all so far, if that is more");
  visit("train-batch", c.learn.batch_rows, "samples of a training step");
  visit("samples-per-position", c.learn.samples_per_position,
        "training samples earned by a new position");
  visit("trainer-threads", c.learn.trainer.threads, "threads of a training step");
  visit("begin-after", c.learn.begin_after, "positions before the first training step");
  visit("learning-rate", c.learn.learning_rate, "AdamW step size");
  visit("warmup-steps", c.learn.warmup_steps, "steps over which the step size rises from zero");
  visit("steady-steps", c.learn.steady_steps,
        "step from which the step size falls as the inverse square root; 0: never");
  visit("steps-per-iteration", c.learn.steps_per_iteration,
        "training steps between two publications");
  visit("checkpoint-seconds", c.learn.checkpoint_seconds, "time between checkpoints");
  visit("kept-networks", c.learn.kept_networks,
        "numbered weights files kept; beyond, the older half gets sparser; 0: all");
  visit("weight-decay", c.learn.trainer.weight_decay, "AdamW weight decay");
  visit("ema", c.learn.trainer.ema_decay, "decay of the weights' moving average, which plays");
  visit("clip", c.learn.trainer.gradient_clip, "largest gradient norm");
  visit("policy-weight", c.learn.trainer.policy_weight, "weight of the policy loss");
  visit("value-weight", c.learn.trainer.value_weight, "weight of the value loss");
  visit("queue", c.queue_games, "finished games that may wait for the trainer");
}

/// What is learnt when no game is named.
std::string default_game();

/// Sets a setting, or "mode", from text. A reason that begins with the name when it cannot be.
Result<void> set_setting(RunConfig& config, std::string_view name, std::string_view text);

/// The recipe that learns the named game well; a reason when there is no such game.
Result<RunConfig> default_config(const std::string& game);

/// A reason that names the setting when a value makes no sense.
Result<void> check_config(const RunConfig& config);

/// The settings as JSON text.
std::string config_text(const RunConfig& config);
/// config.json: all settings and the evaluator, the evaluation mode and the game by name. Replaced
/// whole.
Result<void> save_config(const RunConfig& config, const std::filesystem::path& file);
/// Reads it back over the game's defaults. Unknown keys and wrong types are errors that name the
/// key.
Result<RunConfig> load_config(const std::filesystem::path& file);

}  // namespace senet
