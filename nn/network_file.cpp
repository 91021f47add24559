// Networks as safetensors files: their metadata, and every check before weights are used.
//
//   __metadata__   format "senet-network-1"; game; every number of kSpecFields as decimal text;
//                  evaluates by name (optional); levels (optional, see nn/levels.hpp); id as 16
//                  hex digits (files of other programs may lack it)
//   tensors        those of parameter_layout: a Linear weight [outputs, inputs], all others
//                  [length]
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "games/fields.hpp"
#include "nn/layer_plan.hpp"
#include "nn/network.hpp"
#include "nn/safetensors.hpp"

namespace senet {
namespace {

constexpr const char* kFormat = "senet-network-1";
constexpr const char* kEvaluates = "evaluates";
constexpr const char* kLevels = "levels";
// A larger number means a damaged header: no board game needs such a network.
constexpr std::size_t kMaxParameters = std::size_t{1} << 30;

using Metadata = std::map<std::string, std::string>;

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
    if (found == metadata.end() && !field.if_absent) {
      return fail(fmt::format("__metadata__: no {}", field.name));
    }
    const auto number =
        found == metadata.end() ? field.if_absent : number_of<std::uint32_t>(found->second);
    if (!number) return fail(fmt::format("__metadata__: {} is not a number", field.name));
    if (const auto set = set_number(spec, field, *number); !set) return set.error();
  }
  if (const auto trained = metadata.find(kEvaluates); trained != metadata.end()) {
    spec.evaluates = value_of<Evaluates>(trained->second);
    if (!spec.evaluates) {
      return fail(fmt::format("__metadata__: {0} is \"{2}\": it must be one of {1}", kEvaluates,
                              all_names<Evaluates>(), trained->second));
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

/// Checks that the file contains every tensor of the layout, with its shape, and no others. On
/// success tensor i of the result belongs to place i of the layout.
Result<std::vector<const StoredTensor*>> match_tensors(std::span<const TensorPlace> layout,
                                                       const SafetensorsHeader& header) {
  std::map<std::string_view, const StoredTensor*> by_name;
  for (const StoredTensor& tensor : header.tensors) by_name[tensor.name] = &tensor;
  std::vector<const StoredTensor*> matched;
  for (const TensorPlace& place : layout) {
    const auto found = by_name.find(place.name);
    if (found == by_name.end()) return fail(fmt::format("tensor {}: missing", place.name));
    if (found->second->shape != stored_shape(place)) {
      return fail(fmt::format("tensor {}: shape is [{}], but the spec needs [{}]", place.name,
                              shape_text(found->second->shape), shape_text(stored_shape(place))));
    }
    matched.push_back(found->second);
    by_name.erase(found);
  }
  if (!by_name.empty()) {
    return fail(fmt::format("tensor {}: not part of this network", by_name.begin()->first));
  }
  return matched;
}

/// Whether the file's data is the flat parameter block itself, so that it can be used in place.
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
  return fail(fmt::format("__metadata__: id is {}, but the content's is {}: the file is damaged",
                          recorded->second, id_text(id)));
}

}  // namespace

Result<void> Network::read(std::span<const std::byte> file, Keep keep) {
  const Result<SafetensorsHeader> header = parse_safetensors(file);
  if (!header) return header.error();
  Result<NetworkSpec> spec = read_spec(header->metadata);
  if (!spec) return spec.error();
  // Each of them has at least two tensors. Checked before the plan is built, so that the header's
  // size limits the number of layers.
  const std::size_t layers = LayerPlan::layers_at_least(*spec);
  if (layers > header->tensors.size()) {
    return fail(
        fmt::format("{} tensors are too few for {} layers", header->tensors.size(), layers));
  }
  const LayerPlan plan(*spec);
  const std::size_t count = plan.parameters;
  if (count > kMaxParameters) {
    return fail(fmt::format("__metadata__: {} parameters are too many (at most 2^30)", count));
  }
  const std::span<const TensorPlace> layout = plan.tensors;
  const auto tensors = match_tensors(layout, *header);
  if (!tensors) return tensors.error();

  const std::byte* data = file.data() + header->data_start;
  if (keep != Keep::kCopy && laid_out(layout, *tensors, data)) {
    parameters_ = {reinterpret_cast<const float*>(data), count};
  } else if (keep == Keep::kInFile) {
    return {};
  } else {
    storage_.resize(count);
    for (std::size_t i = 0; i < layout.size(); ++i) {
      std::memcpy(&storage_[layout[i].offset], data + (*tensors)[i]->begin,
                  layout[i].size() * sizeof(float));
    }
    parameters_ = storage_;
  }
  for (const TensorPlace& place : layout) {
    const auto values = parameters_.subspan(place.offset, place.size());
    const auto bad = std::ranges::find_if(values, [](float v) { return !std::isfinite(v); });
    if (bad == values.end()) continue;
    return fail(fmt::format("tensor {}: value {} is not finite", place.name, bad - values.begin()));
  }
  spec_ = std::move(*spec);
  find_id();
  if (const auto found = header->metadata.find(kLevels); found != header->metadata.end()) {
    auto levels = read_levels(found->second);
    if (!levels) return fail("__metadata__: " + std::string(levels.error().reason()));
    levels_ = std::move(*levels);
  }
  return check_id(header->metadata, id_);
}

Result<Network> load_network(const std::filesystem::path& file) {
  Result<FileBytes> bytes = read_whole_file(file);
  if (!bytes) return bytes.error();  // already names the file
  Network network;
  const Result<void> read = network.read(*bytes, Network::Keep::kInFileOrCopy);
  if (!read) return fail(fmt::format("{}: {}", file.string(), read.error().reason()));
  if (network.storage_.empty()) network.file_ = std::move(*bytes);
  return network;
}

Result<Network> read_network(std::span<const std::byte> file) {
  Network network;
  if (const auto read = network.read(file, Network::Keep::kCopy); !read) return read.error();
  return network;
}

Result<std::optional<Network>> borrow_network(std::span<const std::byte> file) {
  Network network;
  if (const auto read = network.read(file, Network::Keep::kInFile); !read) return read.error();
  if (network.parameters_.empty()) return std::nullopt;
  return std::optional(std::move(network));
}

Result<void> save_network(const Network& network, const std::filesystem::path& file) {
  const NetworkSpec& spec = network.spec();
  const Result<void> checked = check_spec(spec);
  if (!checked) return fail(fmt::format("{}: {}", file.string(), checked.error().reason()));
  Metadata metadata = {{"format", kFormat}, {"game", spec.game}, {"id", id_text(network.id())}};
  if (spec.evaluates) metadata[kEvaluates] = name_of(*spec.evaluates);
  if (!network.levels().empty()) metadata[kLevels] = levels_text(network.levels());
  for (const SpecField& field : kSpecFields) {
    if (!field.is_mentioned(spec)) continue;
    metadata[std::string(field.name)] = std::to_string(field.get(spec));
  }
  std::vector<TensorValues> tensors;
  for (const TensorPlace& place : parameter_layout(spec)) {
    tensors.push_back({place.name, stored_shape(place),
                       network.parameters().subspan(place.offset, place.size())});
  }
  return save_safetensors(file, std::move(metadata), tensors);
}

}  // namespace senet
