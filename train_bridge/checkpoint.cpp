#include "train_bridge/checkpoint.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
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
constexpr const char* kRun = "run";
constexpr const char* kFirstOpen = "first_open";
constexpr const char* kScrambleMoves = "scramble_moves";

bool has_open(const Checkpoint& checkpoint) {
  return checkpoint.first_open != checkpoint.next_game;
}

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
  if (checkpoint.run_id != 0) add(&checkpoint.run_id, sizeof checkpoint.run_id);
  if (has_open(checkpoint)) add(&checkpoint.first_open, sizeof checkpoint.first_open);
  if (checkpoint.scramble_moves != 0) {
    add(&checkpoint.scramble_moves, sizeof checkpoint.scramble_moves);
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

// How the shape of a file differs from `spec`.
std::string shape_difference(const NetworkSpec& theirs, const NetworkSpec& spec) {
  if (theirs.game != spec.game) {
    return fmt::format("made for {}, not for {}", theirs.game, spec.game);
  }
  for (const SpecField& field : kSpecFields) {
    if (field.get(theirs) == field.get(spec)) continue;
    return fmt::format("made for a network with {} {}, not {}", field.name, field.get(theirs),
                       field.get(spec));
  }
  return "made for another network shape";
}

// What both sides of a file must fulfil.
Result<void> check(const Checkpoint& checkpoint, std::size_t parameters) {
  if (!std::isfinite(checkpoint.owed_steps) || checkpoint.owed_steps < 0 ||
      !std::isfinite(checkpoint.seconds)) {
    return fail("a counter is out of range");
  }
  return check_state(checkpoint.trainer, parameters);
}

constexpr std::string_view kExtension = ".safetensors";
constexpr std::string_view kLatest = "latest.safetensors";
constexpr std::size_t kMostKept = 100;  // as the setting allows

// The place of a checkpoint before the newest is its age.
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, std::size_t age) {
  return folder / (age == 0 ? fmt::format("checkpoint{}", kExtension)
                            : fmt::format("checkpoint.{}{}", age, kExtension));
}
std::filesystem::path unplaced_file(const std::filesystem::path& folder) {
  return folder / fmt::format("checkpoint.new{}", kExtension);
}

// The number of a file of weights, if its name is one.
std::optional<std::uint64_t> iteration_of(std::string_view name) {
  if (!name.ends_with(kExtension)) return std::nullopt;
  name.remove_suffix(kExtension.size());
  const bool is_number = name.size() >= 6 && name.size() <= 18 &&
                         name.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? number_of<std::uint64_t>(name) : std::nullopt;
}

// The numbered files, oldest first; other files in the folder are ignored.
std::map<std::uint64_t, std::filesystem::path> numbered_files(const std::filesystem::path& folder,
                                                              std::error_code& error) {
  std::map<std::uint64_t, std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto iteration = iteration_of(entry.path().filename().string());
    if (iteration) files.emplace(*iteration, entry.path());
  }
  return files;
}

Result<void> thin_out(const std::filesystem::path& folder, std::size_t most) {
  std::error_code error;
  const auto files = numbered_files(folder, error);
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
  if (const auto good = check(checkpoint, parameter_count(spec)); !good) {
    return fail(fmt::format("{}: not saved: {}", file.string(), good.error().reason()));
  }
  std::map<std::string, std::string> metadata = {{"format", std::string(kFormat)},
                                                 {"network", shape_text(spec)},
                                                 {"content", content_text(checkpoint)}};
  visit_counters(checkpoint, [&](const char* name, const auto& value) {
    metadata[name] = fmt::format("{}", value);
  });
  if (checkpoint.run_id != 0) metadata[kRun] = id_text(checkpoint.run_id);
  if (has_open(checkpoint)) metadata[kFirstOpen] = fmt::format("{}", checkpoint.first_open);
  if (checkpoint.scramble_moves != 0) {
    metadata[kScrambleMoves] = fmt::format("{}", checkpoint.scramble_moves);
  }
  std::vector<TensorValues> tensors;
  for (const auto& [name, member] : kStateTensors) {
    const AlignedVector<float>& values = checkpoint.trainer.*member;
    tensors.push_back({name, {values.size()}, values});
  }
  return save_safetensors(file, std::move(metadata), tensors);
}

