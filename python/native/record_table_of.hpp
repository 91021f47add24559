// The record table of a game, instantiated by the game's source file.
#pragma once

#include <span>
#include <vector>

#include "python/native/record_table.hpp"

namespace senet {

template <Game G>
RecordTable RecordTable::of() {
  return {
      .samples =
          [](const AnyGame& game, const GameRecord& record, const SampleSettings& settings,
             const auto& use) {
            std::vector<G> scratch;
            return for_each_sample<G>(
                record, settings, scratch,
                [&](const Sample<G>& sample) {
                  const auto outcomes =
                      std::span(sample.outcomes).first(game.outcome_values.size());
                  use({AnyState(game, sample.state), outcomes, sample.visits, sample.turn});
                },
                start_as<G>(game));
          },
  };
}

}  // namespace senet
