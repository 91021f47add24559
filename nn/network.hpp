// A network: its shape and one flat block of parameters. Immutable once shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nn/file.hpp"
#include "nn/levels.hpp"
#include "nn/network_spec.hpp"

namespace senet {

/// Shape and weights. Movable; copies are explicit (see clone). Several threads may read it.
class Network {
 public:
  Network(Network&&) = default;
  Network& operator=(Network&&) = default;
  /// Takes ownership of the parameters: parameter_count(spec) finite values laid out by
  /// parameter_layout(spec). check_spec(spec) must hold.
  Network(NetworkSpec spec, std::vector<float> parameters);

  const NetworkSpec& spec() const { return spec_; }
  /// All parameters, [parameter_count(spec)] f32. Valid while the network exists.
  std::span<const float> parameters() const { return parameters_; }
  /// The levels of strength that were found for these weights, the weakest first; may be empty. Not
  /// part of the content's id.
  const std::vector<Level>& levels() const { return levels_; }
  void set_levels(std::vector<Level> levels) { levels_ = std::move(levels); }
  /// A copy that owns its parameters.
  Network clone() const;
  /// Identifies the weights: XXH3 (64 bits) of the parameters' bytes, seeded with the XXH3 of the
  /// spec as text. Equal for equal content of any origin.
  std::uint64_t id() const { return id_; }

 private:
  friend Result<Network> load_network(const std::filesystem::path& file);
  friend Result<Network> read_network(std::span<const std::byte> file);
  friend Result<std::optional<Network>> borrow_network(std::span<const std::byte> file);
  // Where the parameters are stored.
  enum class Keep : std::uint8_t {
    kInFile,        // reads nothing if they cannot be used in place
    kInFileOrCopy,  // in the file if they can be used in place
    kCopy,
  };
  Network() = default;
  // Checks a whole file and loads it; the caller keeps the bytes.
  Result<void> read(std::span<const std::byte> file, Keep keep);
  void find_id();

  NetworkSpec spec_;
  std::vector<float> storage_;         // empty when the parameters are in file_ or borrowed
  FileBytes file_;                     // the whole file if the parameters are in it
  std::span<const float> parameters_;  // into storage_, file_ or borrowed memory
  std::uint64_t id_ = 0;
  std::vector<Level> levels_;
};

/// Initial weights: Linear weights are nearly normal with variance 2 / inputs (He et al. 2015); the
/// last Linear of each block and of each head has a tenth of that deviation. Biases are 0, norms
/// have scale 1 and shift 0. The same seed gives the same weights, bit for bit, on every machine.
Network initial_network(const NetworkSpec& spec, std::uint64_t seed);

/// A network of the shape `spec` that computes the same function as `network`, so that it continues
/// to learn with more units: the new units' incoming weights are random, as
/// initial_network(spec, seed) draws them, and no old unit or output reads a new unit yet; new
/// hidden layers of the value head pass on what they read (Net2Net, Chen et al. 2015). Only the
/// width, the value head's width and its number of layers may grow, and only without norms, which
/// would change with the width. An error names the difference that is not allowed.
Result<Network> enlarged_network(const Network& network, const NetworkSpec& spec,
                                 std::uint64_t seed);

/// Reads a safetensors file, so that later changes of the file are harmless. Checks the header,
/// that every tensor is present with its shape and inside the file, that all values are finite, and
/// that the content id is the recorded one (files of other programs may record none). An error
/// names the file and the tensor.
Result<Network> load_network(const std::filesystem::path& file);

/// The same from a whole file in memory, which is copied. An error names the tensor.
Result<Network> read_network(std::span<const std::byte> file);

/// The same without a copy: the parameters stay in `file`, which must outlive the network. Returns
/// nothing if the parameters cannot be used in place: they must have the layout that save_network
/// writes and an address that is a multiple of 4.
Result<std::optional<Network>> borrow_network(std::span<const std::byte> file);

/// Writes safetensors with the spec, the id and the levels in the metadata: to a temporary file
/// next to `file`, flushed to disk, then renamed, so that no reader ever sees a partial file.
Result<void> save_network(const Network& network, const std::filesystem::path& file);

/// The id as 16 hex digits, "8f3a...".
std::string id_text(std::uint64_t id);

}  // namespace senet
