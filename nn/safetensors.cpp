#include "nn/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace senet {
namespace {

using Json = nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr int kMaxDepth = 4;  // the format needs three levels
constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kDataAlignment = 64;
constexpr std::uint64_t kBytesPerValue = 4;

/// Parses JSON without exceptions; refuses what a DOM would hide (a key given twice) or choke on
/// (depth).
Result<Json> parse_json(std::string_view text) {
  std::vector<std::set<std::string>> keys(kMaxDepth + 1);  // of the open object at each depth
  std::string trouble;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (!trouble.empty()) return false;
    if (depth >= kMaxDepth && event != Json::parse_event_t::value) {
      trouble = "the header is nested too deep";
      return false;
    }
    if (event == Json::parse_event_t::object_start)
      keys[static_cast<std::size_t>(depth) + 1].clear();
    if (event == Json::parse_event_t::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!keys[static_cast<std::size_t>(depth)].insert(name).second) {
        trouble = fmt::format("the header has {} twice", name);
        return false;
      }
    }
    return true;
  };
  Json parsed = Json::parse(text.begin(), text.end(), check, /*allow_exceptions=*/false);
  if (!trouble.empty()) return fail(trouble);
  if (parsed.is_discarded()) return fail("the header is not JSON");
  if (!parsed.is_object()) return fail("the header is not a JSON object");
  return parsed;
}

std::optional<std::uint64_t> unsigned_number(const Json& json) {
  if (!json.is_number_unsigned()) return std::nullopt;
  return json.get<std::uint64_t>();
}

/// The list of unsigned numbers under `key`; nothing when it is not one or longer than `longest`.
std::optional<std::vector<std::uint64_t>> unsigned_list(const Json& object, const char* key,
                                                        std::size_t longest) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array() || found->size() > longest) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const Json& item : *found) {
    const std::optional<std::uint64_t> number = unsigned_number(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

Result<StoredTensor> parse_tensor(const std::string& name, const Json& json,
                                  std::uint64_t data_size) {
  if (!json.is_object()) return fail(fmt::format("tensor {}: not described by an object", name));
  const auto type = json.find("dtype");
  if (type == json.end() || !type->is_string())
    return fail(fmt::format("tensor {}: no dtype", name));
  if (*type != "F32") {
    return fail(fmt::format("tensor {}: dtype {}, only F32 is read", name,
                            type->get_ref<const std::string&>()));
  }
  auto shape = unsigned_list(json, "shape", kMaxRank);
  if (!shape) return fail(fmt::format("tensor {}: no proper shape", name));
  const auto offsets = unsigned_list(json, "data_offsets", 2);
  if (!offsets || offsets->size() != 2)
    return fail(fmt::format("tensor {}: no data_offsets", name));
  const std::uint64_t begin = (*offsets)[0], end = (*offsets)[1];
  if (begin > end || end > data_size) {
    return fail(
        fmt::format("tensor {}: bytes {}..{} of {} bytes of data", name, begin, end, data_size));
  }
  std::uint64_t bytes = kBytesPerValue;
  for (const std::uint64_t length : *shape) {
    // No product above the data's size can be right, so none is ever formed: nothing overflows.
    if (length != 0 && bytes > data_size / length) {
      return fail(fmt::format("tensor {}: its shape needs more than the {} bytes of data", name,
                              data_size));
    }
    bytes *= length;
  }
  if (bytes != end - begin) {
    return fail(fmt::format("tensor {}: its shape needs {} bytes, data_offsets give {}", name,
                            bytes, end - begin));
  }
  return StoredTensor{name, std::move(*shape), begin, end};
}

Result<std::map<std::string, std::string>> parse_metadata(const Json& json) {
  if (!json.is_object()) return fail("__metadata__ is not an object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return fail(fmt::format("__metadata__: {} is not a string", key));
    metadata[key] = value.get_ref<const std::string&>();
  }
  return metadata;
}

/// Tensors lie back to back and fill the data: no byte is in two of them or in none.
Result<void> check_coverage(std::span<const StoredTensor> sorted, std::uint64_t data_size) {
  std::uint64_t at = 0;
  for (const StoredTensor& tensor : sorted) {
    if (tensor.begin < at) {
      return fail(fmt::format("tensor {}: overlaps the tensor before it", tensor.name));
    }
    if (tensor.begin > at) {
      return fail(fmt::format("tensor {}: {} bytes before it belong to none", tensor.name,
                              tensor.begin - at));
    }
    at = tensor.end;
  }
  if (at != data_size)
    return fail(fmt::format("the last {} bytes belong to no tensor", data_size - at));
  return {};
}

}  // namespace

Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file) {
  std::uint64_t length = 0;
  if (file.size() < sizeof length) return fail("too short for a safetensors file");
  std::memcpy(&length, file.data(), sizeof length);
  const std::uint64_t rest = file.size() - sizeof length;
  if (length > kMaxSafetensorsHeader)
    return fail(fmt::format("a header of {} bytes is too long", length));
  if (length > rest) {
    return fail(fmt::format("cut short: the header has {} bytes, the file {} after its length",
                            length, rest));
  }
  const auto* text = reinterpret_cast<const char*>(file.data()) + sizeof length;
  const Result<Json> json = parse_json({text, static_cast<std::size_t>(length)});
  if (!json) return tl::unexpected(json.error());

  SafetensorsHeader header;
  header.data_start = sizeof length + static_cast<std::size_t>(length);
  const std::uint64_t data_size = rest - length;
  for (const auto& [name, value] : json->items()) {
    if (name == kMetadata) {
      auto metadata = parse_metadata(value);
      if (!metadata) return tl::unexpected(metadata.error());
      header.metadata = std::move(*metadata);
    } else {
      Result<StoredTensor> tensor = parse_tensor(name, value, data_size);
      if (!tensor) return tl::unexpected(tensor.error());
      header.tensors.push_back(std::move(*tensor));
    }
  }
  // Empty tensors take no bytes: sorted by both ends, they never seem to overlap a neighbour.
  std::ranges::sort(header.tensors, [](const StoredTensor& a, const StoredTensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const Result<void> covered = check_coverage(header.tensors, data_size);
  if (!covered) return tl::unexpected(covered.error());
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

}  // namespace senet
