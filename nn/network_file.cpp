// Networks as safetensors files: which metadata they carry and every check before weights are used.
//
//   __metadata__   format "senet-network-1"; game; every number of kSpecFields as decimal text;
//                  evaluates by its name (may be missing); id as 16 hex digits (may
//                  be missing in a file that another program wrote)
//   tensors        those of parameter_layout, a Linear weight [outputs, inputs], all others
//   [length]
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "nn/layer_plan.hpp"
#include "nn/network_content.hpp"
#include "nn/replace_file.hpp"
#include "nn/safetensors.hpp"

namespace senet {
namespace {

constexpr const char* kFormat = "senet-network-1";
constexpr const char* kEvaluates = "evaluates";
// A network larger than this is a damaged header, not a board game's network.
constexpr std::size_t kMaxParameters = std::size_t{1} << 30;

using Metadata = std::map<std::string, std::string>;

/// The whole of `text` as a number in `base`; false when it is anything else.
template <class Number>
bool parse_number(const std::string& text, Number& number, int base) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t size : shape)
    text.append(text.empty() ? "" : ", ") += std::to_string(size);
  return text;
}

Result<NetworkSpec> read_spec(const Metadata& metadata) {
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != kFormat) {
    return fail(fmt::format("__metadata__: format is not {}", kFormat));
  }
  NetworkSpec spec;
  const auto game = metadata.find("game");
  if (game == metadata.end()) return fail("__metadata__: no game");
  spec.game = game->second;
  for (const SpecField& field : kSpecFields) {
    const auto found = metadata.find(std::string(field.name));
    if (found == metadata.end()) return fail(fmt::format("__metadata__: no {}", field.name));
    if (!parse_number(found->second, spec.*field.value, 10)) {
      return fail(fmt::format("__metadata__: {} is not a number", field.name));
    }
  }
  if (const auto learnt = metadata.find(kEvaluates); learnt != metadata.end()) {
    spec.evaluates = value_of<Evaluates>(learnt->second);
    if (!spec.evaluates) {
      return fail(fmt::format("__metadata__: {} is one of {}, not \"{}\"", kEvaluates,
                              all_names<Evaluates>(), learnt->second));
    }
  }
  const Result<void> checked = check_spec(spec);
  if (!checked) return checked.error();
  return spec;
}

std::vector<std::uint64_t> stored_shape(const TensorPlace& place) {
  if (place.decays) return {place.rows, place.columns};  // a Linear weight, even with one output
  return {place.columns};
}

Result<void> check_finite(const TensorPlace& place, std::span<const float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return fail(fmt::format("tensor {}: value {} is not finite", place.name, i));
    }
  }
  return {};
}

/// Finds every tensor of the layout, with its shape, and nothing else. On success tensor i of the
/// result belongs to place i of the layout.
Result<std::vector<const StoredTensor*>> match_tensors(std::span<const TensorPlace> layout,
                                                       const SafetensorsHeader& header) {
  std::map<std::string_view, const StoredTensor*> by_name;
  for (const StoredTensor& tensor : header.tensors) by_name[tensor.name] = &tensor;
  std::vector<const StoredTensor*> matched;
  for (const TensorPlace& place : layout) {
    const auto found = by_name.find(place.name);
    if (found == by_name.end()) return fail(fmt::format("tensor {}: missing", place.name));
    if (found->second->shape != stored_shape(place)) {
      return fail(fmt::format("tensor {}: shape [{}] where the spec needs [{}]", place.name,
                              shape_text(found->second->shape), shape_text(stored_shape(place))));
    }
    matched.push_back(found->second);
    by_name.erase(found);
  }
  if (!by_name.empty()) {
    return fail(fmt::format("tensor {}: not part of such a network", by_name.begin()->first));
  }
  return matched;
}

/// Whether the file's data is the flat parameter block itself, so that it can be used where it is
/// mapped.
bool laid_out(std::span<const TensorPlace> layout, std::span<const StoredTensor* const> tensors,
              const std::byte* data) {
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(float) != 0) return false;
  return std::ranges::equal(layout, tensors,
                            [](const TensorPlace& place, const StoredTensor* tensor) {
                              return tensor->begin == place.offset * sizeof(float);
                            });
}

Result<void> check_id(const Metadata& metadata, std::uint64_t id) {
  const auto recorded = metadata.find("id");
  if (recorded == metadata.end() || recorded->second == id_text(id)) return {};
  return fail(fmt::format("__metadata__: id is {}, the content's is {}: the file is damaged",
                          recorded->second, id_text(id)));
}

}  // namespace

