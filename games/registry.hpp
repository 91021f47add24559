// The games this build knows, and the way from a game's name to its type.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "games/backgammon/backgammon.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "senet/game.hpp"
#include "senet/result.hpp"

namespace senet {

/// A list of game types.
template <Game... G>
struct GameList {
  static constexpr std::array<std::string_view, sizeof...(G)> kNames = {G::kName...};
};

/// Every game. A new one is added here and nowhere else.
using AllGames = GameList<TicTacToe, ConnectFour, Backgammon>;

/// The names of all games, in the order of the list.
constexpr std::span<const std::string_view> game_names() { return AllGames::kNames; }

namespace registry_detail {

template <class T>
struct AsResult {
  using type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
  using type = Result<T>;
};

template <class Function, class First, class... Rest>
auto visit(GameList<First, Rest...>, std::string_view name, Function&& function) ->
    typename AsResult<std::invoke_result_t<Function, std::type_identity<First>>>::type {
  using Returned = std::invoke_result_t<Function, std::type_identity<First>>;
  using Answer = typename AsResult<Returned>::type;
  if (name == First::kName) {
    if constexpr (std::is_void_v<Returned>) {
      std::forward<Function>(function)(std::type_identity<First>{});
      return Answer{};
    } else {
      return Answer{std::forward<Function>(function)(std::type_identity<First>{})};
    }
  }
  if constexpr (sizeof...(Rest) > 0) {
    return visit(GameList<Rest...>{}, name, std::forward<Function>(function));
  } else {
    std::string known;
    for (const std::string_view game : game_names())
      known.append(known.empty() ? "" : ", ").append(game);
    return fail("unknown game \"" + std::string(name) + "\"; known games: " + known);
  }
}

}  // namespace registry_detail

/// Calls `function(std::type_identity<G>{})` for the game of that name and returns what it returned
/// as a Result<T>, whether the function returns T, void or a Result<T> of its own (the same T for
/// every game). Fails, naming the known games, when there is none of that name.
template <class Function>
auto visit_game(std::string_view name, Function&& function) {
  return registry_detail::visit(AllGames{}, name, std::forward<Function>(function));
}

}  // namespace senet
