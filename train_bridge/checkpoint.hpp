// What a training run saves: what it needs to go on after it stopped, as one file that is replaced
// whole, and its networks.
#pragma once

#include <cstdint>
#include <filesystem>

#include "nn/network.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// The learner's memory. The games themselves are in the game log; the replay buffer is made again
/// from it.
struct Checkpoint {
  TrainerState trainer;
  std::uint64_t iterations = 0;    // networks published so far
  std::uint64_t games = 0;         // games learnt from
  std::uint64_t positions = 0;     // samples those gave
  std::uint64_t next_game = 0;     // number of the next game to play
  std::uint64_t log_position = 0;  // bytes of the game log that have been learnt from
  std::uint64_t replay_begin = 0;  // where in it the oldest game in the replay buffer stands
  double owed_steps = 0;           // training steps earned by games and not yet taken
  double seconds = 0;              // time spent so far, all runs together
};

/// Writes safetensors (tensors weights, ema, first_moment, second_moment; the counters and a
/// checksum over everything in the metadata) to a temporary file, flushes and renames it.
Result<void> save_checkpoint(const Checkpoint& checkpoint, const NetworkSpec& spec,
                             const std::filesystem::path& file);

/// Calls visit(name, value) for each counter of a Checkpoint, const or not.
template <class C, class Visit>
void visit_counters(C& checkpoint, Visit&& visit) {
  visit("steps", checkpoint.trainer.steps);
  visit("iterations", checkpoint.iterations);
  visit("games", checkpoint.games);
  visit("positions", checkpoint.positions);
  visit("next_game", checkpoint.next_game);
  visit("log_position", checkpoint.log_position);
  visit("replay_begin", checkpoint.replay_begin);
  visit("owed_steps", checkpoint.owed_steps);
  visit("seconds", checkpoint.seconds);
}

/// Reads it back; a reason that names the file and what is wrong, also when it is of another
/// network shape.
Result<Checkpoint> load_checkpoint(const std::filesystem::path& file, const NetworkSpec& spec);

/// The network shape that a checkpoint was made for; a reason that names the file when it tells
/// none.
Result<NetworkSpec> checkpoint_spec(const std::filesystem::path& file);

/// Saves `network` as <folder>/<iteration, six digits>.safetensors and as
/// <folder>/latest.safetensors. When more than `most` numbered files are there (0: no limit), every
/// second one of the older half goes; the first and the newest always stay, so that a run of any
/// length leaves its whole history behind, coarser the older it is. The folder exists.
Result<void> save_to_weights_folder(const Network& network, std::uint64_t iteration,
                                    const std::filesystem::path& folder, std::size_t most);

}  // namespace senet
