// Endgame tablebases: distributions over the outcomes of a game's last positions, computed once.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "senet/game.hpp"

namespace senet {

/// A game with an endgame tablebase, which knows some of its states. G::Tablebase is a view of the
/// table's bytes:
///   kVersion         a number that changes whenever the bytes do
///   kBytes           size of the table
///   kBuildBytes      memory that build() takes besides, at most
///   build(out)       computes the table, the same every time, into kBytes bytes aligned to 64
///   Tablebase(bytes) a view of these bytes, which outlive it; any thread may read them
///   find(state, outcomes)  whether the table knows the unfinished state; if so, writes its
///                    distribution, [outcomes] f32, sum 1, from the perspective of state.viewer()
template <class G>
concept TablebaseGame = Game<G> && std::is_trivially_copyable_v<typename G::Tablebase> &&
    std::constructible_from<typename G::Tablebase, std::span<const std::byte>> &&
    requires(const typename G::Tablebase& table, const G& state, std::span<std::byte> out,
             std::span<float> outcomes) {
  { G::Tablebase::kVersion } -> std::convertible_to<std::uint32_t>;
  { G::Tablebase::kBytes } -> std::convertible_to<std::size_t>;
  { G::Tablebase::kBuildBytes } -> std::convertible_to<std::size_t>;
  { G::Tablebase::build(out) } -> std::same_as<void>;
  { table.find(state, outcomes) } -> std::same_as<bool>;
};

/// The same without the game's type, for files.
struct TablebaseFormat {
  std::uint32_t version = 0;
  std::size_t bytes = 0;  // 0: the game has no tablebase
  std::size_t build_bytes = 0;
  void (*build)(std::span<std::byte> out) = nullptr;

  template <Game G>
  static constexpr TablebaseFormat of() {
    if constexpr (TablebaseGame<G>) {
      using Table = typename G::Tablebase;
      return {Table::kVersion, Table::kBytes, Table::kBuildBytes, &Table::build};
    }
    return {};
  }
};

}  // namespace senet
