// Sample records for tests: the same number always gives the same record.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "games/random.hpp"
#include "selfplay/game_record.hpp"

namespace senet {

inline std::vector<float> random_distribution(Random& random, std::size_t outcomes) {
  std::vector<float> distribution(outcomes);
  random.dirichlet(0.5f, distribution);
  return distribution;
}

inline std::vector<VisitCount> random_visits(Random& random, std::size_t count) {
  std::vector<VisitCount> visits;
  for (std::size_t i = 0; i < count; ++i) {
    visits.push_back({static_cast<Action>(random.next()), random.next() >> random.below(32)});
  }
  std::sort(visits.begin(), visits.end(),
            [](const auto& a, const auto& b) { return a.action < b.action; });
  const auto same = [](const auto& a, const auto& b) { return a.action == b.action; };
  visits.erase(std::unique(visits.begin(), visits.end(), same), visits.end());
  std::reverse(visits.begin(), visits.end());  // the record sorts them
  return visits;
}

/// A record with all fields drawn from their allowed values and up to `max_turns` turns.
inline GameRecord random_record(std::string_view game, std::uint64_t number,
                                std::uint32_t max_turns = 40) {
  Random random(1, number, 0, Purpose::kTest);
  const auto text = [&](std::uint32_t longest) {
    std::string written(random.below(longest + 1), ' ');
    for (char& letter : written) letter = static_cast<char>(random.next());
    return written;
  };
  GameRecord record;
  record.seed = (std::uint64_t{random.next()} << 32) | random.next();
  record.game_number = number;
  record.outcomes = 1 + random.below(8);
  record.game = game;
  record.start = text(20);
  record.evaluator = text(10);
  record.settings = text(30);
  const std::uint32_t models = random.below(4);
  for (std::uint32_t i = 0; i < models; ++i) {
    record.model_index((std::uint64_t{random.next()} << 32) | random.next());
  }
  const std::uint32_t turns = random.below(max_turns + 1);
  for (std::uint32_t i = 0; i < turns; ++i) {
    if (random.below(3) == 0) {
      record.add_chance(static_cast<Action>(random.below(36)));
      continue;
    }
    std::vector<float> root, chosen;
    std::vector<VisitCount> visits;
    if (random.below(2) == 0) root = random_distribution(random, record.outcomes);
    if (random.below(2) == 0) chosen = random_distribution(random, record.outcomes);
    if (random.below(2) == 0) visits = random_visits(random, random.below(12));
    std::vector<float> visited;
    if (!visits.empty() && random.below(4) == 0) {
      std::reverse(visits.begin(), visits.end());
      for (std::size_t k = 0; k < visits.size(); ++k) {
        for (const float part : random_distribution(random, record.outcomes)) {
          visited.push_back(part);
        }
      }
    }
    const std::uint32_t model = random.below(models + 1);
    record.add_decision({.action = static_cast<Action>(random.next()),
                         .player = static_cast<Player>(random.below(2)),
                         .kind = static_cast<TurnKind>(1 + random.below(4)),
                         .model = model == models ? kNoModel : static_cast<std::uint16_t>(model),
                         .root_value = random.normal(),
                         .root_outcomes = root,
                         .chosen_outcomes = chosen,
                         .visits = visits,
                         .visited_outcomes = visited});
  }
  const auto outcome =
      static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(record.outcomes)));
  switch (random.below(3)) {
    case 0:
      record.end_played(outcome);
      break;
    case 1:
      record.end_cut(random_distribution(random, record.outcomes));
      break;
    default:
      record.end_resigned(static_cast<Player>(random.below(2)), outcome);
      break;
  }
  return record;
}

/// A record shaped like a self-play game of backgammon: about 55 rolls and moves; a quarter of the
/// moves have 600 visits, the others 100 (without stored visit counts); six outcomes that drift
/// from even to decided.
inline GameRecord backgammon_like_record(std::uint64_t number) {
  constexpr std::size_t kOutcomesOfBackgammon = 6;
  Random random(2, number, 0, Purpose::kTest);
  GameRecord record;
  record.seed = 7;
  record.game_number = number;
  record.outcomes = kOutcomesOfBackgammon;
  record.game = "backgammon";
  record.evaluator = "fused-avx2";
  record.settings = "visits 600/100, full 0.25";
  const std::uint16_t model = record.model_index(0x8f3a11c2d4e5f607u);
  const std::uint32_t plies = 40 + random.below(30);
  float lead = 0;  // log-odds for player 0
  std::vector<float> distribution(kOutcomesOfBackgammon), logits(kOutcomesOfBackgammon);
  const auto outcomes_for = [&](Player player) {
    const float mine = player == 0 ? lead : -lead;
    const float shape[] = {mine, mine - 1.3f, mine - 4.0f, 0, -1.3f, -4.0f};
    float sum = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      distribution[i] = std::exp(shape[i] + 0.05f * random.normal());
      sum += distribution[i];
    }
    for (float& part : distribution) part /= sum;
    return distribution;
  };
  for (std::uint32_t ply = 0; ply < plies; ++ply) {
    record.add_chance(static_cast<Action>(random.below(21)));
    const auto player = static_cast<Player>(ply % 2);
    lead += 0.25f * random.normal();
    const std::vector<float> root = outcomes_for(player);
    const std::vector<float> chosen = outcomes_for(player);
    const bool full = random.below(4) == 0;
    std::vector<VisitCount> visits;
    if (full) {
      const std::uint32_t legal = 4 + random.below(30);
      std::vector<float> shares(legal);
      random.dirichlet(0.2f, shares);
      for (std::uint32_t i = 0; i < legal; ++i) {
        const auto count = static_cast<std::uint32_t>(600 * shares[i]);
        if (count > 0) visits.push_back({static_cast<Action>(i * 26 + random.below(26)), count});
      }
    }
    record.add_decision({.action = static_cast<Action>(random.below(676)),
                         .player = player,
                         .kind = full ? TurnKind::kFullSearch : TurnKind::kFastSearch,
                         .model = model,
                         .root_value = std::tanh(player == 0 ? lead : -lead),
                         .root_outcomes = root,
                         .chosen_outcomes = chosen,
                         .visits = visits});
  }
  record.end_played(lead > 0 ? 0 : 3);
  return record;
}

}  // namespace senet
