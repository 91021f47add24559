// What the command line says to a benchmark, and the network it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nn/evaluator.hpp"
#include "senet/game.hpp"
#include "tools/bench_report.hpp"
#include "train_bridge/choose_trainer.hpp"

namespace senet {

/// Room for so many visits in every tree, of sessions and of processes.
inline constexpr std::uint32_t kBenchTreeVisits = 2000;

struct BenchSettings {
  std::string game;  // empty: the standard ones
  Evaluates evaluates = Evaluates::kPosition;
  std::uint32_t visits = 0;          // of every search; 0: as many as the benchmark's
  std::vector<std::size_t> workers;  // threads; empty: one for each of the hardware's
  std::size_t lanes = 64;            // games at once of each worker
  std::size_t batch_rows = 0;        // of a forward pass at most; 0: 64, with afterstates 256
  EvaluatorKind evaluator = EvaluatorKind::kAuto;
  bool exact = false;
  bool reuse_tree = false;
  std::size_t cache_mib = 0;          // evaluation cache of each worker; 0: none
  std::string network = "seed-283k";  // or a weights file
  std::uint32_t width = 0;            // 0: the reference shape's
  std::optional<std::uint32_t> blocks;
  std::uint64_t seed = 1;
  std::uint32_t recorded_games = 32;               // of self-play, whose positions are measured on
  std::string table = "epoch";                     // of trees, or "flat"
  std::string trace;                               // a file, or empty
  std::vector<std::size_t> sessions{1, 10, 100};   // of an embedding host, at once
  std::uint32_t search_ms = 50;                    // of each of their searches
  bool processes = false;                          // the same games in a process each as well
  std::vector<std::size_t> train_rows{512, 1024};  // samples of a training step
  std::string saved_batch;  // the last sparse batch is written to this file; empty: it is not
  TrainerChoice trainer{.backend = TrainerBackend::kCpu};
  std::size_t players = 0;    // threads that play beside a trainer; 0: default_workers()
  double seconds = 0;         // measured, of each case and run; 0: as long as the benchmark's
  double warmup_seconds = 2;  // played in the same way before that
  BenchOutput output;
};

/// A network and what a case is called after it: "seed-283k", "width-172-blocks-3", a file's name.
struct BenchNetwork {
  Network network;
  std::string name;
};

/// Fresh weights of `reference`'s shape, with the settings' width and blocks, or the settings'
/// file.
Result<BenchNetwork> bench_network(const BenchSettings& settings, const NetworkSpec& reference);

/// The same network once more, for a store that takes one over.
Network copy_of(const Network& network);

}  // namespace senet
