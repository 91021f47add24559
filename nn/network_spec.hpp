// The shape of a network, as data: everything that must match before weights can be used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "games/settings.hpp"
#include "nn/evaluates.hpp"
#include "senet/game.hpp"

namespace senet {

struct AnyGame;

/// A fully connected residual network with pre-activation blocks and up to two heads.
///
///   x   = act(linear(features))                  features -> width
///   x  += linear(act(linear(act(x))))            `blocks` times, width -> width
///   x   = act(x)                                 (if there are blocks or act is a norm)
///   policy: `policy_layers` x act(linear), width -> width, then linear -> policy_logits
///   value:  `value_layers`  x act(linear), to value_width, then linear -> outcomes, softmax
///
/// With `dueling` the heads are the two streams of a dueling network (Wang et al. 2016, with
/// distributions as in Hessel et al. 2018). The policy's last linear then writes an advantage for
/// each policy logit and outcome, [policy_logits, outcomes], and what is expected after a move is
///
///   softmax over the outcomes of  value + advantage(move) - mean of advantage(all moves)
///
/// where `value` is the value head before its softmax, and an advantage of a move is the sum of
/// those of its logits, as for other policies.
///
/// act(x) is relu(norm(x)), or relu(x) if `norm` is false. `norm` is LayerNorm over the row with
/// kNormEpsilon and trained scale and shift.
struct NetworkSpec {
  std::string game;                 // fixed by the game: its name ...
  std::uint32_t features = 0;       // ... width of its features
  std::uint32_t policy_logits = 0;  // ... its policy logits
  std::uint32_t outcomes = 0;       // ... and its ways to end
  std::uint32_t width = 128;
  std::uint32_t blocks = 3;
  std::uint32_t policy_layers = 2;
  std::uint32_t value_layers = 1;
  std::uint32_t value_width = 0;  // of the value head's hidden layers; 0: `width`
  bool norm = true;               // normalise in front of every ReLU
  bool policy_head = true;        // without one a network can only evaluate afterstates
  bool dueling = false;           // the heads value the moves of a position
  /// What the network was trained to evaluate, if known; kPlayouts: nothing. A policy head of a
  /// network trained on afterstates is untrained. Not part of the shape or of the content's id.
  std::optional<Evaluates> evaluates = {};

  bool operator==(const NetworkSpec&) const = default;
};

/// The numbers that the game leaves free. The ranges apply to new networks; files may contain
/// values outside them (kSpecFields).
constexpr auto settings_of(std::type_identity<NetworkSpec>) {
  using S = NetworkSpec;
  return std::tuple{
      setting("width", &S::width, "width of the hidden layers", {.least = 8, .most = 4096}),
      setting("blocks", &S::blocks, "number of residual blocks", {.least = 0, .most = 64}),
      setting("policy-layers", &S::policy_layers, "number of hidden layers in the policy head",
              {.least = 0, .most = 8}),
      setting("value-layers", &S::value_layers, "number of hidden layers in the value head",
              {.least = 0, .most = 8}),
      setting("value-width", &S::value_width,
              "width of the hidden layers in the value head; 0: the same width",
              {.least = 8, .most = 4096, .or_zero = true}),
      setting("norm", &S::norm, "LayerNorm in front of every ReLU"),
      setting("policy-head", &S::policy_head,
              "policy head, which the evaluation of positions and of moves needs"),
      setting("dueling", &S::dueling,
              "dueling heads, which value all moves of a position at once: mode moves"),
  };
}

constexpr std::string_view settings_heading(std::type_identity<NetworkSpec>) { return "Network"; }

/// One number of a NetworkSpec.
struct SpecField {
  std::string_view name;  // in files, ids and messages
  std::uint32_t (*get)(const NetworkSpec& spec);
  void (*set)(NetworkSpec& spec, std::uint32_t value);
  std::uint32_t least, most;
  bool by_contract;  // fixed by the game
  /// The value that a file without this number means. Ids do not mention a number with this value,
  /// so that networks keep the id that they had before the number existed.
  std::optional<std::uint32_t> if_absent;

