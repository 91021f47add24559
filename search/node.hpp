// The memory layout of the search tree: nodes and edges.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "senet/game.hpp"

namespace senet {

/// Index of a node, and of its game state, in the tree.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

/// One position. 32 bytes, two per cache line.
///
///    0        8      12      16      20      24     26      28    30     31
///   +--------+-------+-------+-------+-------+------+-------+-----+------+-------+
///   | key    | q     | n     | cold  | hot   | edges|opened | own | flags| bounds|
///   | u64    | f32   | u32   | u32   | u32   | u16  | u16   | i16 | u8   | u8    |
///   +--------+-------+-------+-------+-------+------+-------+-----+------+-------+
///
/// Perspective: q, own and bounds of a decision node are for its player to move. Chance and
/// finished nodes have no such player; theirs are for player 0. Only value_for() and
/// Bounds::mirrored() convert between perspectives.
struct Node {
  std::uint64_t key;     // the state's full key: verifies a table hit
  float q;               // mean value
  std::uint32_t n;       // visits that ended here or passed through, those in flight included
  std::uint32_t cold;    // word offset of the cold block (all edges, written once)
  std::uint32_t hot;     // index of the first hot block (opened edges, see search/hot_edges.hpp)
  std::uint16_t edges;   // actions to consider, or chance outcomes
  std::uint16_t opened;  // length of the opened prefix of the edges
  std::int16_t own;      // the node's own evaluation, in 1/32767 of the game's value range
  std::uint8_t flags;    // Turn in bits 0-1, then the flags below
  std::uint8_t bounds;   // proven bounds: low nibble lower + 8, high nibble upper + 8
};
static_assert(sizeof(Node) == 32);

inline constexpr std::uint8_t kTurnMask = 3;
inline constexpr std::uint8_t kEvaluated = 4;  // q, own and, unless visits end here, edges are set
inline constexpr std::uint8_t kOnPath = 8;     // on the path of the current descent
inline constexpr std::uint8_t kValuedEdges = 16;  // the cold block contains afterstate values
inline constexpr std::uint8_t kInTablebase = 32;  // q is a tablebase's: visits end here
inline constexpr std::uint8_t kInFlight = 64;     // a leaf that waits for the network's answers

inline Turn turn_of(const Node& node) { return static_cast<Turn>(node.flags & kTurnMask); }

/// Whether visits end at an evaluated node because nothing below it can change its value.
inline bool ends_visits(const Node& node) {
  return turn_of(node) == Turn::kOver || (node.flags & kInTablebase) != 0;
}

/// The player from whose perspective a node with this turn stores its values.
inline Player perspective(Turn turn) { return turn == Turn::kPlayer1 ? 1 : 0; }

/// Converts a value of a node with this turn to the perspective of `player`. The branch predictor
/// cannot predict the sign, so the flip is branch-free.
inline float value_for(float value, Turn turn, Player player) {
  const auto flip = static_cast<std::uint32_t>(perspective(turn) ^ player) << 31;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ flip);
}

/// Proven bounds of a node's value: integers of magnitude at most kMaxBound, so that both fit into
/// a byte. All outcome values and the value range of a searched game must satisfy this.
inline constexpr int kMaxBound = 7;
struct Bounds {
  int lower, upper;

  bool proven() const { return lower == upper; }
  /// The same bounds for the other player.
  Bounds mirrored() const { return {-upper, -lower}; }
  bool operator==(const Bounds&) const = default;
};

/// Whether a game's values satisfy this, as far as its type fixes them; games known only at run
/// time are checked when they are added.
template <class G>
constexpr bool ends_fit_bounds() {
  if constexpr (FixedOutcomesGame<G>) {
    const auto fits = [](float value) {
      return value >= -kMaxBound && value <= kMaxBound &&
             value == static_cast<float>(static_cast<int>(value));
    };
    return fits(G::kValueRange) && std::ranges::all_of(G::kOutcomeValues, fits);
  }
  return true;
}

inline Bounds bounds_of(const Node& node) {
  return {(node.bounds & 15) - 8, (node.bounds >> 4) - 8};
}
inline void set_bounds(Node& node, Bounds bounds) {
  node.bounds = static_cast<std::uint8_t>((bounds.lower + 8) | ((bounds.upper + 8) << 4));
}
inline bool proven(const Node& node) { return (node.bounds & 15) == (node.bounds >> 4); }

/// Fixed-point values in [-range, range] and probabilities in [0, 1].
inline std::int16_t pack_value(float value, float range) {
  return static_cast<std::int16_t>(std::lrint(std::clamp(value / range, -1.0f, 1.0f) * 32767.0f));
}
inline float unpack_value(std::int16_t packed, float range) {
  return static_cast<float>(packed) * (range / 32767.0f);
}
inline std::uint16_t pack_share(float share) {
  return static_cast<std::uint16_t>(std::lrint(std::clamp(share, 0.0f, 1.0f) * 65535.0f));
}
inline float unpack_share(std::uint16_t packed) {
  return static_cast<float>(packed) * (1.0f / 65535.0f);
}

/// One action and its prior (or chance outcome and its probability). A node's cold block contains
/// its edges and, with kValuedEdges, the values of their afterstates:
///
///   | action u16, prior u16 | x edges | value i16 | x edges, padded to whole words |
///
/// With kValuedEdges the edges are sorted by descending value. Without it, only the opened edges
/// and the next one to open are in the order of rank(); the others follow unsorted, because most of
/// them never get a visit.
struct ColdEdge {
  Action action;
  std::uint16_t prior;

  /// Higher ranks are opened earlier: higher prior first, then lower action. The ranks of a node's
  /// edges are distinct.
  std::uint32_t rank() const {
    return (static_cast<std::uint32_t>(prior) << 16) | (0xffffu - action);
  }
};
static_assert(sizeof(ColdEdge) == 4);

constexpr std::uint32_t cold_words(std::uint32_t edges, bool valued) {
  return edges + (valued ? (edges + 1) / 2 : 0);
}

}  // namespace senet
