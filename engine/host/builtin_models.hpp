// The networks that are linked in, so that no file is needed to begin.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace senet {

/// The safetensors file games/GAME/model.safetensors, as save_network writes it; empty when there
/// is none. Read-only, lives as long as the program; the first byte is aligned to a cache line.
std::span<const std::byte> builtin_model(std::string_view game);

}  // namespace senet
