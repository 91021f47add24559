// What a training run needs to go on after it stopped, as one file that is replaced whole.
#pragma once

#include <cstdint>
#include <filesystem>

#include "nn/network_spec.hpp"
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

/// Reads it back; a reason that names the file and what is wrong, also when it is of another
/// network shape.
Result<Checkpoint> load_checkpoint(const std::filesystem::path& file, const NetworkSpec& spec);

}  // namespace senet
