// The self-play daemon: workers that play, a thread that learns, and a main thread that watches
// both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tools/command.hpp"
#include "tools/run_config.hpp"
#include "train_bridge/choose_trainer.hpp"

namespace senet {

struct DaemonOptions {
  std::filesystem::path folder;   // the run folder
  bool resume = false;            // go on from what is there; else the folder must not hold a run
  std::filesystem::path weights;  // start from these instead of fresh ones; empty: fresh
  double minutes = 0;             // stop after this time; 0: no limit
  std::uint64_t games = 0;        // stop after so many games of this call; 0: no limit
  bool train = true;              // false: play and record only
  bool quiet = false;             // no progress line
  TrainerChoice trainer;          // what learns, on this machine
};

/// Reads what the run starts from and opens its folder; whatever is wrong with either is the
/// reason. The job plays and learns until a limit is reached or SIGTERM, SIGINT or SIGHUP arrives;
/// then it finishes the games under way (a second signal: drops them), learns from them, saves
/// everything and returns. It prints progress to stderr.
///
///   folder/config.json              the settings; written last when a run begins, so that a folder
///                                   that has them can be gone on with
///   folder/games.senet              every finished game (docs/record-format.md)
///   folder/weights/NNNNNN.safetensors, latest.safetensors   000000: those it began with; see
///                                   train_bridge/weights_folder.hpp
///   folder/checkpoint.safetensors   optimiser and counters
///   folder/metrics.jsonl            one line of figures every ten seconds and at the end
Result<Job> prepare_daemon(const RunConfig& config, const DaemonOptions& options);

}  // namespace senet
