// The safetensors file format: a JSON table of tensors in front of their bytes.
//
//   +----------------+-------------------------------+---------------------------+
//   | u64 n, little- | n bytes of JSON, padded with  | the tensors' bytes, back  |
//   | endian         | spaces: 8 + n is a multiple   | to back, little-endian    |
//   |                | of 64                         | f32                       |
//   +----------------+-------------------------------+---------------------------+
//
// Format: https://github.com/huggingface/safetensors. Only F32 tensors are read and written here;
// padding the header is allowed by the format and lets a mapped file be used in place.
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

/// One tensor of a file: `shape` times 4 bytes, at [begin, end) of the data behind the header.
struct StoredTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What the JSON in front of the data says.
struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;  // `__metadata__`: strings only
  std::vector<StoredTensor> tensors;            // ascending by `begin`
  std::size_t data_start = 0;                   // bytes from the start of the file
};

/// Largest header read or written, in bytes of JSON.
inline constexpr std::uint64_t kMaxSafetensorsHeader = std::uint64_t{16} << 20;

/// Memory that parse_safetensors and read_network need for a moment to read a header of that many
/// bytes, whatever it says, beside what they return: a set of names takes 40 times the text of the
/// shortest ones.
constexpr std::size_t safetensors_reading_bytes(std::uint64_t header) {
  return static_cast<std::size_t>(4096 + 48 * header);
}

/// The length of this file's header; 0 when it is too long or cut short, so that nothing of it will
/// be read.
std::uint64_t safetensors_header_length(std::span<const std::byte> file);

/// Reads the header of a whole file in memory. Trusts nothing: on success every tensor is F32, its
/// bytes lie inside the data and agree with its shape, names are unique, and the tensors cover the
/// data without gap or overlap. The reason names the tensor, not the file.
Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file);

/// The bytes in front of the data: length, JSON, padding. Each tensor needs valid UTF-8 in its name
/// and `metadata` in its keys and values (others are replaced); data_start is ignored.
std::string write_safetensors_header(const SafetensorsHeader& header);

/// A tensor and its values, as many as its shape says.
struct TensorValues {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<const float> values;
};

/// Writes a whole file, the tensors in this order, and replaces `file` by it (see replace_file).
Result<void> save_safetensors(const std::filesystem::path& file,
                              std::map<std::string, std::string> metadata,
                              std::span<const TensorValues> tensors);

}  // namespace senet
