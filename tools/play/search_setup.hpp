// The network of a command.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/host/service.hpp"
#include "games/any_game.hpp"
#include "nn/network.hpp"
#include "selfplay/search_player.hpp"

namespace senet {

struct GameTable;

/// Maximum number of visits that a command accepts.
inline constexpr std::uint32_t kMaxVisits = 1'000'000;

/// Loads the network named by `source`: "untrained" or "untrained:<seed>" for fresh weights of the
/// reference shape (default seed 1), "builtin" for the network linked into the program, "playouts"
/// for random games in place of a network, otherwise a weights file. Fails when the network cannot
/// be read or plays another game than `reference`.
Result<Network> open_network(std::string_view source, const NetworkSpec& reference);

/// The default source of a game's network: "builtin", or "playouts" if the game has no built-in
/// network.
std::string_view default_source(std::string_view game);

/// Whether `source` names fresh weights: "untrained" or "untrained:<seed>".
bool is_untrained(std::string_view source);

/// The table of a game from a shared object; null for a listed game.
const GameTable* own_table_of(const AnyGame& game);

/// The settings of a service whose searches are those that `options` describe, with this network's
/// shape. The caller adds threads, sessions, memory, and the rows of a batch.
Result<ServiceSettings> service_settings(const SearchOptions& options, const AnyGame& game,
                                         const NetworkSpec& spec);

}  // namespace senet
