#include "engine/host/builtin_models.hpp"

// Set by engine/builtin_models.S.
extern "C" {
extern const std::byte embedded_senet_connect_four[], embedded_senet_connect_four_end[];
extern const std::byte embedded_senet_backgammon[], embedded_senet_backgammon_end[];
}

namespace senet {

std::span<const std::byte> builtin_model(std::string_view game) {
  if (game == "connect_four") return {embedded_senet_connect_four, embedded_senet_connect_four_end};
  if (game == "backgammon") return {embedded_senet_backgammon, embedded_senet_backgammon_end};
  return {};
}

}  // namespace senet
