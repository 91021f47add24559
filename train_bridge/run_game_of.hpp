// The run table of a game, instantiated by the game's source file.
#pragma once

#include <memory>
#include <utility>

#include "selfplay/selfplay_threads.hpp"
#include "train_bridge/run_game.hpp"

namespace senet {

template <Game G>
constexpr RunGame RunGame::of() {
  return {
      .any = &game_table<AnyGame, G>,
      .search_bytes =
          [](const WorkerSettings& settings) {
            const TreeLimits limits = limits_for<G>(settings.visits, settings.search.evaluates);
            return Search<G>::bytes(settings.search, limits) +
                   ScratchPool<G>::bytes(settings.search.leaves);
          },
      .shape = GameShape::of<G>(),
      .start_selfplay = [](const SelfPlaySettings& settings, ModelStore& models,
                           GameNumbers& numbers, GameSink& sink,
                           SelfPlayHooks hooks) -> std::unique_ptr<AnySelfPlayThreads> {
        return std::make_unique<SelfPlayThreads<G>>(settings, models, numbers, sink,
                                                    std::move(hooks));
      },
      .make_replay = &senet::make_replay<G>,
  };
}

}  // namespace senet
