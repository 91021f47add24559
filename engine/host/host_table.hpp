// What a service needs of a game by its type.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/host/service.hpp"

namespace senet {

/// Threads that search.
inline std::size_t drivers(const ServiceSettings& settings) {
  return settings.workers > 0 ? settings.workers : settings.pollers;
}

/// The table of a game (games/registry.hpp).
struct HostTable {
  NetworkSpec (*reference_spec)();
  bool has_afterstates;
  /// The game's room for these weights and others of their shape, if there is memory for it.
  Result<std::unique_ptr<GameRoom>> (*make_room)(const Weights& weights,
                                                 const ServiceSettings& settings, Ledger& ledger,
                                                 RowTeam& team);
  /// Memory of that room, and of one session in it.
  std::size_t (*room_bytes)(const NetworkSpec& spec, const ServiceSettings& settings);
  std::size_t (*session_bytes)(const NetworkSpec& spec, const ServiceSettings& settings);

  /// engine/host/room_of.hpp
  template <Game G>
  static constexpr HostTable of();
};

/// The room of a host's own game (in a file of its own: it is another two games to compile).
Result<std::unique_ptr<GameRoom>> make_table_room(const GameTable& table, const Weights& weights,
                                                  const ServiceSettings& settings, Ledger& ledger,
                                                  RowTeam& team);

}  // namespace senet
