// The positions that a search evaluates with a network.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "games/names.hpp"

namespace senet {

/// The rows that the network evaluates when a node is expanded.
enum class Evaluates : std::uint8_t {
  kPosition,     // one row: the position itself; its policy logits become priors
  kAfterstates,  // one row per legal move: its afterstate; their values become priors
};

constexpr std::array<Named<Evaluates>, 2> names_of(std::type_identity<Evaluates>) {
  return {{{"position", Evaluates::kPosition}, {"afterstates", Evaluates::kAfterstates}}};
}

}  // namespace senet
