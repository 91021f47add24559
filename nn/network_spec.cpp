#include "nn/network_spec.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "games/any_game.hpp"
#include "nn/layer_plan.hpp"

namespace senet {
namespace {

Result<void> check_number(const SpecField& field, std::uint32_t value) {
  if (field.least <= value && value <= field.most) return {};
  return fail(fmt::format("the network's {} is {}: it must be {} .. {}", field.name, value,
                          field.least, field.most));
}

}  // namespace

std::vector<TensorPlace> parameter_layout(const NetworkSpec& spec) {
  return LayerPlan(spec).tensors;
}

std::size_t parameter_count(const NetworkSpec& spec) { return LayerPlan(spec).parameters; }

double dense_flop(const NetworkSpec& spec) {
  double flop = 0;
  for (const Layer& layer : LayerPlan(spec).layers) {
    if (layer.kind == LayerKind::kLinear) flop += 2.0 * layer.inputs * layer.outputs;
  }
  return flop;
}

Result<void> set_number(NetworkSpec& spec, const SpecField& field, std::uint32_t value) {
  const Result<void> checked = check_number(field, value);
  if (checked) field.set(spec, value);
  return checked;
}

Result<void> check_spec(const NetworkSpec& spec) {
  constexpr std::size_t kMaxNameLength = 64;
  const bool printable =
      std::ranges::all_of(spec.game, [](char c) { return c > ' ' && c < '\x7f'; });
  if (spec.game.empty() || spec.game.size() > kMaxNameLength || !printable) {
    return fail("the network's game must be a name of 1 to 64 printable characters");
  }
  for (const SpecField& field : kSpecFields) {
    if (const auto checked = check_number(field, field.get(spec)); !checked) return checked;
  }
  if (spec.dueling && !spec.policy_head) {
    return fail("dueling: a network without a policy head cannot value moves");
  }
  if (spec.dueling && std::uint64_t{spec.policy_logits} * spec.outcomes > kNoLogit) {
    return fail(fmt::format("dueling: {} policy logits for each of {} outcomes are more than {}",
                            spec.policy_logits, spec.outcomes, kNoLogit));
  }
  return {};
}

NetworkSpec reference_spec(const AnyGame& game) {
  NetworkSpec spec;
  spec.game = game.name;
  spec.features = static_cast<std::uint32_t>(game.features);
  spec.policy_logits = static_cast<std::uint32_t>(game.policy_logits);
  spec.outcomes = static_cast<std::uint32_t>(game.outcome_values.size());
  return spec;
}

NetworkSpec spec_for_playouts(NetworkSpec spec) {
  for (const SpecField& field : kSpecFields) {
    if (!field.by_contract) field.set(spec, field.least);
  }
  spec.evaluates = Evaluates::kPlayouts;
  return spec;
}

GameModes modes_of(const AnyGame& game) { return {game.has_afterstates, game.has_few_moves}; }

Result<Evaluates> resolve_evaluates(const NetworkSpec& spec, const GameModes& game,
                                    std::optional<Evaluates> chosen) {
  const Evaluates usual = spec.dueling       ? Evaluates::kMoves
                          : game.afterstates ? Evaluates::kAfterstates
                                             : Evaluates::kPosition;
  const Evaluates evaluates = chosen.value_or(spec.evaluates.value_or(usual));
  if (spec.evaluates == Evaluates::kPlayouts && evaluates != Evaluates::kPlayouts) {
    return fail("mode: playouts have no network that could evaluate anything else");
  }
  if (evaluates == Evaluates::kAfterstates && !game.afterstates) {
    return fail("mode: " + spec.game + " has no afterstates");
  }
  if (evaluates == Evaluates::kMoves && !game.moves) {
    return fail("mode: the moves of " + spec.game + " cannot be valued all at once");
  }
  if (evaluates == Evaluates::kMoves && !spec.dueling) {
    return fail("mode: only a dueling network values moves");
  }
  if (spec.dueling && evaluates != Evaluates::kMoves && evaluates != Evaluates::kPlayouts) {
    return fail("mode: a dueling network only values moves");
  }
  if (evaluates == Evaluates::kPosition && !spec.policy_head) {
    return fail("mode: a network without a policy head cannot evaluate positions");
  }
  return evaluates;
}

Result<void> check_contract(const NetworkSpec& spec, const NetworkSpec& wanted) {
  if (spec.game != wanted.game) {
    return fail(fmt::format("the network plays {}, not {}", spec.game, wanted.game));
  }
  for (const SpecField& field : kSpecFields) {
    const std::uint32_t has = field.get(spec), needs = field.get(wanted);
    if (field.by_contract && has != needs) {
      return fail(fmt::format("the network has {} {}, but {} needs {}", has, field.name,
                              wanted.game, needs));
    }
  }
  return {};
}

}  // namespace senet
