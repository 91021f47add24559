#include "selfplay/game_record.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace senet {

std::uint16_t to_fixed(float probability) {
  constexpr float kOne = 65535.0f;
  if (!(probability > 0.0f)) return 0;  // also NaN
  return static_cast<std::uint16_t>(std::lround(std::min(probability, 1.0f) * kOne));
}

void to_distribution(std::span<const std::uint16_t> fixed, std::span<float> out) {
  assert(fixed.size() == out.size());
  std::uint32_t sum = 0;
  for (const std::uint16_t part : fixed) sum += part;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    out[i] = sum > 0 ? static_cast<float>(fixed[i]) / static_cast<float>(sum)
                     : 1.0f / static_cast<float>(fixed.size());
  }
}

void GameRecord::clear() {
  seed = game_number = 0;
  outcomes = 0;
  for (std::string* text : {&game, &start, &evaluator, &settings}) text->clear();
  models.clear();
  set_end(EndKind::kNone, 0, 0);
  turns_.clear();
  outcome_lists_.clear();
  visit_lists_.clear();
}

std::uint16_t GameRecord::model_index(std::uint64_t id) {
  const auto place = std::find(models.begin(), models.end(), id);
  const auto index = place - models.begin();
  if (place == models.end()) models.push_back(id);
  assert(models.size() <= kMaxModels);
  return static_cast<std::uint16_t>(index);
}

void GameRecord::add_chance(Action outcome) {
  turns_.push_back({.action = outcome,
                    .first_outcome = static_cast<std::uint32_t>(outcome_lists_.size()),
                    .first_visit = static_cast<std::uint32_t>(visit_lists_.size())});
}

void GameRecord::add_decision(const RecordedDecision& decision) {
  assert(decision.kind != TurnKind::kChance && decision.player <= 1);
  assert(decision.model == kNoModel || decision.model < models.size());
  const bool has_root = !decision.root_outcomes.empty();
  const auto ascending = [](const VisitCount& a, const VisitCount& b) {
    return a.action < b.action;
  };
  assert(decision.visited_outcomes.empty() ||
         (decision.visited_outcomes.size() == decision.visits.size() * outcomes &&
          std::ranges::is_sorted(decision.visits, ascending)));
  turns_.push_back({.action = decision.action,
                    .model = decision.model,
                    .kind = decision.kind,
                    .player = decision.player,
                    .has_root = has_root,
                    .has_chosen = !decision.chosen_outcomes.empty(),
                    .has_visited = !decision.visited_outcomes.empty(),
                    .root_value = has_root ? decision.root_value : 0.0f,
                    .first_outcome = static_cast<std::uint32_t>(outcome_lists_.size()),
                    .first_visit = static_cast<std::uint32_t>(visit_lists_.size()),
                    .visit_count = static_cast<std::uint32_t>(decision.visits.size())});
  add_outcomes(decision.root_outcomes, outcome_lists_);
  add_outcomes(decision.chosen_outcomes, outcome_lists_);
  add_outcomes(decision.visited_outcomes, outcome_lists_);
  const auto first =
      visit_lists_.insert(visit_lists_.end(), decision.visits.begin(), decision.visits.end());
  // Sorted, so that equal searches give equal records and the codec stores small action deltas.
  std::sort(first, visit_lists_.end(), ascending);
}

void GameRecord::add_outcomes(std::span<const float> distribution,
                              std::vector<std::uint16_t>& to) const {
  assert(distribution.empty() || distribution.size() % outcomes == 0);
  for (const float probability : distribution) to.push_back(to_fixed(probability));
}

void GameRecord::end_played(std::uint8_t outcome) {
  assert(outcome < outcomes);
  set_end(EndKind::kPlayed, 0, outcome);
}

void GameRecord::end_cut(std::span<const float> distribution) {
  assert(distribution.size() == outcomes);
  set_end(EndKind::kCut, 0, 0);
  add_outcomes(distribution, cut_outcomes_);
}

void GameRecord::end_resigned(Player player, std::uint8_t outcome) {
  assert(player <= 1 && outcome < outcomes);
  set_end(EndKind::kResigned, player, outcome);
}

void GameRecord::set_end(EndKind kind, Player resigned_by, std::uint8_t outcome) {
  end_ = kind;
  resigned_by_ = resigned_by;
  final_outcome_ = outcome;
  cut_outcomes_.clear();
}

std::span<const std::uint16_t> GameRecord::root_outcomes(const RecordedTurn& turn) const {
  if (!turn.has_root) return {};
  return std::span(outcome_lists_).subspan(turn.first_outcome, outcomes);
}

std::span<const std::uint16_t> GameRecord::chosen_outcomes(const RecordedTurn& turn) const {
  if (!turn.has_chosen) return {};
  const std::size_t skipped = turn.has_root ? outcomes : 0;
  return std::span(outcome_lists_).subspan(turn.first_outcome + skipped, outcomes);
}

std::span<const std::uint16_t> GameRecord::visited_outcomes(const RecordedTurn& turn,
                                                            std::size_t i) const {
  assert(i < turn.visit_count);
  if (!turn.has_visited) return {};
  const std::size_t before = std::size_t{turn.has_root} + std::size_t{turn.has_chosen} + i;
  return std::span(outcome_lists_).subspan(turn.first_outcome + before * outcomes, outcomes);
}

std::span<const VisitCount> GameRecord::visits(const RecordedTurn& turn) const {
  return std::span(visit_lists_).subspan(turn.first_visit, turn.visit_count);
}

}  // namespace senet
