// A network: its shape and one flat block of parameters, immutable once it is shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/file.hpp"
#include "nn/network_spec.hpp"

namespace senet {

/// Shape and weights. Movable, not copyable by accident (see clone). Reading it from several
/// threads is safe.
class Network {
 public:
  /// Takes the parameters over; `parameters` has parameter_count(spec) finite values laid out by
  /// parameter_layout(spec), and check_spec(spec) holds.
  Network(NetworkSpec spec, std::vector<float> parameters);

  const NetworkSpec& spec() const { return spec_; }
  /// All parameters, [parameter_count(spec)] f32. Valid while the network lives.
  std::span<const float> parameters() const { return parameters_; }
  /// The same once more, with parameters of its own.
  Network clone() const { return {spec_, {parameters_.begin(), parameters_.end()}}; }
  /// XXH3 (64 bits) of the parameters' bytes, seeded with the XXH3 of the spec as text: names the
  /// weights. Equal for equal content, wherever it came from.
  std::uint64_t id() const { return id_; }

 private:
  friend Result<Network> load_network(const std::filesystem::path& file);
  friend Result<Network> read_network(std::span<const std::byte> file);
  friend Result<std::optional<Network>> borrow_network(std::span<const std::byte> file);
  // Where parameters shall be.
  enum class Keep : std::uint8_t {
    kInFile,        // nothing is read when they do not lie there as they are used
    kInFileOrCopy,  // where they are if they can be used there
    kCopy,
  };
  Network() = default;
  // Checks a whole file and takes it over, but for its mapping.
  Result<void> read(std::span<const std::byte> file, Keep keep);
  void find_id();

  NetworkSpec spec_;
  std::vector<float> storage_;         // empty when the parameters are used where the file is
  MappedFile file_;                    // mapped if the parameters are there
  std::span<const float> parameters_;  // into one of the two, or borrowed
  std::uint64_t id_ = 0;
};

/// Fresh weights: Linear weights nearly normal with variance 2 / inputs (He et al. 2015), the last
/// Linear of each block and of each head a tenth of that deviation, biases 0, norms at scale 1 and
/// shift 0. The same seed gives the same weights, bit for bit, on every machine.
Network initial_network(const NetworkSpec& spec, std::uint64_t seed);

/// Maps a safetensors file read-only. Checks the header, that every tensor is there with its shape
/// and inside the file, that the values are finite and the content id is the recorded one (a file
/// of another program may record none). One reason on failure, naming the file and the tensor. The
/// file stays mapped while the network lives: replace it by renaming another over it, as
/// save_network does.
Result<Network> load_network(const std::filesystem::path& file);

/// The same from a whole file in memory, which is copied. The reason names the tensor.
Result<Network> read_network(std::span<const std::byte> file);

/// The same without a copy: the parameters stay where they are in `file`, which outlives the
/// network. Nothing when they do not lie there as they are used (save_network writes them so; the
/// address is a multiple of 4).
Result<std::optional<Network>> borrow_network(std::span<const std::byte> file);

/// Writes safetensors with the spec and the id in its metadata: to a temporary file beside it,
/// flushed to disk, then renamed, so that no reader ever sees half a file.
Result<void> save_network(const Network& network, const std::filesystem::path& file);

/// "8f3a..." 16 hex digits.
std::string id_text(std::uint64_t id);

}  // namespace senet
