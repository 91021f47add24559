// senet.Network: files, state dictionaries, layers, and evaluation of dense features.
#include "python/native/network.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/host/builtin_models.hpp"
#include "games/any_game.hpp"
#include "nn/evaluator.hpp"
#include "nn/file.hpp"
#include "nn/layer_plan.hpp"
#include "nn/network.hpp"
#include "python/native/arrays.hpp"
#include "python/native/module.hpp"

namespace senet::python {
namespace {

using nb::literals::operator""_a;

using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

PythonNetwork shared(Network network) {
  return {std::make_shared<const Weights>(std::move(network))};
}

// -- The specification as a dictionary.

nb::dict dict_of(const NetworkSpec& spec) {
  nb::dict dict;
  dict["game"] = spec.game;
  for (const SpecField& field : kSpecFields) {
    dict[nb::str(field.name.data(), field.name.size())] = field.get(spec);
  }
  dict["evaluates"] = spec.evaluates ? nb::cast(std::string(name_of(*spec.evaluates))) : nb::none();
  return dict;
}

NetworkSpec spec_of(const nb::dict& dict) {
  if (!dict.contains("game")) raise_value_error("spec: \"game\" is missing");
  const auto name = nb::cast<std::string>(dict["game"]);
  // Numbers of the game, unless it is one that this package does not know.
  const auto game = known_games().find(name);
  NetworkSpec spec = game ? reference_spec(**game) : NetworkSpec{.game = name};
  for (const auto& [key, value] : dict) {
    const auto word = nb::cast<std::string>(key);
    if (word == "game") continue;
    if (word == "evaluates") {
      if (!value.is_none()) spec.evaluates = value_of<Evaluates>(nb::cast<std::string>(value));
      if (!value.is_none() && !spec.evaluates) {
        raise_value_error("spec: evaluates is not one of position, afterstates, moves, playouts");
      }
      continue;
    }
    const auto field = std::ranges::find(kSpecFields, word, &SpecField::name);
    if (field == kSpecFields.end()) throw nb::key_error(("spec: " + word).c_str());
    value_or_raise(set_number(spec, *field, nb::cast<std::uint32_t>(value)));
  }
  value_or_raise(check_spec(spec));
  return spec;
}

// -- Tensors.

/// Whether the tensor is the matrix [outputs, inputs] of a Linear, and not a vector.
bool is_matrix(const TensorPlace& tensor) { return tensor.decays; }

nb::dict state_dict(const PythonNetwork& network) {
  const std::span<const float> parameters = network.weights->network().parameters();
  nb::dict tensors;
  for (const TensorPlace& tensor : parameter_layout(network.weights->spec())) {
    const auto part = parameters.subspan(tensor.offset, tensor.size());
    std::vector<float> copy(part.begin(), part.end());
    tensors[tensor.name.c_str()] =
        is_matrix(tensor) ? nb::cast(array_of(std::move(copy), tensor.rows, tensor.columns))
                          : nb::cast(array_of(std::move(copy), tensor.columns));
  }
  return tensors;
}

PythonNetwork from_state_dict(const nb::dict& spec_dict, const nb::dict& tensors) {
  const NetworkSpec spec = spec_of(spec_dict);
  const std::vector<TensorPlace> layout = parameter_layout(spec);
  std::vector<float> parameters(parameter_count(spec));
  for (const TensorPlace& tensor : layout) {
    const nb::str name(tensor.name.c_str());
    if (!tensors.contains(name)) throw nb::key_error(("missing: " + tensor.name).c_str());
    Floats array;
    if (!nb::try_cast(tensors[name], array)) {
      throw nb::type_error((tensor.name + ": not an array of floats on the CPU").c_str());
    }
    const bool fits = is_matrix(tensor) ? array.ndim() == 2 && array.shape(0) == tensor.rows &&
                                              array.shape(1) == tensor.columns
                                        : array.ndim() == 1 && array.shape(0) == tensor.columns;
    if (!fits) {
      const std::string wanted = is_matrix(tensor) ? "[" + std::to_string(tensor.rows) + ", " +
                                                         std::to_string(tensor.columns) + "]"
                                                   : "[" + std::to_string(tensor.columns) + "]";
      raise_value_error(tensor.name + ": its shape is " + shape_text(array) + ", not " + wanted);
    }
    const std::span<const float> values(array.data(), tensor.size());
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
      raise_value_error(tensor.name + ": a value that is not finite");
    }
    std::ranges::copy(values, parameters.begin() + static_cast<std::ptrdiff_t>(tensor.offset));
  }
  if (tensors.size() != layout.size()) {
    for (const auto& [key, value] : tensors) {
      const auto name = nb::cast<std::string>(key);
      if (std::ranges::find(layout, name, &TensorPlace::name) == layout.end()) {
        throw nb::key_error((name + ": the network has no such tensor").c_str());
      }
    }
  }
  return shared(Network(spec, std::move(parameters)));
}

// -- The layers, for programs that build the network elsewhere (senet.torch, senet.onnx).

nb::dict layers(const PythonNetwork& network) {
  const LayerPlan plan(network.weights->spec());
  nb::list list;
  for (const Layer& layer : plan.layers) {
    nb::dict dict;
    dict["kind"] = layer.kind == LayerKind::kLinear     ? "linear"
                   : layer.kind == LayerKind::kNormRelu ? "norm_relu"
                                                        : "relu";
    dict["in"] = layer.in;
    dict["added"] = layer.added == kNoValue ? nb::none() : nb::cast(layer.added);
    dict["inputs"] = layer.inputs;
    dict["outputs"] = layer.outputs;
    dict["weight"] =
        layer.kind == LayerKind::kRelu ? nb::none() : nb::cast(plan.tensors[layer.tensor].name);
    dict["bias"] =
        layer.kind == LayerKind::kRelu ? nb::none() : nb::cast(plan.tensors[layer.tensor + 1].name);
    list.append(dict);
  }
  nb::dict all;
  all["layers"] = list;
  all["policy"] = plan.has_policy() ? nb::cast(plan.policy) : nb::none();
  all["outcomes"] = plan.outcomes;
  all["norm_epsilon"] = kNormEpsilon;
  return all;
}

// -- Evaluation.

/// All logits and outcomes of rows of dense features.
nb::tuple evaluate(const PythonNetwork& network, const Rows& features,
                   const std::string& evaluator) {
  const NetworkSpec& spec = network.weights->spec();
  const std::size_t rows = features.shape(0), width = features.shape(1);
  if (width != spec.features) {
    raise_value_error("features: " + std::to_string(width) + " columns; the network reads " +
                      std::to_string(spec.features));
  }
  const auto kind = senet::value_of<EvaluatorKind>(evaluator);
  if (!kind) raise_value_error("evaluator: there is none called " + evaluator);
  constexpr std::size_t kBatch = 256;
  const std::size_t logits = LayerPlan(spec).policy_logits();
  std::vector<float> policy(rows * logits), outcomes(rows * spec.outcomes);
  {
    const nb::gil_scoped_release released;
    std::vector<std::uint16_t> wanted(logits);
    std::iota(wanted.begin(), wanted.end(), std::uint16_t{0});
    Batch batch(std::min(kBatch, std::max<std::size_t>(rows, 1)), {.max_active = width});
    const auto made = value_or_raise(make_evaluator(*kind, *network.weights, batch.capacity()));
    for (std::size_t row = 0; row < rows;) {
      batch.clear();
      for (; row < rows && batch.room() > 0; ++row) {
        const std::span<const float> values(features.data() + row * width, width);
        const RowResult answer{
            .outcomes = std::span(outcomes).subspan(row * spec.outcomes, spec.outcomes),
            .wanted = wanted,
            .logits = policy.data() + row * logits};
        batch.add(answer, [&](FeatureRow& to) {
          for (std::size_t i = 0; i < width; ++i) {
            if (values[i] != 0) to.add(i, values[i]);
          }
        });
      }
      made->forward(batch);
    }
  }
  return nb::make_tuple(
      spec.policy_head ? nb::cast(array_of(std::move(policy), rows, logits)) : nb::none(),
      array_of(std::move(outcomes), rows, spec.outcomes));
}

PythonNetwork load(const std::filesystem::path& file) {
  const FileBytes bytes = value_or_raise(read_whole_file(file));
  auto network = read_network(bytes);
  if (!network) {
    raise_value_error(file.string() + ": " + network.error().reason());
  }
  return shared(std::move(*network));
}

PythonNetwork builtin(const std::string& game) {
  game_named(game);
  const std::span<const std::byte> file = builtin_model(game);
  if (file.empty()) raise_value_error("there is no built-in network for " + game);
  return shared(value_or_raise(read_network(file)));
}

}  // namespace