Result<Checkpoint> load_checkpoint(const std::filesystem::path& file, const NetworkSpec& spec,
                                   std::uint64_t run_id) {
  const auto wrong = [&](std::string_view what, senet_status status = SENET_BAD_MODEL) {
    return fail(status, fmt::format("checkpoint {}: {}", file.string(), what));
  };
  const Result<FileBytes> bytes = read_whole_file(file);
  if (!bytes) return bytes.error();
  const Result<SafetensorsHeader> header = parse_safetensors(*bytes);
  if (!header) return wrong(header.error().reason());
  const auto& metadata = header->metadata;
  const auto text = [&](const std::string& name) {
    const auto found = metadata.find(name);
    return found == metadata.end() ? std::string() : found->second;
  };
  if (text("format") != kFormat) return wrong("not a checkpoint in the format senet-checkpoint-1");
  // Read by its own shape: only an undamaged file belongs to another network or run.
  const Result<NetworkSpec> theirs = parse_shape(text("network"));
  if (!theirs) return wrong(theirs.error().reason());
  const std::size_t parameters = parameter_count(*theirs);
  Checkpoint checkpoint;
  std::string bad;
  visit_counters(checkpoint, [&]<class Value>(const char* name, Value& value) {
    const auto number = number_of<Value>(text(name));
    if (!number) bad = name;
    value = number.value_or(0);
  });
  checkpoint.first_open = checkpoint.next_game;
  if (metadata.contains(kFirstOpen)) {
    const auto number = number_of<std::uint64_t>(text(kFirstOpen));
    if (!number || *number > checkpoint.next_game) bad = kFirstOpen;
    checkpoint.first_open = number.value_or(0);
  }
  if (metadata.contains(kScrambleMoves)) {
    const auto number = number_of<std::uint32_t>(text(kScrambleMoves));
    if (!number || *number == 0) bad = kScrambleMoves;
    checkpoint.scramble_moves = number.value_or(0);
  }
  if (!bad.empty()) return wrong("the counter '" + bad + "' is missing or not a number");
  const std::string run = text(kRun);
  std::from_chars(run.data(), run.data() + run.size(), checkpoint.run_id, 16);
  if (!run.empty() && id_text(checkpoint.run_id) != run) return wrong("the run's id is not one");
  for (const auto& [name, member] : kStateTensors) {
    const auto found = std::ranges::find(header->tensors, name, &StoredTensor::name);
    if (found == header->tensors.end() || found->end - found->begin != parameters * sizeof(float)) {
      return wrong(fmt::format("the tensor '{}' is missing or has the wrong size", name));
    }
    AlignedVector<float>& values = checkpoint.trainer.*member;
    values.resize(parameters);
    std::memcpy(values.data(), bytes->data() + header->data_start + found->begin,
                found->end - found->begin);
  }
  if (const auto good = check(checkpoint, parameters); !good) return wrong(good.error().reason());
  if (text("content") != content_text(checkpoint)) {
    return wrong("its content does not match its checksum");
  }
  if (text("network") != shape_text(spec)) {
    return wrong(shape_difference(*theirs, spec), SENET_MODEL_MISMATCH);
  }
  if (run_id != 0 && checkpoint.run_id != 0 && checkpoint.run_id != run_id) {
    return wrong(fmt::format("made by the run {}, not by this run, {}", id_text(checkpoint.run_id),
                             id_text(run_id)),
                 SENET_MODEL_MISMATCH);
  }
  return checkpoint;
}

Result<void> keep_checkpoint(const Checkpoint& checkpoint, const NetworkSpec& spec,
                             const std::filesystem::path& folder, std::size_t kept,
                             bool replaces_newest) {
  const auto newest = unplaced_file(folder);
  if (const auto saved = save_checkpoint(checkpoint, spec, newest); !saved) return saved;
  std::error_code error, unknown;
  const auto place = [&](std::size_t age) { return checkpoint_file(folder, age); };
  const auto has = [&](std::size_t age) { return std::filesystem::exists(place(age), unknown); };
  // All up to the first free place move by one.
  std::size_t age = 0;
  while (!replaces_newest && age + 1 < kept && has(age)) ++age;
  for (; age > 1 && !error; --age) std::filesystem::rename(place(age - 1), place(age), error);
  if (age == 1 && !error) {
    std::filesystem::remove(place(1), error);
    if (!error) std::filesystem::create_hard_link(place(0), place(1), error);
    if (error) std::filesystem::rename(place(0), place(1), error);
  }
  if (!error) std::filesystem::rename(newest, place(0), error);
  for (age = kept; !error && has(age); ++age) std::filesystem::remove(place(age), error);
  if (error) return fail(fmt::format("{}: {}", place(0).string(), error.message()));
  return flush_folder_of(newest);
}

