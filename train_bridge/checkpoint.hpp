// The files that a training run saves: its newest checkpoints, to resume from, and its networks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nn/network.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {

/// The state of training, without games (see the game log) and replay buffer (rebuilt from it).
struct Checkpoint {
  TrainerState trainer;
  std::uint64_t iterations = 0;      // networks published so far
  std::uint64_t games = 0;           // games trained on
  std::uint64_t positions = 0;       // samples from those games
  std::uint64_t next_game = 0;       // number of the first new game to play
  std::uint64_t first_open = 0;      // ... of the first game that is not in the log
  std::uint64_t log_position = 0;    // end of what was trained on in the log (LogPosition)
  std::uint64_t replay_begin = 0;    // ... and where the oldest game in the replay buffer begins
  double owed_steps = 0;             // training steps earned by games and not yet done
  double seconds = 0;                // time spent so far, over all calls of the run
  std::uint32_t scramble_moves = 0;  // most of a start's, where a curriculum raises them; else 0
  std::uint64_t run_id = 0;          // of the run; 0: not known, as in files older than ids
};

/// Writes safetensors (tensors weights, ema, first_moment, second_moment; the counters, the run's
/// id and a checksum over everything in the metadata) to a temporary file, flushes it and renames
/// it. Fails, and changes nothing, where load_checkpoint() would refuse the content.
Result<void> save_checkpoint(const Checkpoint& checkpoint, const NetworkSpec& spec,
                             const std::filesystem::path& file);

/// Calls visit(name, value) for each counter of a Checkpoint, const or not, except two that older
/// files do not have: `first_open` (all games up to their next one are in the log or were dropped)
/// and `scramble_moves`.
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

/// Reads a checkpoint. Fails when the file is damaged, and with SENET_MODEL_MISMATCH when it was
/// made for another network shape or by another run than `run_id` (0: any; files without an id
/// belong to any run). The reason names the file and the error.
Result<Checkpoint> load_checkpoint(const std::filesystem::path& file, const NetworkSpec& spec,
                                   std::uint64_t run_id = 0);

/// Makes this the newest checkpoint of a run folder, which keeps `kept` of them: the newest is
/// checkpoint.safetensors, those before it are checkpoint.1.safetensors, checkpoint.2.safetensors
/// and so on. With `replaces_newest`, because its trainer state is that of the newest, it replaces
/// that one. The new one is complete, as checkpoint.new.safetensors, before any other is renamed
/// or removed, and checkpoint.safetensors exists at every moment (where the file system has no hard
/// links: except between two renamings).
Result<void> keep_checkpoint(const Checkpoint& checkpoint, const NetworkSpec& spec,
                             const std::filesystem::path& folder, std::size_t kept,
                             bool replaces_newest = false);

/// The newest checkpoint of a run folder that can be loaded, under any of these names.
struct FoundCheckpoint {
  struct Unusable {
    std::filesystem::path file;
    std::string reason;
  };
  std::optional<Checkpoint> checkpoint;
  std::vector<Unusable> newer;  // those that cannot be loaded, the newest first
};
/// Fails when a checkpoint was made for another network shape or by another run.
Result<FoundCheckpoint> find_checkpoint(const std::filesystem::path& folder,
                                        const NetworkSpec& spec, std::uint64_t run_id);
/// Whether a file of this name is one of them.
bool is_checkpoint_name(std::string_view name);

/// Renames a damaged file to "<file>.damaged" or, if there is one already, "<file>.damaged.2" and
/// so on. Returns the new name.
Result<std::filesystem::path> move_aside(const std::filesystem::path& file);
/// The same for the checkpoints that cannot be loaded; calls `warning` for each, unless it is
/// empty.
Result<void> move_aside(const FoundCheckpoint& found,
                        const std::function<void(const std::string&)>& warning);

/// The network shape of a checkpoint. Fails, with a reason that names the file, when the file has
/// none.
Result<NetworkSpec> checkpoint_spec(const std::filesystem::path& file);

/// The file of the weights folder with the best network, which Strength saves.
inline constexpr std::string_view kBestWeights = "best.safetensors";
/// Whether a file of the weights folder with this name was saved by save_to_weights_folder(), or is
/// that file.
bool is_weights_name(std::string_view name);
/// Whether the weights folder has a network of a later iteration than the initial 0.
bool has_trained_weights(const std::filesystem::path& folder);

/// Saves `network` as <folder>/<iteration, six digits>.safetensors and as
/// <folder>/latest.safetensors. When there are more than `most` numbered files (0: no limit), every
/// second file of the older half is removed; the first and the newest always stay. So a run of any
/// length keeps its whole history, with less detail the older it is. The folder exists.
Result<void> save_to_weights_folder(const Network& network, std::uint64_t iteration,
                                    const std::filesystem::path& folder, std::size_t most);

}  // namespace senet
