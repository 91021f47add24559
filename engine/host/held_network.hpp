// Weights in a service: what they take is promised before it is taken.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "engine/host/ledger.hpp"
#include "nn/heap.hpp"
#include "nn/weights.hpp"
#include "senet/result.hpp"

namespace senet {

/// "WHAT would take N bytes; M of L are left".
Error no_memory(std::string_view what, const Ledger& ledger, std::size_t bytes);

/// Memory that weights of this shape take once they are loaded from a file of ours.
std::size_t held_bytes(const NetworkSpec& spec);

/// Memory that reading such a file takes for a moment beside that.
std::size_t reading_bytes(const NetworkSpec& spec);

/// Reads a whole safetensors file into memory: what happens to the file afterwards does not matter.
/// kNoFile when it cannot be read, kBadModel when it is no network.
Result<SharedNetwork> hold_file(const std::filesystem::path& file, Ledger& ledger, Heap& heap);
/// A copy of what such a file holds.
Result<SharedNetwork> hold_copy(std::span<const std::byte> file, Ledger& ledger, Heap& heap);
/// The same without a copy: `file` outlives everything, and was written by save_network.
Result<SharedNetwork> hold_borrowed(std::span<const std::byte> file, Ledger& ledger);
/// Fresh weights, which know nothing.
Result<SharedNetwork> hold_untrained(const NetworkSpec& spec, std::uint64_t seed, Ledger& ledger);
/// Takes a network over.
Result<SharedNetwork> hold(Network network, Ledger& ledger);

}  // namespace senet
