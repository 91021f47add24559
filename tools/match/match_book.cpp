#include "tools/match/match_book.hpp"

#include <cassert>
#include <utility>

namespace senet {
namespace {

double worth(const MatchOutcome& outcome, std::span<const float> values, PairUnit unit) {
  return unit == PairUnit::kScore ? score_of(outcome, values) : points_of(outcome, values);
}

std::vector<double> game_values(std::span<const float> values, PairUnit unit) {
  if (unit == PairUnit::kScore) return {0, 0.5, 1};
  std::vector<double> points(values.begin(), values.end());
  points.push_back(0);  // a cut game
  return points;
}

}  // namespace

MatchBook::MatchBook(std::vector<float> values, PairUnit unit,
                     const std::optional<SprtSettings>& sprt)
    : values_(std::move(values)), unit_(unit) {
  if (sprt) sprt_.emplace(pair_means(game_values(values_, unit)), *sprt);
}

void MatchBook::add(PlayedGame game) {
  assert(!has(game.number));
  if (game.number >= games_.size()) games_.resize(2 * pair_of(game.number) + 2);
  games_[game.number] = std::move(game);
  ++size_;
  for (std::size_t next = counted_.size(); next < games_.size() && games_[next] &&
                                           games_[next + 1] && decision() == Sprt::Decision::kNone;
       next += 2) {
    const MatchOutcome first = games_[next]->outcome, second = games_[next + 1]->outcome;
    counted_.push_back(first);
    counted_.push_back(second);
    if (sprt_) sprt_->add((worth(first, values_, unit_) + worth(second, values_, unit_)) / 2);
  }
}

std::vector<std::uint64_t> MatchBook::numbers() const {
  std::vector<std::uint64_t> numbers;
  for (const std::optional<PlayedGame>& game : games_) {
    if (game) numbers.push_back(game->number);
  }
  return numbers;
}

}  // namespace senet