void bind_network(nb::module_& module) {
  nb::class_<PythonNetwork>(module, "Network",
                            "An immutable network: from a file, a state dictionary or the package.")
      .def(
          "__init__",
          [](PythonNetwork* self, const std::filesystem::path& file) {
            new (self) PythonNetwork(load(file));
          },
          "file"_a,
          "Reads a safetensors file that senet wrote. Raises ValueError if it is damaged.")
      .def_static("builtin", &builtin, "game"_a, "The network of the game in this package.")
      .def_static(
          "untrained",
          [](const nb::dict& spec, std::uint64_t seed) {
            return shared(initial_network(spec_of(spec), seed));
          },
          "spec"_a, "seed"_a = 1,
          "Random weights. `spec`: {\"game\": ..., \"width\": ..., ...}; missing numbers have the "
          "defaults of `spec` of a network.")
      .def_static("from_state_dict", &from_state_dict, "spec"_a, "state_dict"_a,
                  "A network of this spec with these tensors (name: [outputs, inputs] or [outputs] "
                  "f32), which are copied. Raises KeyError for a missing or unknown name and "
                  "ValueError for a wrong shape or a value that is not finite.")
      .def("state_dict", &state_dict,
           "All tensors by name, copied: [outputs, inputs] f32 of a linear layer, else [outputs].")
      .def(
          "save",
          [](const PythonNetwork& network, const std::filesystem::path& file) {
            value_or_raise(save_network(network.weights->network(), file));
          },
          "file"_a, "Writes a safetensors file: first a temporary one, which then replaces `file`.")
      .def("__call__", &evaluate, "features"_a, "evaluator"_a = "fused",
           "Evaluates dense features [n, features] f32. Returns policy logits [n, policy_logits] "
           "f32 (None without a policy head; of a dueling network [n, policy_logits * outcomes], "
           "its advantages) and probabilities of the outcomes [n, outcomes] f32, "
           "both from the perspective of the player to move.")
      .def_prop_ro(
          "spec", [](const PythonNetwork& network) { return dict_of(network.weights->spec()); },
          "The shape: a dictionary of the game's name and numbers.")
      .def_prop_ro(
          "game", [](const PythonNetwork& network) { return network.weights->spec().game; },
          "The name of its game.")
      .def_prop_ro(
          "id", [](const PythonNetwork& network) { return network.weights->id(); },
          "Identifies the content: 64 bits, as in records.")
      .def_prop_ro("plan", &layers,
                   "The layers in order: value 0 is the features, layer i writes value i + 1. "
                   "`policy` and `outcomes` are the values of the outputs.")
      .def("__repr__", [](const PythonNetwork& network) {
        const NetworkSpec& spec = network.weights->spec();
        return "<senet.Network of " + spec.game + ", " + std::to_string(parameter_count(spec)) +
               " parameters, id " + id_text(network.weights->id()) + ">";
      });
}

}  // namespace senet::python
