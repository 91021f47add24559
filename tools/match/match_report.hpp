// The result of a match as figures.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "selfplay/match_player.hpp"
#include "tools/match/match_book.hpp"
#include "tools/metric.hpp"

namespace senet {

/// The first player's figures with 95 % intervals from the pairs (Student's t of their means), Elo
/// where a game is won, drawn or lost and nothing else (`has_elo`), the split by what games were
/// worth, the state of the sequential test if there is one, and what the players did wrong. Without
/// a counted pair only the counts.
///
/// One pair, or pairs all of the same result, say nothing of how pairs differ. The score then has
/// Wilson's interval with the pairs as trials, which is wide enough for anything between 0 and 1;
/// points have none, and a note that says so.
std::vector<Metric> match_metrics(const std::string& game, const MatchBook& book, bool has_elo,
                                  const std::array<PlayerFaults, 2>& faults);

/// What the sequential test says, in a sentence; empty without a test. `unit` names what its two
/// hypotheses `first` and `second` are told in.
std::string sprt_sentence(const MatchBook& book, double first, double second,
                          std::string_view unit);

}  // namespace senet
