// What the Python package needs of a game besides its rules (games/any_game.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "python/native/vec_env.hpp"
#include "senet/game.hpp"

namespace senet {

/// The table of a game (games/registry.hpp). `state` is the bytes of a state of the game.
struct EnvTable {
  /// `game` outlives the environment.
  std::unique_ptr<AnyVecEnv> (*make)(const AnyGame& game, const EnvOptions& options);
  EnvShape (*shape)(const AnyGame& game, std::size_t count);
  std::uint64_t (*key)(const void* state);
  /// Writes the features of an unfinished state, most_active of the game at most, and returns their
  /// number. Both spans have room for most_active entries.
  std::size_t (*encode)(const void* state, std::span<std::uint16_t> indices,
                        std::span<float> values);

  /// Defined in python/native/env_table_of.hpp.
  template <Game G>
  static EnvTable of();
};

}  // namespace senet
