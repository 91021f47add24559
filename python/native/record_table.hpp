// The training samples of a game's records, for Python.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "games/any_game.hpp"
#include "selfplay/game_record.hpp"
#include "train_bridge/samples.hpp"

namespace senet {

/// A Sample of a game that is known at run time.
struct AnySample {
  AnyState state;
  std::span<const float> outcomes;     // [outcomes] value target for state.viewer()
  std::span<const VisitCount> visits;  // as in Sample, valid as long
  std::size_t turn;                    // as in Sample
};

/// The table of a game (games/registry.hpp).
struct RecordTable {
  /// for_each_sample() of train_bridge/samples.hpp.
  Result<void> (*samples)(const AnyGame& game, const GameRecord& record,
                          const SampleSettings& settings,
                          const std::function<void(const AnySample&)>& use);

  /// Defined in python/native/record_table_of.hpp.
  template <Game G>
  static RecordTable of();
};

}  // namespace senet
