// The run table of a game, instantiated by the game's source file.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "selfplay/record_replay.hpp"
#include "selfplay/selfplay_threads.hpp"
#include "train_bridge/run_game.hpp"

namespace senet {

template <Game G>
RunGame RunGame::of(const AnyGame& game) {
  return {
      .any = &game,
      .search_bytes =
          [](const AnyGame& rules, const WorkerSettings& settings) {
            const TreeLimits limits =
                limits_for(start_as<G>(rules), settings.visits, settings.search.evaluates);
            return Search<G>::bytes(settings.search, limits) +
                   ScratchPool<G>::bytes(settings.search.leaves);
          },
      .shape = GameShape::of(start_as<G>(game)),
      .check_starts = [](const AnyGame& rules, const StartSettings& settings) -> Result<void> {
        const auto starts = Starts<G>::make(settings, start_as<G>(rules));
        return starts ? Result<void>() : starts.error();
      },
      .check_record = [](const AnyGame& rules, const GameRecord& record) -> Result<void> {
        std::vector<G> states;
        return replay<G>(record, states, start_as<G>(rules));
      },
      .start_selfplay = [](const AnyGame& rules, const SelfPlaySettings& settings,
                           ModelStore& models, GameNumbers& numbers, GameSink& sink,
                           SelfPlayHooks hooks) -> std::unique_ptr<AnySelfPlayThreads> {
        return std::make_unique<SelfPlayThreads<G>>(settings, models, numbers, sink,
                                                    std::move(hooks), start_as<G>(rules));
      },
      .make_player = [](const AnyGame& rules, SharedWeights weights, const SearchOptions& options,
                        std::uint32_t visits) -> Result<std::unique_ptr<MatchPlayer>> {
        auto made = SearchPlayer<G>::make(std::move(weights), options, visits, start_as<G>(rules));
        if (!made) return made.error();
        return std::unique_ptr<MatchPlayer>(std::move(*made));
      },
      .make_replay =
          [](const AnyGame& rules, const LearnSettings& settings) {
            return senet::make_replay(settings, start_as<G>(rules));
          },
      .replay_bytes =
          [](const AnyGame& rules, const LearnSettings& settings) {
            return ReplayBuffer<G>::bytes(settings.replay_capacity,
                                          policy_per_sample(settings, start_as<G>(rules)),
                                          settings.priority);
          },
  };
}

}  // namespace senet
