// The safetensors file format: a JSON table of tensors, followed by their bytes.
//
//   +----------------+-------------------------------+---------------------------+
//   | u64 n, little- | n bytes of JSON, padded with  | the tensors' bytes, back  |
//   | endian         | spaces: 8 + n is a multiple   | to back, little-endian    |
//   |                | of 64                         | f32                       |
//   +----------------+-------------------------------+---------------------------+
//
// Format: https://github.com/huggingface/safetensors. Only F32 tensors are supported here. The
// format allows padding the header, which lets a file in memory be used in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "senet/result.hpp"

namespace senet {

/// One tensor of a file: the product of `shape` times 4 bytes, at [begin, end) of the data after
/// the header.
struct StoredTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The parsed JSON header.
struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;  // `__metadata__`: strings only
  std::vector<StoredTensor> tensors;            // ascending by `begin`
  std::size_t data_start = 0;                   // bytes from the start of the file
};

/// Maximum size of a header that is read or written, in bytes of JSON.
inline constexpr std::uint64_t kMaxSafetensorsHeader = std::uint64_t{16} << 20;

/// Upper bound on the temporary memory that parse_safetensors and read_network need for a header of
/// that many bytes, besides their results. A set of the shortest names takes 40 times as much
/// memory as their text.
constexpr std::size_t safetensors_reading_bytes(std::uint64_t header) {
  return static_cast<std::size_t>(4096 + 48 * header);
}

/// The length of this file's header; 0 if it is too long or cut short and will not be read.
std::uint64_t safetensors_header_length(std::span<const std::byte> file);

/// Reads the header of a whole file in memory. Validates everything: on success every tensor is
/// F32, its bytes lie inside the data and match its shape, names are unique, and the tensors cover
/// the data without gap or overlap. An error names the tensor, not the file.
Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file);

/// The bytes in front of the data: length, JSON, padding. Tensor names, metadata keys and metadata
/// values must be valid UTF-8 (invalid bytes are replaced); data_start is ignored.
std::string write_safetensors_header(const SafetensorsHeader& header);

/// A tensor and its values, as many as its shape requires.
struct TensorValues {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<const float> values;
};

/// Writes a whole file with the tensors in this order and replaces `file` with it (see
/// replace_file).
Result<void> save_safetensors(const std::filesystem::path& file,
                              std::map<std::string, std::string> metadata,
                              std::span<const TensorValues> tensors);

}  // namespace senet
