#include "nn/safetensors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "nn/file.hpp"

namespace senet {
namespace {

using Json = nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr std::size_t kMaxDepth = 4;  // the format needs three levels
constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kDataAlignment = 64;
constexpr std::uint64_t kBytesPerValue = 4;

/// The value of a shape or of offsets.
struct Numbers {
  bool are_proper = false;  // a list of at most kMaxRank unsigned numbers
  std::vector<std::uint64_t> values;
};

/// The header's description of a tensor, not yet validated.
struct Described {
  bool is_object = false;
  std::optional<std::string> type;
  Numbers shape, offsets;
};

/// Collects the header while the JSON is parsed. Builds no tree of values: destroying such a tree
/// allocates, which would terminate the program when there is no memory.
class HeaderReader final : public Json::json_sax_t {
 public:
  /// The reason why the header cannot be read; empty if it can.
  std::string error;
  std::map<std::string, std::string> metadata;
  std::map<std::string, Described> tensors;

  bool null() override { return other_value(); }
  bool boolean(bool) override { return other_value(); }
  bool number_integer(std::int64_t) override { return other_value(); }
  bool number_float(double, const std::string&) override { return other_value(); }
  bool binary(Json::binary_t&) override { return other_value(); }
  bool number_unsigned(std::uint64_t value) override {
    if (Numbers* const numbers = numbers_here()) {
      numbers->are_proper &= numbers->values.size() < kMaxRank;
      if (numbers->are_proper) numbers->values.push_back(value);
      return true;
    }
    return other_value();
  }
  bool string(std::string& value) override {
    if (here() == Place::kStrings) {
      metadata[key_] = value;
      return true;
    }
    if (here() == Place::kTensor && key_ == "dtype") tensor_->type = value;
    return other_value();
  }
  bool key(std::string& name) override {
    if (!keys_.back().insert(name).second) {
      return give_up(fmt::format("the header contains {} twice", name));
    }
    key_ = name;
    return true;
  }
  bool start_object(std::size_t) override {
    Place inside = Place::kOther;
    if (places_.empty()) {
      inside = Place::kRoot;
    } else if (here() == Place::kRoot && key_ == kMetadata) {
      inside = Place::kStrings;
    } else if (here() == Place::kRoot) {
      inside = Place::kTensor;
      tensor_ = &tensors[key_];
      tensor_->is_object = true;
    } else if (!other_value()) {
      return false;
    }
    return enter(inside);
  }
  bool start_array(std::size_t) override {
    Place inside = Place::kOther;
    if (here() == Place::kTensor && key_ == "shape") {
      inside = Place::kShape;
      tensor_->shape.are_proper = true;
    } else if (here() == Place::kTensor && key_ == "data_offsets") {
      inside = Place::kOffsets;
      tensor_->offsets.are_proper = true;
    } else if (!other_value()) {
      return false;
    }
    return enter(inside);
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return give_up("the header is not JSON");
  }

 private:
  enum class Place : std::uint8_t { kOutside, kRoot, kStrings, kTensor, kShape, kOffsets, kOther };

  Place here() const { return places_.empty() ? Place::kOutside : places_.back(); }
  bool give_up(std::string why) {
    if (error.empty()) error = std::move(why);
    return false;
  }
  bool enter(Place inside) {
    if (places_.size() == kMaxDepth) return give_up("the header is nested too deeply");
    places_.push_back(inside);
    keys_.emplace_back();
    return true;
  }
  bool leave() {
    places_.pop_back();
    keys_.pop_back();
    return true;
  }
  Numbers* numbers_here() {
    if (here() == Place::kShape) return &tensor_->shape;
    return here() == Place::kOffsets ? &tensor_->offsets : nullptr;
  }
  // A value that is ignored or invalid here.
  bool other_value() {
    if (here() == Place::kOutside) return give_up("the header is not a JSON object");
    if (Numbers* const numbers = numbers_here()) numbers->are_proper = false;
    if (here() == Place::kStrings) {
      return give_up(fmt::format("__metadata__: {} is not a string", key_));
    }
    if (here() == Place::kRoot && key_ == kMetadata)
      return give_up("__metadata__ is not an object");
    if (here() == Place::kRoot) tensors[key_];
    return true;
  }

