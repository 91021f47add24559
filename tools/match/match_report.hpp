// The result of a match as figures.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "selfplay/match_player.hpp"
#include "tools/match/match_book.hpp"
#include "tools/metric.hpp"

namespace senet {

/// The first player's figures with 95 % intervals from the pairs, Elo where a game is won, drawn or
/// lost and nothing else (`has_elo`), the split by what games were worth, the state of the
/// sequential test if there is one, and what the players did wrong. Without a counted pair only the
/// counts.
std::vector<Metric> match_metrics(const std::string& game, const MatchBook& book, bool has_elo,
                                  const std::array<PlayerFaults, 2>& faults);

/// What the sequential test says, in a sentence; empty without a test. `unit` names what its two
/// hypotheses `first` and `second` are told in.
std::string sprt_sentence(const MatchBook& book, double first, double second,
                          std::string_view unit);

}  // namespace senet
