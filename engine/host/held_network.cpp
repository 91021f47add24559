#include "engine/host/held_network.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "nn/safetensors.hpp"

namespace senet {
namespace {

/// A network, the file it may lie in, and the promise of their memory.
struct Held {
  Charge memory;
  Block<std::byte> file;
  Network network;
};

// What a Network keeps beside weights.
constexpr std::size_t kHeldBytes = sizeof(Held) + 512;

// The header of a file of ours, at most: names of tensors and numbers.
std::size_t header_bytes(const NetworkSpec& spec) {
  return 1024 + 128 * parameter_layout(spec).size();
}

SharedNetwork share(Charge memory, Block<std::byte> file, Network network) {
  auto held = std::make_shared<const Held>(std::move(memory), std::move(file), std::move(network));
  return SharedNetwork(held, &held->network);
}

Error bad_model(const Error& reason) { return fail(SENET_BAD_MODEL, reason.reason()); }

/// What reading this file's header takes for a moment.
Result<Charge> promise_reading(std::span<const std::byte> file, Ledger& ledger) {
  const std::size_t bytes = safetensors_reading_bytes(safetensors_header_length(file));
  Charge reading(ledger, bytes);
  if (!reading) return no_memory("reading the header of these weights", ledger, bytes);
  return reading;
}

/// A whole file in memory that has been promised.
Result<SharedNetwork> hold_block(Charge memory, Block<std::byte> file, Ledger& ledger) {
  const std::span<const std::byte> content(file.get(), file.size());
  const Result<Charge> reading = promise_reading(content, ledger);
  if (!reading) return reading.error();
  Result<std::optional<Network>> borrowed = borrow_network(content);
  if (!borrowed) return bad_model(borrowed.error());
  if (*borrowed) return share(std::move(memory), std::move(file), std::move(**borrowed));
  // Another program's, in another order: its weights are copied into theirs.
  const std::size_t bytes = file.size() + kHeldBytes;
  Charge copy(ledger, bytes);
  if (!copy) return no_memory("a copy of these weights", ledger, bytes);
  Result<Network> network = read_network(content);
  if (!network) return bad_model(network.error());
  return share(std::move(copy), {}, std::move(*network));
}

}  // namespace

Error no_memory(std::string_view what, const Ledger& ledger, std::size_t bytes) {
  return fail(SENET_NO_MEMORY, std::string(what) + " would take " + std::to_string(bytes) +
                                   " bytes; " + std::to_string(ledger.limit() - ledger.used()) +
                                   " of " + std::to_string(ledger.limit()) + " are left");
}

std::size_t held_bytes(const NetworkSpec& spec) {
  return parameter_count(spec) * sizeof(float) + header_bytes(spec) + kHeldBytes;
}

std::size_t reading_bytes(const NetworkSpec& spec) {
  return safetensors_reading_bytes(header_bytes(spec));
}

Result<SharedNetwork> hold_file(const std::filesystem::path& file, Ledger& ledger, Heap& heap) {
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
  Charge memory(ledger, size + kHeldBytes);
  if (!memory) return no_memory(file.string(), ledger, size + kHeldBytes);
  Block<std::byte> bytes(size, heap);
  stream.read(reinterpret_cast<char*>(bytes.get()), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(stream.gcount()) != size) {
    return unreadable("became shorter while it was read");
  }
  Result<SharedNetwork> held = hold_block(std::move(memory), std::move(bytes), ledger);
  if (!held && held.error().status() == SENET_BAD_MODEL) {
    return fail(SENET_BAD_MODEL, file.string() + ": " + held.error().reason());
  }
  return held;
}

Result<SharedNetwork> hold_copy(std::span<const std::byte> file, Ledger& ledger, Heap& heap) {
  if (file.empty()) return fail(SENET_BAD_MODEL, "no bytes");
  Charge memory(ledger, file.size() + kHeldBytes);
  if (!memory) return no_memory("these weights", ledger, file.size() + kHeldBytes);
  Block<std::byte> bytes(file.size(), heap);
  std::ranges::copy(file, bytes.get());
  return hold_block(std::move(memory), std::move(bytes), ledger);
}

Result<SharedNetwork> hold_borrowed(std::span<const std::byte> file, Ledger& ledger) {
  Charge memory(ledger, kHeldBytes);
  if (!memory) return no_memory("these weights", ledger, kHeldBytes);
  const Result<Charge> reading = promise_reading(file, ledger);
  if (!reading) return reading.error();
  Result<std::optional<Network>> network = borrow_network(file);
  if (!network) return bad_model(network.error());
  if (!*network) return fail(SENET_BAD_MODEL, "not laid out as the weights are used");
  return share(std::move(memory), {}, std::move(**network));
}

Result<SharedNetwork> hold_untrained(const NetworkSpec& spec, std::uint64_t seed, Ledger& ledger) {
  Charge memory(ledger, held_bytes(spec));
  if (!memory) return no_memory("an untrained network", ledger, held_bytes(spec));
  return share(std::move(memory), {}, initial_network(spec, seed));
}

Result<SharedNetwork> hold(Network network, Ledger& ledger) {
  const std::size_t bytes = network.parameters().size_bytes() + kHeldBytes;
  Charge memory(ledger, bytes);
  if (!memory) return no_memory("these weights", ledger, bytes);
  return share(std::move(memory), {}, std::move(network));
}

}  // namespace senet
