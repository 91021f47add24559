// The environment table of a game, instantiated by the game's source file.
#pragma once

#include <memory>
#include <new>

#include "python/native/env_table.hpp"
#include "python/native/vec_env_of.hpp"

namespace senet {

template <Game G>
EnvTable EnvTable::of() {
  return {
      .make = [](const AnyGame& game, const EnvOptions& options) -> std::unique_ptr<AnyVecEnv> {
        return std::make_unique<VecEnv<G>>(game, options);
      },
      .shape = &VecEnv<G>::shape_of,
      .key = [](const void* state) { return std::launder(static_cast<const G*>(state))->key(); },
      .encode =
          [](const void* state, std::span<std::uint16_t> indices, std::span<float> values) {
            FeatureRow row(indices.data(), values.data(), indices.size());
            std::launder(static_cast<const G*>(state))->encode(row);
            return row.count();
          },
  };
}

}  // namespace senet
