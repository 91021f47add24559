// Where a command's network comes from.
#pragma once

#include <cstdint>
#include <string_view>

#include "nn/network.hpp"
#include "selfplay/search_player.hpp"

namespace senet {

/// The most visits that a command accepts.
inline constexpr std::uint32_t kMostVisits = 1'000'000;

/// The network that `source` names: "untrained" or "untrained:<seed>" for fresh weights of the
/// reference shape (seed 1 if it names none), "builtin" for those linked in, anything else is a
/// weights file. A reason when it cannot be read or does not play the reference's game.
Result<Network> open_network(std::string_view source, const NetworkSpec& reference);

/// The source of a game's network that no option names: "builtin", or "untrained" where none is
/// built in.
std::string_view default_source(std::string_view game);

/// Whether `source` names fresh weights: "untrained" or "untrained:<seed>".
bool is_untrained(std::string_view source);

}  // namespace senet