  bool is_mentioned(const NetworkSpec& spec) const { return if_absent != get(spec); }
};

template <auto kMember>
constexpr SpecField spec_field(std::string_view name, std::uint32_t least, std::uint32_t most,
                               bool by_contract, std::optional<std::uint32_t> if_absent = {}) {
  using Value = std::remove_cvref_t<decltype(NetworkSpec{}.*kMember)>;
  return {name,
          [](const NetworkSpec& spec) { return static_cast<std::uint32_t>(spec.*kMember); },
          [](NetworkSpec& spec, std::uint32_t value) { spec.*kMember = static_cast<Value>(value); },
          least,
          most,
          by_contract,
          if_absent};
}

/// Every number of a NetworkSpec, in the order of files and ids. The ranges are generous for a
/// board game, and small enough that no product of them overflows 64 bits. Feature and logit
/// numbers have 16 bits, and kNoLogit is reserved.
inline constexpr std::array<SpecField, 11> kSpecFields = {
    spec_field<&NetworkSpec::features>("features", 1, kNoLogit, true),
    spec_field<&NetworkSpec::policy_logits>("policy_logits", 1, kNoLogit, true),
    spec_field<&NetworkSpec::outcomes>("outcomes", 1, 255, true),
    spec_field<&NetworkSpec::width>("width", 1, 1u << 14, false),
    spec_field<&NetworkSpec::blocks>("blocks", 0, 1u << 10, false),
    spec_field<&NetworkSpec::policy_layers>("policy_layers", 0, 1u << 10, false),
    spec_field<&NetworkSpec::value_layers>("value_layers", 0, 1u << 10, false),
    spec_field<&NetworkSpec::value_width>("value_width", 0, 1u << 14, false, 0),
    spec_field<&NetworkSpec::norm>("norm", 0, 1, false, 1),
    spec_field<&NetworkSpec::policy_head>("policy_head", 0, 1, false, 1),
    spec_field<&NetworkSpec::dueling>("dueling", 0, 1, false, 0),
};
static_assert(sizeof(NetworkSpec) == sizeof(std::string) + 9 * sizeof(std::uint32_t) + 4,
              "kSpecFields lists every number of a NetworkSpec");

/// One named tensor of a network.
struct TensorPlace {
  std::string name;       // e.g. "block.0.linear1.weight"
  std::uint32_t rows;     // outputs of a Linear; 1 for biases and norms
  std::uint32_t columns;  // inputs of a Linear; length of a bias or norm vector
  std::size_t offset;     // in floats, into the network's flat parameter block
  bool decays;            // weight decay applies (Linear weights only)

  std::size_t size() const { return std::size_t{rows} * columns; }
};

/// The tensors of a network of this shape, packed without gaps. Linear weights are row-major
/// [outputs, inputs] f32 (PyTorch's order), each followed by its bias [outputs]; a norm is its
/// scale [width] followed by its shift [width]. Names:
///   input.linear.{weight,bias}  input.norm.{weight,bias}
///   block.<i>.{norm1,linear1,norm2,linear2}.{weight,bias}        trunk.norm.{weight,bias}
///   policy.<i>.{linear,norm}.{weight,bias}   policy.out.{weight,bias}
///   value.<i>.{linear,norm}.{weight,bias}    value.out.{weight,bias}
/// Without norms or without a policy head, theirs are missing.
std::vector<TensorPlace> parameter_layout(const NetworkSpec& spec);

/// Number of f32 parameters of a network of this shape.
std::size_t parameter_count(const NetworkSpec& spec);

/// Floating-point operations of one dense evaluation (matrix products only): two per multiply-add.
double dense_flop(const NetworkSpec& spec);

/// Sets a number; fails, and changes nothing, when it is not in the field's range.
Result<void> set_number(NetworkSpec& spec, const SpecField& field, std::uint32_t value);
/// Checks that the game is a name of 1 to 64 printable characters and that every number is in its
/// kSpecFields range, and that a dueling network has a policy head whose outputs 16 bits can
/// number. The error names the first violation.
Result<void> check_spec(const NetworkSpec& spec);

/// A spec with the game's numbers and, for the rest, the reference shape (`reference`: width 128, 3
/// blocks, two policy layers, one value layer).
template <FixedOutcomesGame G>
NetworkSpec reference_spec() {
  NetworkSpec spec;
  spec.game = std::string(G::kName);
  spec.features = static_cast<std::uint32_t>(G::kFeatures);
  spec.policy_logits = static_cast<std::uint32_t>(G::kPolicyLogits);
  spec.outcomes = static_cast<std::uint32_t>(kOutcomes<G>);
  return spec;
}
NetworkSpec reference_spec(const AnyGame& game);

/// The smallest spec for the game of `spec`, for searches in kPlayouts, which never evaluate the
/// network.
NetworkSpec spec_for_playouts(NetworkSpec spec);

/// The modes that a game has besides those that every game has.
struct GameModes {
  bool afterstates = false;
  bool moves = false;  // kHasFewMoves
};
/// Of the game to which the state `game` belongs.
template <Game G>
constexpr GameModes modes_of(const G& game) {
  return {has_afterstates(game), kHasFewMoves<G>};
}
GameModes modes_of(const AnyGame& game);

/// What a search evaluates with a network of this spec: `chosen`, else what the network was trained
/// to evaluate, else (its file does not record it) moves with a dueling network and afterstates in
/// games that have them. Fails if the game does not have the mode, the network not the heads, or if
/// it is that of spec_for_playouts and `chosen` is another mode. Games that come as a table
/// (senet/game_table.h) are not valued by moves: their numbers have no bound at compile time.
Result<Evaluates> resolve_evaluates(const NetworkSpec& spec, const GameModes& game,
                                    std::optional<Evaluates> chosen = {});

/// Checks that a network of this spec fits the game of `wanted`: same name and game numbers.
Result<void> check_contract(const NetworkSpec& spec, const NetworkSpec& wanted);

}  // namespace senet