Result<FoundCheckpoint> find_checkpoint(const std::filesystem::path& folder,
                                        const NetworkSpec& spec, std::uint64_t run_id) {
  std::vector<std::filesystem::path> files = {unplaced_file(folder)};
  for (std::size_t age = 0; age < kMostKept; ++age) files.push_back(checkpoint_file(folder, age));
  FoundCheckpoint found;
  std::error_code unknown;
  for (const auto& file : files) {
    if (std::filesystem::symlink_status(file, unknown).type() ==
        std::filesystem::file_type::not_found) {
      continue;
    }
    Result<Checkpoint> loaded = load_checkpoint(file, spec, run_id);
    if (loaded) {
      found.checkpoint = std::move(*loaded);
      break;
    }
    if (loaded.error().status() == SENET_MODEL_MISMATCH) return loaded.error();
    found.newer.push_back({file, loaded.error().reason()});
  }
  return found;
}

bool is_checkpoint_name(std::string_view name) {
  if (name == unplaced_file({}).string()) return true;
  for (std::size_t age = 0; age < kMostKept; ++age) {
    if (name == checkpoint_file({}, age).string()) return true;
  }
  return false;
}

Result<std::filesystem::path> move_aside(const std::filesystem::path& file) {
  std::error_code error;
  for (int i = 1;; ++i) {
    std::filesystem::path to = file;
    to += i == 1 ? ".damaged" : fmt::format(".damaged.{}", i);
    if (std::filesystem::exists(std::filesystem::symlink_status(to, error))) continue;
    std::filesystem::rename(file, to, error);
    if (error) return fail(fmt::format("{}: {}", file.string(), error.message()));
    return to;
  }
}

Result<void> move_aside(const FoundCheckpoint& found,
                        const std::function<void(const std::string&)>& warning) {
  for (const auto& [file, reason] : found.newer) {
    const auto moved = move_aside(file);
    if (!moved) return moved.error();
    if (!warning) continue;
    warning(
        fmt::format("{}: it was moved to {}, and an older state is used", reason, moved->string()));
  }
  return {};
}

Result<NetworkSpec> checkpoint_spec(const std::filesystem::path& file) {
  const auto wrong = [&](std::string_view what) {
    return fail(fmt::format("{}: {}", file.string(), what));
  };
  const Result<FileBytes> bytes = read_whole_file(file);
  if (!bytes) return bytes.error();
  const Result<SafetensorsHeader> header = parse_safetensors(*bytes);
  if (!header) return wrong(header.error().reason());
  const auto found = header->metadata.find("network");
  if (found == header->metadata.end()) return wrong("__metadata__: no network shape");
  Result<NetworkSpec> spec = parse_shape(found->second);
  if (!spec) return wrong("__metadata__: " + spec.error().reason());
  return spec;
}

bool is_weights_name(std::string_view name) {
  return name == kLatest || name == kBestWeights || iteration_of(name);
}

bool has_trained_weights(const std::filesystem::path& folder) {
  std::error_code unknown;
  const auto files = numbered_files(folder, unknown);
  return !files.empty() && files.rbegin()->first > 0;
}

Result<void> save_to_weights_folder(const Network& network, std::uint64_t iteration,
                                    const std::filesystem::path& folder, std::size_t most) {
  const auto numbered = folder / fmt::format("{:06}{}", iteration, kExtension);
  if (const auto saved = save_network(network, numbered); !saved) return saved;
  const auto latest = folder / kLatest;
  if (const auto saved = save_network(network, latest); !saved) return saved;
  return most == 0 ? Result<void>{} : thin_out(folder, most);
}

}  // namespace senet
