#include "nn/evaluates.hpp"

#include <fmt/core.h>

namespace senet {

std::string_view evaluates_name(Evaluates evaluates) {
  return evaluates == Evaluates::kPosition ? "position" : "afterstates";
}

Result<Evaluates> evaluates_from_name(std::string_view name) {
  for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    if (name == evaluates_name(evaluates)) return evaluates;
  }
  return fail(fmt::format("unknown evaluation mode \"{}\"; known: position, afterstates", name));
}

}  // namespace senet