// Where parameters shall be.
enum class Network::Keep : std::uint8_t {
  kInFile,        // nothing is read when they do not lie there as they are used
  kInFileOrCopy,  // where they are if they can be used there
  kCopy,
};

// Checks a whole file and fills `content` but for its mapping.
Result<void> Network::read(Content& content, std::span<const std::byte> file, Keep keep) {
  const Result<SafetensorsHeader> header = parse_safetensors(file);
  if (!header) return header.error();
  Result<NetworkSpec> spec = read_spec(header->metadata);
  if (!spec) return spec.error();
  // Each layer has two tensors at least: none is named that the header has no room for.
  const std::size_t layers = LayerPlan::layers_at_least(*spec);
  if (layers > header->tensors.size()) {
    return fail(
        fmt::format("{} tensors are too few for {} layers", header->tensors.size(), layers));
  }
  const LayerPlan plan(*spec);
  const std::size_t count = plan.parameters;
  if (count > kMaxParameters) {
    return fail(fmt::format("__metadata__: a network of {} parameters is too large", count));
  }
  const std::span<const TensorPlace> layout = plan.tensors;
  const auto tensors = match_tensors(layout, *header);
  if (!tensors) return tensors.error();

  const std::byte* data = file.data() + header->data_start;
  if (keep != Keep::kCopy && laid_out(layout, *tensors, data)) {
    content.parameters = {reinterpret_cast<const float*>(data), count};
  } else if (keep == Keep::kInFile) {
    return {};
  } else {
    content.storage.resize(count);
    for (std::size_t i = 0; i < layout.size(); ++i) {
      std::memcpy(&content.storage[layout[i].offset], data + (*tensors)[i]->begin,
                  layout[i].size() * sizeof(float));
    }
    content.parameters = content.storage;
  }
  for (const TensorPlace& place : layout) {
    const Result<void> finite =
        check_finite(place, content.parameters.subspan(place.offset, place.size()));
    if (!finite) return finite;
  }
  content.spec = std::move(*spec);
  content.id = content_id(content.spec, content.parameters);
  return check_id(header->metadata, content.id);
}

Result<Network> load_network(const std::filesystem::path& file) {
  Result<MappedFile> mapped = MappedFile::open(file);
  if (!mapped) return mapped.error();  // names the file already
  auto content = std::make_unique<Network::Content>();
  const Result<void> read = Network::read(*content, mapped->bytes(), Network::Keep::kInFileOrCopy);
  if (!read) return fail(fmt::format("{}: {}", file.string(), read.error().reason()));
  if (content->storage.empty()) content->file = std::move(*mapped);
  return Network(std::move(content));
}

Result<Network> read_network(std::span<const std::byte> file) {
  auto content = std::make_unique<Network::Content>();
  const Result<void> read = Network::read(*content, file, Network::Keep::kCopy);
  if (!read) return read.error();
  return Network(std::move(content));
}

Result<std::optional<Network>> borrow_network(std::span<const std::byte> file) {
  auto content = std::make_unique<Network::Content>();
  const Result<void> read = Network::read(*content, file, Network::Keep::kInFile);
  if (!read) return read.error();
  if (content->parameters.empty()) return std::nullopt;
  return Network(std::move(content));
}

Result<void> save_network(const Network& network, const std::filesystem::path& file) {
  const NetworkSpec& spec = network.spec();
  const Result<void> checked = check_spec(spec);
  if (!checked) return fail(fmt::format("{}: {}", file.string(), checked.error().reason()));
  SafetensorsHeader header;
  header.metadata["format"] = kFormat;
  header.metadata["game"] = spec.game;
  header.metadata["id"] = id_text(network.id());
  if (spec.evaluates) header.metadata[kEvaluates] = name_of(*spec.evaluates);
  for (const SpecField& field : kSpecFields) {
    header.metadata[std::string(field.name)] = std::to_string(spec.*field.value);
  }
  for (const TensorPlace& place : parameter_layout(spec)) {
    const std::uint64_t begin = place.offset * sizeof(float);
    header.tensors.push_back(
        {place.name, stored_shape(place), begin, begin + place.size() * sizeof(float)});
  }
  const std::string front = write_safetensors_header(header);
  return replace_file(file, {std::as_bytes(std::span(front)), std::as_bytes(network.parameters())});
}

}  // namespace senet
