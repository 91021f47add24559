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

/// The table of a game (games/registry.hpp). Its functions take its `game` first.
struct HostTable {
  AnyGame game;  // without a kit
  /// Memory of the game's room for networks of this shape, and of one session in it.
  std::size_t (*room_bytes)(const AnyGame& game, const NetworkSpec& spec,
                            const ServiceSettings& settings);
  std::size_t (*session_bytes)(const AnyGame& game, const NetworkSpec& spec,
                               const ServiceSettings& settings);
  /// That room for these weights and others of their shape, if there is memory for it.
  Result<std::unique_ptr<GameRoom>> (*make_room)(const AnyGame& game, const Weights& weights,
                                                 const ServiceSettings& settings, Ledger& ledger,
                                                 RowTeam& team);

  /// Of the game that starts with `start`, which outlives it; engine/host/room_of.hpp.
  template <Game G>
  static HostTable of(const G& start);
  template <Game G>
  static HostTable of() {
    static const G start{};
    return of(start);
  }
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
  HostTable host_;
};

}  // namespace senet
