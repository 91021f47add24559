// strength.jsonl, the ledger of a run's matches: an object of JSON on each line. The first line has
// the network that the ladder begins with; each further line is a match, or grades:
//
//   first   time games steps network id unit accepted rating rating_low rating_high
//   match   time games steps network id best best_id tested_pairs sprt accepted pairs wins draws
//           losses unit difference difference_low difference_high rating rating_low rating_high
//           seconds cpu_seconds
//   grades  time network id grades[case metric value low high unit]
//
// time: seconds since 1970; games and steps: those of the run so far; best and best_id: the
// opponent; sprt: H0, H1 or none; pairs, wins, draws, losses, difference: of the second match if
// accepted; rating: of the best network after the match.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "games/any_game.hpp"
#include "games/exam.hpp"
#include "selfplay/match_results.hpp"
#include "train_bridge/training_loop.hpp"

namespace senet {

/// A network on the ladder.
struct RatedNetwork {
  std::uint64_t number = 0, id = 0;
  StrengthDifference rating = {0, {0, 0}};
};

/// A match that was played to its end.
struct RatedMatch {
  RatedNetwork network;  // as it would be the best
  RatedNetwork best;     // its opponent
  std::uint64_t tested_pairs;
  Sprt::Decision decision;
  MatchResult sum;  // of the pairs that count
  StrengthDifference difference;
  double seconds, cpu_seconds;

  bool is_accepted() const { return decision == Sprt::Decision::kH1; }
  const RatedNetwork& best_after() const { return is_accepted() ? network : best; }
};

/// Lines of the ledger, without their ends.
std::string first_line(const AnyGame& game, double time, const LearnProgress& learned,
                       const RatedNetwork& network);
std::string match_line(const AnyGame& game, double time, const LearnProgress& learned,
                       const RatedMatch& match);
std::string grades_line(double time, const RatedNetwork& network,
                        const std::vector<Metric>& grades);

/// What a ledger contains about the network that is the best.
struct LedgerState {
  std::optional<RatedNetwork> best;         // of the last line that leaves this network the best
  std::optional<double> time;               // of the last line that is not grades
  std::optional<StrengthDifference> match;  // the last, whatever network it was about
  std::size_t damaged = 0;                  // lines that were skipped
};

/// Reads a ledger for the best network's id. Fails as for_each_line() does.
Result<LedgerState> read_ledger(const std::filesystem::path& file, std::uint64_t best);

}  // namespace senet
