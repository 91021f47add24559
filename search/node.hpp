// The memory layout of the search tree: nodes and edges.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "senet/game.hpp"

namespace senet {

/// Index of a node, and of its game state, in the tree.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

/// Index of an edge in a node's list.
inline constexpr std::uint16_t kNoEdge = 0xffff;

/// One position. 32 bytes, two per cache line. The tree stores the keys separately.
///
///    0      4      8      12     16     20     24      26      28      30      31      32
///   +------+------+------+------+------+------+-------+-------+-------+-------+-------+
///   | q    | n    | cold | hot  | next | own  | next  | edges | opened| flags | bounds|
///   | f32  | u32  | u32  | u32  | node | f32  | edge  | u16   | u16   | u8    | u8    |
///   |      |      |      |      | u32  |      | u16   |       |       |       |       |
///   +------+------+------+------+------+------+-------+-------+-------+-------+-------+
///
/// Perspective: q, own and bounds of a decision node are for its player to move. Chance and
/// finished nodes have no such player; theirs are for player 0. Only value_for() and
/// Bounds::mirrored() convert between perspectives.
struct Node {
  float q = 0;             // mean value
  std::uint32_t n = 0;     // visits that ended here or passed through, those in flight included
  std::uint32_t cold = 0;  // word offset of the cold block (all edges, written once)
  std::uint32_t hot = 0;   // index of the first hot block (opened edges, see search/hot_edges.hpp)
  NodeId next = kNoNode;   // the child of next_edge, or kNoNode: not known
  float own = 0;           // the node's own evaluation
  std::uint16_t next_edge = kNoEdge;  // the edge that the next descent takes, or kNoEdge: not known
  std::uint16_t edges = 0;            // actions to consider, or chance outcomes
  std::uint16_t opened = 0;           // length of the opened prefix of the edges
  std::uint8_t flags = 0;             // Turn in bits 0-1, then the flags below
  std::uint8_t bounds = 0;            // proven bounds: low nibble lower + 8, high nibble upper + 8

  /// For when something that the selection depends on has changed.
  void forget_next() {
    next = kNoNode;
    next_edge = kNoEdge;
  }
};
static_assert(sizeof(Node) == 32);

inline constexpr std::uint8_t kTurnMask = 3;
inline constexpr std::uint8_t kEvaluated = 4;  // q, own and, unless visits end here, edges are set
inline constexpr std::uint8_t kValuedEdges = 8;   // the cold block contains afterstate values
inline constexpr std::uint8_t kInTablebase = 16;  // q is a tablebase's: visits end here
inline constexpr std::uint8_t kInFlight = 32;     // a leaf that waits for the network's answers
inline constexpr std::uint8_t kForPlayer1 = 128;  // q, own and bounds are for player 1

inline Turn turn_of(const Node& node) { return static_cast<Turn>(node.flags & kTurnMask); }

/// Whether visits end at an evaluated node because nothing below it can change its value.
inline bool ends_visits(const Node& node) {
  return turn_of(node) == Turn::kOver || (node.flags & kInTablebase) != 0;
}

/// The player from whose perspective a node with this turn stores its values.
inline Player perspective(Turn turn) { return turn == Turn::kPlayer1 ? 1 : 0; }

/// The flags of a new node.
inline std::uint8_t flags_for(Turn turn) {
  return static_cast<std::uint8_t>(static_cast<int>(turn) |
                                   (perspective(turn) == 1 ? kForPlayer1 : 0));
}
inline Player perspective(const Node& node) { return node.flags / kForPlayer1; }

/// Converts a value from one player's perspective to another's. The branch predictor cannot predict
/// the sign, so nothing branches on it.
inline float value_for(float value, Player from, Player to) {
  static constexpr std::array<float, 2> kSigns = {1, -1};
  return value * kSigns[from ^ to];
}

/// Proven bounds of a node's value: integers of magnitude at most kMaxBound, so that both fit into
/// a byte. All outcome values and the value range of a searched game with two players must satisfy
/// this; nodes of a game of one player have no proofs.
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
  if constexpr (FixedOutcomesGame<G> && !kMayHaveOnePlayer<G>) {
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
constexpr std::uint8_t packed(Bounds bounds) {
  return static_cast<std::uint8_t>((bounds.lower + 8) | ((bounds.upper + 8) << 4));
}
inline void set_bounds(Node& node, Bounds bounds) { node.bounds = packed(bounds); }
inline bool proven(const Node& node) { return (node.bounds & 15) == (node.bounds >> 4); }

/// Fixed-point values in [-range, range] and probabilities in [0, 1].
inline std::int16_t pack_value(float value, float range) {
  return static_cast<std::int16_t>(std::lrint(std::clamp(value / range, -1.0f, 1.0f) * 32767.0f));
}
inline float unpack_value(std::int16_t packed, float range) {
  return static_cast<float>(packed) * (range / 32767.0f);
}
/// The nearest value that can be packed.
inline float rounded_value(float value, float range) {
  return unpack_value(pack_value(value, range), range);
}
inline std::uint16_t pack_share(float share) {
  return static_cast<std::uint16_t>(std::lrint(std::min(std::max(share, 0.0f), 1.0f) * 65535.0f));
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
    static_assert(std::endian::native == std::endian::little);
    return std::bit_cast<std::uint32_t>(*this) ^ 0xffffu;
  }
};
static_assert(sizeof(ColdEdge) == 4);

constexpr std::uint32_t cold_words(std::uint32_t edges, bool valued) {
  return edges + (valued ? (edges + 1) / 2 : 0);
}

}  // namespace senet
