// What a service needs of a game by its type.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "engine/host/service.hpp"
#include "engine/host/table_game.hpp"
#include "games/any_game.hpp"

namespace senet {

/// Threads that search.
inline std::size_t drivers(const ServiceSettings& settings) {
  return settings.workers > 0 ? settings.workers : settings.pollers;
}

struct RoomBytes {
  std::size_t room, session;  // all but its sessions, and one of these
};

/// The table of a game (games/registry.hpp). Its functions take its `game` first.
struct HostTable {
  AnyGame game;  // without a kit
  /// Memory of the game's room for networks of this shape.
  RoomBytes (*bytes)(const AnyGame& game, const NetworkSpec& spec, const ServiceSettings& settings);
  /// That room for these weights and others of their shape, if there is memory for it.
  Result<std::unique_ptr<GameRoom>> (*make_room)(const AnyGame& game, const Weights& weights,
                                                 const ServiceSettings& settings, Ledger& ledger,
                                                 RowTeam& team);

  /// engine/host/room_of.hpp; see AnyGame::rules_of.
  template <Game G>
  static constexpr HostTable of();
};

/// A host's own game, whose functions agree with each other (check_table).
class OwnGame {
 public:
  explicit OwnGame(GameTable table);
  OwnGame(const OwnGame&) = delete;
  OwnGame& operator=(const OwnGame&) = delete;

  const HostTable& host() const { return host_; }

 private:
  template <Game G, Game... Larger>
  HostTable make_host();

  const GameTable table_;
  alignas(AnyState::kAlignment) std::array<std::byte, AnyState::kRoom> start_;
  const HostTable host_;
};

}  // namespace senet
