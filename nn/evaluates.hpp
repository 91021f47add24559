// What a search values a new node by.
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
  kPlayouts,     // none: a random game from the position gives its value; all priors are equal
};

constexpr std::array<Named<Evaluates>, 3> names_of(std::type_identity<Evaluates>) {
  return {{{"position", Evaluates::kPosition},
           {"afterstates", Evaluates::kAfterstates},
           {"playouts", Evaluates::kPlayouts}}};
}

}  // namespace senet
