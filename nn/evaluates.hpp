// What a network can be asked about.
#pragma once

#include <cstdint>
#include <string_view>

#include "senet/result.hpp"

namespace senet {

/// What the network is asked about when a node is expanded.
enum class Evaluates : std::uint8_t {
  kPosition,     // one row: the position itself; its policy logits become priors
  kAfterstates,  // one row per legal move: the position it leads to; their values become priors
};

/// "position", "afterstates".
std::string_view evaluates_name(Evaluates evaluates);
/// The other way round; a reason that quotes any other name.
Result<Evaluates> evaluates_from_name(std::string_view name);

}  // namespace senet
