// The functions that a run needs of its game, as a table, so that the run itself is compiled once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/lanes/model_store.hpp"
#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "nn/network_spec.hpp"
#include "selfplay/game_exchange.hpp"
#include "selfplay/search_player.hpp"
#include "selfplay/selfplay.hpp"
#include "train_bridge/replay_buffer.hpp"

namespace senet {

/// The function table of a game (games/registry.hpp). The functions take its rules, which `any`
/// points to.
struct RunGame {
  /// The rules and the kit, which outlive the table.
  const AnyGame* any;
  /// Bytes of each search of a worker with these settings.
  std::size_t (*search_bytes)(const AnyGame& game, const WorkerSettings& settings);
  GameShape shape;
  /// Fails if games cannot start as the settings say.
  Result<void> (*check_starts)(const AnyGame& game, const StartSettings& settings);
  /// Fails when the record is not a legal game.
  Result<void> (*check_record)(const AnyGame& game, const GameRecord& record);
  /// Starts threads that play immediately. Models, numbers, sink and objects referenced by the
  /// hooks outlive them; their join() reports why one could not start.
  std::unique_ptr<AnySelfPlayThreads> (*start_selfplay)(const AnyGame& game,
                                                        const SelfPlaySettings& settings,
                                                        ModelStore& models, GameNumbers& numbers,
                                                        GameSink& sink, SelfPlayHooks hooks);
  /// A player of a match; see SearchPlayer::make().
  Result<std::unique_ptr<MatchPlayer>> (*make_player)(const AnyGame& game, SharedWeights weights,
                                                      const SearchOptions& options,
                                                      std::uint32_t visits);
  std::unique_ptr<Replay> (*make_replay)(const AnyGame& game, const LearnSettings& settings);
  /// Bytes of that replay.
  std::size_t (*replay_bytes)(const AnyGame& game, const LearnSettings& settings);

  /// Defined in train_bridge/run_game_of.hpp. `game` has states of type G.
  template <Game G>
  static RunGame of(const AnyGame& game = game_table<AnyGame, G>());
};

}  // namespace senet
