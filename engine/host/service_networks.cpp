// Weights in a service. Their memory is reserved before it is allocated.
#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/host/builtin_models.hpp"
#include "engine/host/host_table.hpp"
#include "engine/host/service.hpp"
#include "nn/safetensors.hpp"

namespace senet {
namespace {

/// A network, the file content that it may borrow, and the reservation of their memory.
struct LoadedNetwork {
  MemoryBudget::Reservation memory;
  Block<std::byte> file;
  Network network;
};

// Bytes that a Network takes besides its weights.
constexpr std::size_t kHeldBytes = sizeof(LoadedNetwork) + 512;

// Maximum header of a file that save_network wrote: tensor names and numbers.
std::size_t header_bytes(const NetworkSpec& spec) {
  return 1024 + 128 * parameter_layout(spec).size();
}
std::size_t held_bytes(const NetworkSpec& spec) {
  return parameter_count(spec) * sizeof(float) + header_bytes(spec) + kHeldBytes;
}

SharedNetwork share(MemoryBudget::Reservation memory, Block<std::byte> file, Network network) {
  auto held = std::make_shared<const LoadedNetwork>(
      LoadedNetwork{std::move(memory), std::move(file), std::move(network)});
  return SharedNetwork(held, &held->network);
}

Error bad_model(const Error& reason) { return fail(SENET_BAD_MODEL, reason.reason()); }

/// A network that refers to the file's bytes; none if the file, perhaps written by another program,
/// has another order of tensors.
Result<std::optional<Network>> borrow(std::span<const std::byte> file,
                                      MemoryBudget& memory_budget) {
  // Reading the header takes memory for a moment.
  const auto reading =
      memory_budget.reserve(safetensors_reading_bytes(safetensors_header_length(file)),
                            "reading the header of these weights");
  if (!reading) return reading.error();
  auto network = borrow_network(file);
  return network ? std::move(network) : bad_model(network.error());
}

/// The network in a whole file, whose memory has been reserved.
Result<SharedNetwork> hold(MemoryBudget::Reservation memory, Block<std::byte> file,
                           MemoryBudget& memory_budget) {
  const std::span<const std::byte> content(file.get(), file.size());
  Result<std::optional<Network>> borrowed = borrow(content, memory_budget);
  if (!borrowed) return borrowed.error();
  if (*borrowed) return share(std::move(memory), std::move(file), std::move(**borrowed));
  auto copy = memory_budget.reserve(file.size() + kHeldBytes, "a copy of these weights");
  if (!copy) return copy.error();
  Result<Network> network = read_network(content);
  if (!network) return bad_model(network.error());
  return share(std::move(*copy), {}, std::move(*network));
}

}  // namespace

std::size_t exchanged_bytes(const NetworkSpec& spec) {
  return 2 * held_bytes(spec) + safetensors_reading_bytes(header_bytes(spec));
}

// Reads the whole file instead of mapping it, so that later changes to the file are harmless.
Result<SharedNetwork> Service::load(const std::filesystem::path& file) {
  const auto unreadable = [&](std::string_view what) {
    return fail(SENET_NO_FILE, file.string() + ": " + std::string(what));
  };
  std::error_code error;
  const auto kind = std::filesystem::status(file, error).type();
  if (kind == std::filesystem::file_type::not_found) return unreadable("no such file");
  if (kind != std::filesystem::file_type::regular) return unreadable("not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) return unreadable("cannot open");
  if (size == 0) return fail(SENET_BAD_MODEL, file.string() + ": is empty");
  auto memory = memory_budget_.reserve(size + kHeldBytes, file.string());
  if (!memory) return memory.error();
  Block<std::byte> bytes(size, *settings_.heap);
  stream.read(reinterpret_cast<char*>(bytes.get()), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(stream.gcount()) != size) {
    return unreadable("became shorter while it was read");
  }
  Result<SharedNetwork> held = hold(std::move(*memory), std::move(bytes), memory_budget_);
  if (!held && held.error().status() == SENET_BAD_MODEL) {
    return fail(SENET_BAD_MODEL, file.string() + ": " + held.error().reason());
  }
  return held;
}

Result<SharedNetwork> Service::read(std::span<const std::byte> file) {
  if (file.empty()) return fail(SENET_BAD_MODEL, "these weights are 0 bytes long");
  auto memory = memory_budget_.reserve(file.size() + kHeldBytes, "these weights");
  if (!memory) return memory.error();
  Block<std::byte> bytes(file.size(), *settings_.heap);
  std::ranges::copy(file, bytes.get());
  return hold(std::move(*memory), std::move(bytes), memory_budget_);
}

Result<SharedNetwork> Service::builtin(std::string_view game) {
  const std::span<const std::byte> file = builtin_model(game);
  if (file.empty()) {
    if (const auto known = find_host(game); !known) return known.error();
    return fail(SENET_NO_FILE, "no network for " + std::string(game) + " is built in");
  }
  auto memory = memory_budget_.reserve(kHeldBytes, "these weights");
  if (!memory) return memory.error();
  Result<std::optional<Network>> network = borrow(file, memory_budget_);
  if (!network) return network.error();
  if (!*network) return fail(SENET_BAD_MODEL, "the tensors are not in the expected order");
  return share(std::move(*memory), {}, std::move(**network));
}

Result<SharedNetwork> Service::untrained(std::string_view game, std::uint64_t seed) {
  const auto host = find_host(game);
  if (!host) return host.error();
  return initial(reference_spec((*host)->game), seed);
}

Result<SharedNetwork> Service::playouts(std::string_view game) {
  const auto host = find_host(game);
  if (!host) return host.error();
  return initial(spec_for_playouts(reference_spec((*host)->game)), 1);
}

Result<SharedNetwork> Service::initial(const NetworkSpec& spec, std::uint64_t seed) {
  auto memory = memory_budget_.reserve(held_bytes(spec), "an untrained network");
  if (!memory) return memory.error();
  return share(std::move(*memory), {}, initial_network(spec, seed));
}

}  // namespace senet