  std::vector<Place> places_;
  std::vector<std::set<std::string>> keys_;  // of the open objects
  std::string key_;
  Described* tensor_ = nullptr;
};

Result<StoredTensor> parse_tensor(const std::string& name, Described& described,
                                  std::uint64_t data_size) {
  if (!described.is_object) return fail(fmt::format("tensor {}: not a JSON object", name));
  if (!described.type) return fail(fmt::format("tensor {}: no dtype", name));
  if (*described.type != "F32") {
    return fail(fmt::format("tensor {}: dtype is {}: it must be F32", name, *described.type));
  }
  if (!described.shape.are_proper) return fail(fmt::format("tensor {}: no valid shape", name));
  const auto& offsets = described.offsets.values;
  if (!described.offsets.are_proper || offsets.size() != 2) {
    return fail(fmt::format("tensor {}: no valid data_offsets", name));
  }
  const std::uint64_t begin = offsets[0], end = offsets[1];
  if (begin > end || end > data_size) {
    return fail(fmt::format("tensor {}: data_offsets {}..{} are not within {} bytes of data", name,
                            begin, end, data_size));
  }
  std::uint64_t bytes = kBytesPerValue;
  for (const std::uint64_t length : described.shape.values) {
    // Comparing before multiplying keeps every product at most data_size, so nothing overflows.
    if (length != 0 && bytes > data_size / length) {
      return fail(fmt::format("tensor {}: its shape needs more than the {} bytes of data", name,
                              data_size));
    }
    bytes *= length;
  }
  if (bytes != end - begin) {
    return fail(fmt::format("tensor {}: its shape needs {} bytes, but data_offsets span {}", name,
                            bytes, end - begin));
  }
  return StoredTensor{name, std::move(described.shape.values), begin, end};
}

/// Checks that every byte of the data belongs to exactly one tensor.
Result<void> check_coverage(std::span<const StoredTensor> sorted, std::uint64_t data_size) {
  std::uint64_t at = 0;
  for (const StoredTensor& tensor : sorted) {
    if (tensor.begin < at) {
      return fail(fmt::format("tensor {}: overlaps the previous tensor", tensor.name));
    }
    if (tensor.begin > at) {
      return fail(fmt::format("tensor {}: {} bytes before it belong to no tensor", tensor.name,
                              tensor.begin - at));
    }
    at = tensor.end;
  }
  if (at != data_size)
    return fail(fmt::format("the last {} bytes belong to no tensor", data_size - at));
  return {};
}

/// The length of the header; fails unless the file contains all of it.
Result<std::uint64_t> header_length(std::span<const std::byte> file) {
  std::uint64_t length = 0;
  if (file.size() < sizeof length) return fail("too short for a safetensors file");
  std::memcpy(&length, file.data(), sizeof length);
  const std::uint64_t rest = file.size() - sizeof length;
  if (length > kMaxSafetensorsHeader)
    return fail(fmt::format("the header of {} bytes is too long", length));
  if (length > rest) {
    return fail(fmt::format("cut short: the header has {} bytes, but only {} follow its length",
                            length, rest));
  }
  return length;
}

}  // namespace

std::uint64_t safetensors_header_length(std::span<const std::byte> file) {
  return header_length(file).value_or(0);
}

Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file) {
  const Result<std::uint64_t> read_length = header_length(file);
  if (!read_length) return read_length.error();
  const std::uint64_t length = *read_length;
  const auto* text = reinterpret_cast<const char*>(file.data()) + sizeof length;
  HeaderReader read;
  Json::sax_parse(text, text + length, &read);
  if (!read.error.empty()) return fail(read.error);

  SafetensorsHeader header;
  header.data_start = sizeof length + static_cast<std::size_t>(length);
  header.metadata = std::move(read.metadata);
  const std::uint64_t data_size = file.size() - header.data_start;
  for (auto& [name, described] : read.tensors) {
    Result<StoredTensor> tensor = parse_tensor(name, described, data_size);
    if (!tensor) return tensor.error();
    header.tensors.push_back(std::move(*tensor));
  }
  // Sorted by both ends, so that an empty tensor never appears to overlap a neighbour.
  std::ranges::sort(header.tensors, [](const StoredTensor& a, const StoredTensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const Result<void> covered = check_coverage(header.tensors, data_size);
  if (!covered) return covered.error();
  return header;
}

std::string write_safetensors_header(const SafetensorsHeader& header) {
  nlohmann::ordered_json json;
  if (!header.metadata.empty()) json[kMetadata] = header.metadata;
  for (const StoredTensor& tensor : header.tensors) {
    json[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {tensor.begin, tensor.end}}};
  }
  std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::uint64_t length = text.size();
  length += (kDataAlignment - (sizeof length + length) % kDataAlignment) % kDataAlignment;
  text.resize(static_cast<std::size_t>(length), ' ');
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + text;
}

Result<void> save_safetensors(const std::filesystem::path& file,
                              std::map<std::string, std::string> metadata,
                              std::span<const TensorValues> tensors) {
  SafetensorsHeader header{.metadata = std::move(metadata), .tensors = {}};
  std::vector<std::span<const std::byte>> parts(1);
  std::uint64_t end = 0;
  for (const TensorValues& tensor : tensors) {
    const std::uint64_t begin = std::exchange(end, end + tensor.values.size_bytes());
    header.tensors.push_back({tensor.name, tensor.shape, begin, end});
    parts.push_back(std::as_bytes(tensor.values));
  }
  const std::string front = write_safetensors_header(header);
  parts.front() = std::as_bytes(std::span(front));
  return replace_file(file, parts);
}

}  // namespace senet
