// The files that a training run saves: a checkpoint to resume from, which is replaced atomically,
// and its networks.
#pragma once

#include <cstdint>
#include <filesystem>

#include "nn/network.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// The state of training, without games (see the game log) and replay buffer (rebuilt from it).
struct Checkpoint {
  TrainerState trainer;
  std::uint64_t iterations = 0;    // networks published so far
  std::uint64_t games = 0;         // games trained on
  std::uint64_t positions = 0;     // samples from those games
  std::uint64_t next_game = 0;     // number of the next game to play
  std::uint64_t log_position = 0;  // end of the part of the game log that was trained on, in bytes
  std::uint64_t replay_begin = 0;  // position in the log of the oldest game in the replay buffer
  double owed_steps = 0;           // training steps earned by games and not yet done
  double seconds = 0;              // time spent so far, over all calls of the run
};

/// Writes safetensors (tensors weights, ema, first_moment, second_moment; the counters and a
/// checksum over everything in the metadata) to a temporary file, flushes it and renames it.
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

/// Reads a checkpoint. Fails when the file is damaged or made for another network shape; the reason
/// names the file and the error.
Result<Checkpoint> load_checkpoint(const std::filesystem::path& file, const NetworkSpec& spec);

/// The network shape of a checkpoint. Fails, with a reason that names the file, when the file has
/// none.
Result<NetworkSpec> checkpoint_spec(const std::filesystem::path& file);

/// Saves `network` as <folder>/<iteration, six digits>.safetensors and as
/// <folder>/latest.safetensors. When there are more than `most` numbered files (0: no limit), every
/// second file of the older half is removed; the first and the newest always stay. So a run of any
/// length keeps its whole history, with less detail the older it is. The folder exists.
Result<void> save_to_weights_folder(const Network& network, std::uint64_t iteration,
                                    const std::filesystem::path& folder, std::size_t most);

}  // namespace senet
