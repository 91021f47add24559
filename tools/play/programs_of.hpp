// Instantiates the Programs table of a game from the templates that play, search and train.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "games/registry.hpp"
#include "selfplay/record_replay.hpp"
#include "selfplay/search_player.hpp"
#include "tools/play/players.hpp"

namespace senet {

/// Makes a player that searches with a network.
template <Game G>
Result<PlayerHolder> make_network_player(const AnyGame& game, const std::string& word,
                                         const PlayerSettings& given) {
  const Result<NetworkWord> named = NetworkWord::read(word);
  if (!named) return named.error();
  Result<Network> network = open_network(named->source, reference_spec(game));
  if (!network) return network.error();
  PlayerSettings settings = given;
  if (const auto set = set_level(named->level, *network, settings); !set) {
    return fail(word + ": " + std::string(set.error().reason()));
  }
  auto player = SearchPlayer<G>::make(std::make_shared<const Weights>(std::move(*network)),
                                      settings.search, settings.visits, start_as<G>(game));
  if (!player) return player.error();
  const SearchPlayer<G>& made = **player;
  std::string identity =
      network_identity(made.weights().id(), made.visits(), made.options(), made.evaluator_name());
  std::string note = made.note();
  return PlayerHolder{
      .player = std::move(*player), .identity = std::move(identity), .note = std::move(note)};
}

template <Game G>
constexpr Programs Programs::of() {
  return {
      .own_player_words = GameHooks<G>::kPlayerWords,
      .own_player_help = GameHooks<G>::kPlayerHelp,
      .is_own_player = &GameHooks<G>::is_player,
      .make_own_player = &GameHooks<G>::make_player,
      .make_network_player = &senet::make_network_player<G>,
      .add_commands = &GameHooks<G>::add_commands,
      .replay = [](const AnyGame& game, const GameRecord& record,
                   std::vector<AnyState>& states) -> Result<void> {
        std::vector<G> own;
        Result<void> replayed = senet::replay(record, own, start_as<G>(game));
        states.clear();
        for (const G& state : own) states.emplace_back(game, state);
        return replayed;
      },
  };
}

}  // namespace senet
