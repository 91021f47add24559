// Small, fast networks for tests.
#pragma once

#include <cstdint>

#include "nn/network.hpp"
#include "tests/all_games.hpp"

namespace senet {

template <Game G>
Network small_network(std::uint64_t seed, Evaluates evaluates = Evaluates::kPosition) {
  NetworkSpec spec = reference_spec<G>();
  spec.width = 16;
  spec.blocks = 1;
  spec.evaluates = evaluates;
  return initial_network(spec, seed);
}

}  // namespace senet
