#include "train_bridge/checkpoint.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "games/fields.hpp"
#include "nn/file.hpp"
#include "nn/safetensors.hpp"

namespace senet {
namespace {

constexpr std::string_view kFormat = "senet-checkpoint-1";

// XXH3 of all counters and values: a checkpoint damaged on disk must not be resumed.
std::string content_text(const Checkpoint& checkpoint) {
  std::uint64_t hash = 0;
  const auto add = [&](const void* bytes, std::size_t size) {
    hash = XXH3_64bits_withSeed(bytes, size, hash);
  };
  visit_counters(checkpoint, [&](const char*, const auto& value) { add(&value, sizeof value); });
  for (const StateTensor& tensor : kStateTensors) {
    const AlignedVector<float>& values = checkpoint.trainer.*tensor.values;
    add(values.data(), values.size() * sizeof(float));
  }
  return fmt::format("{:016x}", hash);
}

// "connect_four 85 7 ...": the game and the numbers of kSpecFields, up to the last that an id
// mentions.
std::string shape_text(const NetworkSpec& spec) {
  std::size_t count = kSpecFields.size();
  while (count > 0 && !kSpecFields[count - 1].is_mentioned(spec)) --count;
  std::string text = spec.game;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format(" {}", kSpecFields[i].get(spec));
  return text;
}

Result<NetworkSpec> parse_shape(std::string_view text) {
  const std::vector<std::string_view> words = split(text, " ");
  if (words.size() > kSpecFields.size() + 1) return fail("the network shape has too many numbers");
  NetworkSpec spec;
  spec.game = std::string(words[0]);
  for (std::size_t i = 0; i < kSpecFields.size(); ++i) {
    const SpecField& field = kSpecFields[i];
    const bool is_there = i + 1 < words.size();
    const auto number = is_there ? number_of<std::uint32_t>(words[i + 1]) : field.if_absent;
    if (!number) return fail(fmt::format("the network shape has no number for {}", field.name));
    if (const auto set = set_number(spec, field, *number); !set) return set.error();
  }
  if (const auto checked = check_spec(spec); !checked) return checked.error();
  return spec;
}

// How the shape of a file, as shape_text() writes it, differs from `spec`.
std::string shape_difference(std::string_view shape, const NetworkSpec& spec) {
  const Result<NetworkSpec> theirs = parse_shape(shape);
  if (!theirs) return theirs.error().reason();
  if (theirs->game != spec.game)
    return fmt::format("made for {}, not for {}", theirs->game, spec.game);
  for (const SpecField& field : kSpecFields) {
    if (field.get(*theirs) == field.get(spec)) continue;
    return fmt::format("made for a network with {} {}, not {}", field.name, field.get(*theirs),
                       field.get(spec));
  }
  return "made for another network shape";
}

constexpr const char* kExtension = ".safetensors";

Result<void> thin_out(const std::filesystem::path& folder, std::size_t most) {
  // Only the numbered files, oldest first; other files in the folder are ignored.
  std::map<std::uint64_t, std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string stem = entry.path().stem().string();
    const bool is_number = stem.size() >= 6 && stem.size() <= 18 &&
                           std::ranges::all_of(stem, [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && entry.path().extension() == kExtension) {
      files.emplace(std::stoull(stem), entry.path());
    }
  }
  if (!error && files.size() > most) {
    auto file = std::next(files.begin());
    for (std::size_t i = 1; i < files.size() / 2 && !error; i += 2, std::advance(file, 2)) {
      std::filesystem::remove(file->second, error);
    }
  }
  if (error) return fail(fmt::format("{}: {}", folder.string(), error.message()));
  return {};
}

}  // namespace

Result<void> save_checkpoint(const Checkpoint& checkpoint, const NetworkSpec& spec,
                             const std::filesystem::path& file) {
  std::map<std::string, std::string> metadata = {{"format", std::string(kFormat)},
                                                 {"network", shape_text(spec)},
                                                 {"content", content_text(checkpoint)}};
  visit_counters(checkpoint, [&](const char* name, const auto& value) {
    metadata[name] = fmt::format("{}", value);
  });
  std::vector<TensorValues> tensors;
  for (const auto& [name, member] : kStateTensors) {
    const AlignedVector<float>& values = checkpoint.trainer.*member;
    tensors.push_back({name, {values.size()}, values});
  }
  return save_safetensors(file, std::move(metadata), tensors);
}

Result<Checkpoint> load_checkpoint(const std::filesystem::path& file, const NetworkSpec& spec) {
  const auto wrong = [&](std::string_view what) {
    return fail(fmt::format("checkpoint {}: {}", file.string(), what));
  };
  const Result<MappedFile> mapped = MappedFile::open(file);
  if (!mapped) return mapped.error();
  const Result<SafetensorsHeader> header = parse_safetensors(mapped->bytes());
  if (!header) return wrong(header.error().reason());
  const auto& metadata = header->metadata;
  const auto text = [&](const std::string& name) {
    const auto found = metadata.find(name);
    return found == metadata.end() ? std::string() : found->second;
  };
  if (text("format") != kFormat) return wrong("not a checkpoint in the format senet-checkpoint-1");
  if (text("network") != shape_text(spec)) return wrong(shape_difference(text("network"), spec));
  Checkpoint checkpoint;
  std::string bad;
  visit_counters(checkpoint, [&]<class Value>(const char* name, Value& value) {
    const auto number = number_of<Value>(text(name));
    if (!number) bad = name;
    value = number.value_or(0);
  });
  if (!bad.empty()) return wrong("the counter '" + bad + "' is missing or not a number");
  if (!std::isfinite(checkpoint.owed_steps) || checkpoint.owed_steps < 0 ||
      !std::isfinite(checkpoint.seconds)) {
    return wrong("a counter is out of range");
  }
  for (const auto& [name, member] : kStateTensors) {
    const auto found = std::ranges::find(header->tensors, name, &StoredTensor::name);
    if (found == header->tensors.end() ||
        found->end - found->begin != parameter_count(spec) * sizeof(float)) {
      return wrong(fmt::format("the tensor '{}' is missing or has the wrong size", name));
    }
    AlignedVector<float>& values = checkpoint.trainer.*member;
    values.resize(parameter_count(spec));
    std::memcpy(values.data(), mapped->bytes().data() + header->data_start + found->begin,
                found->end - found->begin);
    for (const float value : values) {
      if (!std::isfinite(value)) return wrong(fmt::format("the tensor '{}' is not finite", name));
    }
  }
  if (text("content") != content_text(checkpoint)) {
    return wrong("its content does not match its checksum");
  }
  return checkpoint;
}

Result<NetworkSpec> checkpoint_spec(const std::filesystem::path& file) {
  const auto wrong = [&](std::string_view what) {
    return fail(fmt::format("{}: {}", file.string(), what));
  };
  const Result<MappedFile> mapped = MappedFile::open(file);
  if (!mapped) return mapped.error();
  const Result<SafetensorsHeader> header = parse_safetensors(mapped->bytes());
  if (!header) return wrong(header.error().reason());
  const auto found = header->metadata.find("network");
  if (found == header->metadata.end()) return wrong("__metadata__: no network shape");
  Result<NetworkSpec> spec = parse_shape(found->second);
  if (!spec) return wrong("__metadata__: " + spec.error().reason());
  return spec;
}

Result<void> save_to_weights_folder(const Network& network, std::uint64_t iteration,
                                    const std::filesystem::path& folder, std::size_t most) {
  const auto numbered = folder / fmt::format("{:06}{}", iteration, kExtension);
  if (const auto saved = save_network(network, numbered); !saved) return saved;
  const auto latest = folder / fmt::format("latest{}", kExtension);
  if (const auto saved = save_network(network, latest); !saved) return saved;
  return most == 0 ? Result<void>{} : thin_out(folder, most);
}

}  // namespace senet
