// The networks that are linked into the library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace senet {

/// The file games/GAME/model.safetensors, as save_network writes it; empty if there is none.
/// Read-only and static; the first byte is aligned to a cache line.
std::span<const std::byte> builtin_model(std::string_view game);

}  // namespace senet
