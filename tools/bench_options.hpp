// The command line of senet bench: its options, and what they mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/bench_report.hpp"
#include "tools/bench_settings.hpp"
#include "tools/command_line.hpp"

namespace senet {

/// What was said; what is not there was not said.
struct BenchArguments {
  std::string game;  // empty: both of the standard set
  std::string workers = "all";
  std::string sessions = "1,10,100";
  std::string backend = "cpu";
  std::string precision = "auto";
  std::string train_rows = "512,1024";
  std::string table = "epoch";  // of trees
  std::string trace;            // a file, or empty
  std::size_t players = 0;      // workers of a whole run; 0: as many as it takes by itself
  std::optional<double> seconds;
  std::optional<std::uint32_t> visits;
  std::size_t batch_rows = 0;
  BenchSettings settings;
  BenchOutput output;
};

/// The game named, or the standard ones that have the mode.
std::vector<std::string> games_of(const BenchArguments& arguments, Evaluates evaluates);

/// Checked settings. `standard_seconds`: how long to measure a case when nothing is said. Batches
/// and visits are the mode's and the benchmark's standard ones where nothing is said.
Result<BenchSettings> settings_of(const BenchArguments& arguments, double standard_seconds);

/// Families of afterstates are many rows at once.
std::size_t batch_rows_for(const BenchArguments& arguments, Evaluates evaluates);

void add_common_options(const Command& command, BenchArguments& arguments);
void add_game_option(const Command& command, BenchArguments& arguments);
void add_network_options(const Command& command, BenchArguments& arguments);
void add_recording_options(const Command& command, BenchArguments& arguments);
void add_mode_option(const Command& command, BenchArguments& arguments);
void add_evaluator_options(const Command& command, BenchArguments& arguments);
/// `standard_visits` is said in the help.
void add_search_options(const Command& command, BenchArguments& arguments,
                        const std::string& standard_visits);
void add_workers_option(const Command& command, BenchArguments& arguments);
void add_play_options(const Command& command, BenchArguments& arguments);
void add_session_options(const Command& command, BenchArguments& arguments);
void add_trainer_options(const Command& command, BenchArguments& arguments);
void add_train_rows_option(const Command& command, BenchArguments& arguments);

}  // namespace senet
