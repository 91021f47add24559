// senet inspect for safetensors files: networks and checkpoints.
#include <fmt/core.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "games/json.hpp"
#include "nn/network.hpp"
#include "tools/inspect.hpp"
#include "train_bridge/checkpoint.hpp"

namespace senet {
namespace {

/// Euclidean norm.
double norm(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

Json spec_json(const NetworkSpec& spec) {
  Json json = {{"game", spec.game}};
  for (const SpecField& field : kSpecFields) json[field.name] = spec.*field.value;
  if (spec.evaluates) json["evaluates"] = name_of(*spec.evaluates);
  return json;
}

void print_spec(const NetworkSpec& spec) {
  fmt::print("game           {}\n", spec.game);
  fmt::print(
      "shape          {} features -> width {}, {} blocks -> {} policy logits ({} hidden), "
      "{} outcomes ({} hidden)\n",
      spec.features, spec.width, spec.blocks, spec.policy_logits, spec.policy_layers, spec.outcomes,
      spec.value_layers);
  if (spec.evaluates) fmt::print("learnt from    {}\n", name_of(*spec.evaluates));
}

void print_json(const Json& json) { fmt::print("{}\n", json_text(json)); }

}  // namespace

Result<void> inspect_network(const std::filesystem::path& file, bool json) {
  const Result<Network> network = load_network(file);
  if (!network) return network.error();
  const NetworkSpec& spec = network->spec();
  const std::vector<TensorPlace> layout = parameter_layout(spec);
  const auto norm_of = [&](const TensorPlace& place) {
    return norm(network->parameters().subspan(place.offset, place.size()));
  };
  if (json) {
    Json tensors = Json::array();
    for (const TensorPlace& place : layout) {
      Json shape = {place.columns};
      if (place.decays) shape = {place.rows, place.columns};
      tensors.push_back({{"name", place.name}, {"shape", shape}, {"norm", norm_of(place)}});
    }
    print_json(Json::object({{"kind", "network"},
                             {"id", id_text(network->id())},
                             {"parameters", network->parameters().size()},
                             {"spec", spec_json(spec)},
                             {"tensors", std::move(tensors)}}));
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
  if (!spec) return spec.error();
  const Result<Checkpoint> loaded = load_checkpoint(file, *spec);
  if (!loaded) return loaded.error();
  const Checkpoint& checkpoint = *loaded;
  const TrainerState& trainer = checkpoint.trainer;
  const std::string served = id_text(Network(*spec, trainer.ema).id());
  Json counters, norms;
  visit_counters(checkpoint, [&](const char* name, const auto& value) { counters[name] = value; });
  for (const StateTensor& tensor : kStateTensors) norms[tensor.name] = norm(trainer.*tensor.values);
  if (json) {
    print_json(Json::object({{"kind", "checkpoint"},
                             {"spec", spec_json(*spec)},
                             {"network", served},
                             {"parameters", trainer.weights.size()},
                             {"counters", counters},
                             {"norms", norms}}));
    return {};
  }
  fmt::print("checkpoint     of the network {} (moving average)\n", served);
  print_spec(*spec);
  fmt::print("parameters     {}\n", trainer.weights.size());
  for (const auto& [name, value] : counters.items())
    fmt::print("{:<14} {}\n", name, json_text(value));
  for (const auto& [name, value] : norms.items()) {
    fmt::print("norm of {:<14} {:.6g}\n", name, value.get<double>());
  }
  return {};
}

}  // namespace senet
