// A game record as bytes: the payload that logs keep and other programs read
// (docs/record-format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selfplay/game_record.hpp"
#include "senet/result.hpp"

namespace senet {

/// The version of the payload that encode() writes; its first byte.
inline constexpr std::uint8_t kPayloadVersion = 1;

/// No payload is longer, in bytes. A long game of backgammon has about ten thousand.
inline constexpr std::size_t kMaxPayload = std::size_t{1} << 22;

/// Writes `record` into `out`, replacing its content; no allocation when `out` is large enough.
/// Fails, with the reason, for what decode() would not take: a game without an end, limits
/// exceeded, a root value that is not finite, an action counted twice.
Result<void> encode(const GameRecord& record, std::vector<std::byte>& out);

/// Reads a whole payload into `out`, replacing its content. Any bytes are safe to give: on failure
/// the reason names the field and its place, and `out` is empty. Memory is bounded by the payload's
/// length. Of each record there is one encoding: what decodes, encodes to the same bytes.
Result<void> decode(std::span<const std::byte> payload, GameRecord& out);

}  // namespace senet
