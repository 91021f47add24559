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
  kMoves,        // one row: the position; a dueling head answers for each move; as kAfterstates
  kPlayouts,     // none: a random game from the position gives its value; all priors are equal
};

/// Whether the answers to a node value each of its moves.
constexpr bool values_moves(Evaluates evaluates) {
  return evaluates == Evaluates::kAfterstates || evaluates == Evaluates::kMoves;
}
/// Whether the answers to a node include policy logits.
constexpr bool wants_logits(Evaluates evaluates) {
  return evaluates == Evaluates::kPosition || evaluates == Evaluates::kMoves;
}

constexpr std::array<Named<Evaluates>, 4> names_of(std::type_identity<Evaluates>) {
  return {{{"position", Evaluates::kPosition},
           {"afterstates", Evaluates::kAfterstates},
           {"moves", Evaluates::kMoves},
           {"playouts", Evaluates::kPlayouts}}};
}

}  // namespace senet
