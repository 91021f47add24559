// Strength in the loop: the newest network plays the best so far every few minutes. One thread of a
// run, which nothing waits for:
//
//   trainer --newest--> [ match: pairs, sequential test; grades ] --> strength.jsonl, a line
//                          ^                                      --> weights/best.safetensors
//                          +---- best so far <--- accepted -------+   (self-play with gating)
//
// The rating of the first network is 0. A network that the test accepts as stronger becomes the
// best. Its rating is that of the best before plus the difference in a second match, half as long:
// the games that chose it overstate it, and ratings would rise for ever. The interval grows as if
// the matches were independent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/lanes/model_store.hpp"
#include "games/exam.hpp"
#include "selfplay/match_results.hpp"
#include "selfplay/sprt.hpp"
#include "train_bridge/run_config.hpp"
#include "train_bridge/run_game.hpp"
#include "train_bridge/strength_ledger.hpp"
#include "train_bridge/training_loop.hpp"

namespace senet {

/// What is known of a run's strength: in Elo or, in games with dice, points per game.
struct StrengthProgress {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  StrengthDifference rating{kUnknown, {kUnknown, kUnknown}};  // of the best network
  StrengthDifference match{kUnknown, {kUnknown, kUnknown}};   // of the last match
  std::uint64_t pairs = 0;  // of the match in progress, or else of the last
  std::uint64_t best = 0;   // number of the best network
  double grade = kUnknown;  // the first of the network that played the last match
};

/// The ladder of a run and the thread that plays its matches.
///
/// A line of the ledger (strength_ledger.hpp) is on the disk before best.safetensors is replaced;
/// where it cannot be written, the best network stays. So the state is that of the last line that
/// leaves the network of this file the best.
class Strength {
 public:
  /// All references outlive the object.
  struct Parts {
    const RunGame& game;
    const RunConfig& config;   // nothing is left to choose
    const Exam* exam;          // null: no grades
    const ModelStore& newest;  // the networks of the trainer; not empty
    std::uint64_t number;      // of the network that is in it now
    std::filesystem::path folder;
    std::function<LearnProgress()> learned;
    std::function<void(const std::string&)> warning;  // called on any thread
  };

  /// Continues the ladder in the folder. If there is none, or with a warning if it cannot be
  /// continued, begins one with the newest network. Without matches in the settings it does
  /// nothing.
  explicit Strength(Parts parts);

  /// Starts the thread, if there are matches in the settings.
  void start();
  /// Ends the thread soon, without waiting for it: after at most a few searches. A match in
  /// progress is dropped. The destructor waits.
  void stop() { thread_.request_stop(); }

  /// The best network.
  ModelStore& best() { return best_; }
  StrengthProgress progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
  }
  /// What has happened since the last call: a sentence for each match.
  std::vector<std::string> take_notes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  bool continue_ladder();
  void begin_ladder();
  void play_matches(const std::stop_token& stop);
  Result<void> play(const SharedWeights& newest, std::uint64_t number, const std::stop_token& stop);
  void record(const RatedMatch& match, const SharedWeights& weights);
  void record_grades(const RatedNetwork& network, const std::vector<Metric>& grades);
  void make_best(const SharedWeights& weights, const RatedNetwork& rated);
  /// Whether the ledger has the line.
  bool append(std::string line);
  /// Of a file that cannot be written: once, until it can.
  void warn_of_file(const Result<void>& written, const std::string& what);

  const Parts parts_;
  const SprtSettings sprt_;
  const std::uint64_t first_generation_;
  const std::filesystem::path ledger_, best_file_;
  ModelStore best_;
  RatedNetwork rated_;               // the best network
  double last_ = 0;                  // time of the ledger's last line, as unix_seconds()
  std::set<std::string> unwritten_;  // what cannot be written, and a warning has been given

  mutable std::mutex mutex_;
  StrengthProgress progress_;
  std::vector<std::string> notes_;
  std::jthread thread_;
};

}  // namespace senet
