#include "train_bridge/checkpoint.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "nn/mapped_file.hpp"
#include "nn/replace_file.hpp"
#include "nn/safetensors.hpp"

namespace senet {
namespace {

constexpr std::string_view kFormat = "senet-checkpoint-1";

// XXH3 of every counter and every value: a checkpoint that a disk has damaged is not gone on with.
std::string content_text(const Checkpoint& checkpoint) {
  std::uint64_t hash = 0;
  const auto add = [&](const void* bytes, std::size_t size) {
    hash = XXH3_64bits_withSeed(bytes, size, hash);
  };
  visit_counters(checkpoint, [&](const char*, const auto& value) { add(&value, sizeof value); });
  for (const StateTensor& tensor : kStateTensors) {
    const std::vector<float>& values = checkpoint.trainer.*tensor.values;
    add(values.data(), values.size() * sizeof(float));
  }
  return fmt::format("{:016x}", hash);
}

// "connect_four 85 7 ...": the game and the numbers of kSpecFields.
std::string shape_text(const NetworkSpec& spec) {
  std::string text = spec.game;
  for (const SpecField& field : kSpecFields) text += fmt::format(" {}", spec.*field.value);
  return text;
}

}  // namespace

Result<void> save_checkpoint(const Checkpoint& checkpoint, const NetworkSpec& spec,
                             const std::filesystem::path& file) {
  SafetensorsHeader header;
  header.metadata = {{"format", std::string(kFormat)},
                     {"network", shape_text(spec)},
                     {"content", content_text(checkpoint)}};
  visit_counters(checkpoint, [&](const char* name, const auto& value) {
    header.metadata[name] = fmt::format("{}", value);
  });
  std::uint64_t end = 0;
  for (const StateTensor& tensor : kStateTensors) {
    const std::size_t size = (checkpoint.trainer.*tensor.values).size();
    const std::uint64_t begin = end;
    end += size * sizeof(float);
    header.tensors.push_back({tensor.name, {size}, begin, end});
  }
  const std::string front = write_safetensors_header(header);
  const TrainerState& state = checkpoint.trainer;
  const auto bytes = [](const std::vector<float>& values) {
    return std::as_bytes(std::span(values));
  };
  return replace_file(file,
                      {std::as_bytes(std::span(front)), bytes(state.weights), bytes(state.ema),
                       bytes(state.first_moment), bytes(state.second_moment)});
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
  if (text("format") != kFormat) return wrong("not a checkpoint of this format");
  if (text("network") != shape_text(spec)) {
    return wrong(fmt::format("made for the network shape [{}], not [{}]", text("network"),
                             shape_text(spec)));
  }
  Checkpoint checkpoint;
  std::string bad;
  visit_counters(checkpoint, [&](const char* name, auto& value) {
    const std::string digits = text(name);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) bad = name;
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
    std::vector<float>& values = checkpoint.trainer.*member;
    values.resize(parameter_count(spec));
    std::memcpy(values.data(), mapped->bytes().data() + header->data_start + found->begin,
                found->end - found->begin);
    for (const float value : values) {
      if (!std::isfinite(value)) return wrong(fmt::format("the tensor '{}' is not finite", name));
    }
  }
  if (text("content") != content_text(checkpoint)) {
    return wrong("its content is not what was written");
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
  std::string_view text = found->second;
  NetworkSpec spec;
  // From the end: the game is whatever stands in front of the numbers.
  for (std::size_t i = kSpecFields.size(); i-- > 0;) {
    const std::size_t space = text.rfind(' ');
    if (space == std::string_view::npos) return wrong("__metadata__: no network shape");
    const char* digits_end = text.data() + text.size();
    const auto [end, error] =
        std::from_chars(text.data() + space + 1, digits_end, spec.*kSpecFields[i].value);
    if (error != std::errc() || end != digits_end) {
      return wrong("__metadata__: the network shape is not made of numbers");
    }
    text = text.substr(0, space);
  }
  spec.game = std::string(text);
  const Result<void> checked = check_spec(spec);
  if (!checked) return wrong(checked.error().reason());
  return spec;
}

}  // namespace senet
