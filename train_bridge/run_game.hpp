// What a run needs of its game: a table of functions, so that the run itself is compiled once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/lanes/model_store.hpp"
#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "nn/network_spec.hpp"
#include "selfplay/game_exchange.hpp"
#include "selfplay/selfplay.hpp"
#include "train_bridge/replay_buffer.hpp"

namespace senet {

/// The table of a game (games/registry.hpp).
struct RunGame {
  /// The rules and the kit.
  const AnyGame& (*any)();
  /// Memory of the tree of a search of so many visits.
  std::size_t (*tree_bytes)(std::uint32_t visits, Evaluates evaluates);
  GameShape shape;
  /// Threads that play at once. Models, numbers, sink and what the hooks refer to outlive them;
  /// what keeps one from starting is told by their join().
  std::unique_ptr<AnySelfPlayThreads> (*start_selfplay)(const SelfPlaySettings& settings,
                                                        ModelStore& models, GameNumbers& numbers,
                                                        GameSink& sink, SelfPlayHooks hooks);
  std::unique_ptr<Replay> (*make_replay)(const LearnSettings& settings);

  /// train_bridge/run_game_of.hpp.
  template <Game G>
  static constexpr RunGame of();
};

}  // namespace senet
