#include "tools/gnubg/decision_source.hpp"

#include <fmt/core.h>

#include <vector>

#include "games/backgammon/kit/exam.hpp"
#include "games/draws.hpp"
#include "selfplay/game_record.hpp"
#include "selfplay/record_log.hpp"
#include "selfplay/record_replay.hpp"

namespace senet {

Result<void> visit_played_decisions(
    std::uint64_t seed,
    const std::function<Result<Action>(const Backgammon& state, Random& draw)>& choose,
    const TakeDecision& take) {
  for (std::uint64_t game = 0;; ++game) {
    MetDecision met{.game = game};
    for (std::uint32_t turn = 0; met.state.turn() != Turn::kOver; ++turn) {
      if (met.state.turn() == Turn::kChance) {
        Random dice(seed, game, turn, Purpose::kChance);
        met.state.play(draw_roll(met.state, dice));
        continue;
      }
      const Result<bool> goes_on = take(met);
      if (!goes_on) return goes_on.error();
      if (!*goes_on) return {};
      Random draw(seed, game, turn, Purpose::kMove);
      const Result<Action> action = choose(met.state, draw);
      if (!action) return action.error();
      met.state.play(*action);
      ++met.ply;
    }
  }
}

Result<void> visit_recorded_decisions(const std::filesystem::path& log, const TakeDecision& take) {
  const auto failure = [&](const Error& error) {
    return fail(fmt::format("{}: {}", log.string(), error.reason()));
  };
  Result<RecordReader> reader = RecordReader::open(log);
  if (!reader) return reader.error();
  GameRecord record;
  std::vector<Backgammon> states;
  for (;;) {
    const Result<bool> read = reader->next(record);
    if (!read) return failure(read.error());
    if (!*read) return {};
    if (const Result<void> replayed = replay(record, states); !replayed) {
      return failure(replayed.error());
    }
    std::uint32_t ply = 0;
    for (const Backgammon& state : states) {
      if (!is_decision(state.turn())) continue;
      const Result<bool> goes_on = take({.state = state, .game = record.game_number, .ply = ply++});
      if (!goes_on) return goes_on.error();
      if (!*goes_on) return {};
    }
  }
}

Result<void> visit_labelled_decisions(const std::filesystem::path& labels,
                                      const TakeDecision& take) {
  const auto read = backgammon::read_labels(labels.string());
  if (!read) return read.error();
  for (std::size_t i = 0; i < read->size(); ++i) {
    const Result<bool> goes_on = take({.state = (*read)[i].state, .game = i});
    if (!goes_on) return goes_on.error();
    if (!*goes_on) return {};
  }
  return {};
}

}  // namespace senet
