// senet inspect for safetensors files: networks and checkpoints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nn/mapped_file.hpp"
#include "nn/network.hpp"
#include "nn/safetensors.hpp"
#include "tools/inspect.hpp"
#include "train_bridge/checkpoint.hpp"

namespace senet {
namespace {

using Json = nlohmann::ordered_json;

/// Euclidean norm.
double norm(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

Json spec_json(const NetworkSpec& spec) {
  return {{"game", spec.game},
          {"features", spec.features},
          {"policy_logits", spec.policy_logits},
          {"outcomes", spec.outcomes},
          {"width", spec.width},
          {"blocks", spec.blocks},
          {"policy_layers", spec.policy_layers},
          {"value_layers", spec.value_layers}};
}

void print_spec(const NetworkSpec& spec) {
  fmt::print("game           {}\n", spec.game);
  fmt::print(
      "shape          {} features -> width {}, {} blocks -> {} policy logits ({} hidden), "
      "{} outcomes ({} hidden)\n",
      spec.features, spec.width, spec.blocks, spec.policy_logits, spec.policy_layers, spec.outcomes,
      spec.value_layers);
}

void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// The network shape as a checkpoint's metadata tells it: the game and seven numbers, with spaces
/// between.
Result<NetworkSpec> checkpoint_spec(const std::filesystem::path& file) {
  const auto wrong = [&](std::string_view what) {
    return fail(fmt::format("{}: {}", file.string(), what));
  };
  const Result<MappedFile> mapped = MappedFile::open(file);
  if (!mapped) return tl::unexpected(mapped.error());
  const Result<SafetensorsHeader> header = parse_safetensors(mapped->bytes());
  if (!header) return wrong(header.error().reason);
  const auto found = header->metadata.find("network");
  if (found == header->metadata.end()) return wrong("__metadata__: no network shape");
  std::string_view text = found->second;
  NetworkSpec spec;
  // From the end, because a game's name may hold spaces too.
  for (std::uint32_t* field : {&spec.value_layers, &spec.policy_layers, &spec.blocks, &spec.width,
                               &spec.outcomes, &spec.policy_logits, &spec.features}) {
    const std::size_t space = text.rfind(' ');
    if (space == std::string_view::npos) return wrong("__metadata__: no network shape");
    const std::string_view digits = text.substr(space + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *field);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      return wrong("__metadata__: the network shape is not made of numbers");
    }
    text = text.substr(0, space);
  }
  spec.game = std::string(text);
  const Result<void> checked = check_spec(spec);
  if (!checked) return wrong(checked.error().reason);
  return spec;
}

}  // namespace

Result<void> inspect_network(const std::filesystem::path& file, bool json) {
  const Result<Network> network = load_network(file);
  if (!network) return tl::unexpected(network.error());
  const NetworkSpec& spec = network->spec();
  const std::vector<TensorPlace> layout = parameter_layout(spec);
  const auto norm_of = [&](const TensorPlace& place) {
    return norm(network->parameters().subspan(place.offset, place.size()));
  };
  if (json) {
    Json tensors = Json::array();
    for (const TensorPlace& place : layout) {
      tensors.push_back(
          {{"name", place.name},
           {"shape", place.decays ? Json{place.rows, place.columns} : Json::array({place.columns})},
           {"norm", norm_of(place)}});
    }
    print_json({{"kind", "network"},
                {"id", id_text(network->id())},
                {"parameters", network->parameters().size()},
                {"spec", spec_json(spec)},
                {"tensors", std::move(tensors)}});
    return {};
  }
  fmt::print("network        {}\n", id_text(network->id()));
  print_spec(spec);
  fmt::print("parameters     {}\n", network->parameters().size());
  fmt::print("{:<28} {:>14} {:>12}\n", "tensor", "shape", "norm");
  for (const TensorPlace& place : layout) {
    const std::string shape = place.decays ? fmt::format("[{}, {}]", place.rows, place.columns)
                                           : fmt::format("[{}]", place.columns);
    fmt::print("{:<28} {:>14} {:>12.4f}\n", place.name, shape, norm_of(place));
  }
  return {};
}

Result<void> inspect_checkpoint(const std::filesystem::path& file, bool json) {
  const Result<NetworkSpec> spec = checkpoint_spec(file);
  if (!spec) return tl::unexpected(spec.error());
  const Result<Checkpoint> loaded = load_checkpoint(file, *spec);
  if (!loaded) return tl::unexpected(loaded.error());
  const Checkpoint& checkpoint = *loaded;
  const TrainerState& trainer = checkpoint.trainer;
  const std::string served = id_text(Network(*spec, trainer.ema).id());
  const Json counters = {{"steps", trainer.steps},
                         {"iterations", checkpoint.iterations},
                         {"games", checkpoint.games},
                         {"positions", checkpoint.positions},
                         {"next_game", checkpoint.next_game},
                         {"log_position", checkpoint.log_position},
                         {"replay_begin", checkpoint.replay_begin},
                         {"owed_steps", checkpoint.owed_steps},
                         {"seconds", checkpoint.seconds}};
  const Json norms = {{"weights", norm(trainer.weights)},
                      {"ema", norm(trainer.ema)},
                      {"first_moment", norm(trainer.first_moment)},
                      {"second_moment", norm(trainer.second_moment)}};
  if (json) {
    print_json({{"kind", "checkpoint"},
                {"spec", spec_json(*spec)},
                {"network", served},
                {"parameters", trainer.weights.size()},
                {"counters", counters},
                {"norms", norms}});
    return {};
  }
  fmt::print("checkpoint     of the network {} (moving average)\n", served);
  print_spec(*spec);
  fmt::print("parameters     {}\n", trainer.weights.size());
  for (const auto& [name, value] : counters.items()) fmt::print("{:<14} {}\n", name, value.dump());
  for (const auto& [name, value] : norms.items()) {
    fmt::print("norm of {:<14} {:.6g}\n", name, value.get<double>());
  }
  return {};
}

}  // namespace senet
