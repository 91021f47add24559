// The binary encoding of a game record: the payload stored in logs and read by other programs
// (docs/record-format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selfplay/game_record.hpp"
#include "senet/result.hpp"

namespace senet {

/// The newest version of the payload, its first byte. encode() writes the lowest that can hold the
/// record: 2 only with outcomes of visited actions.
inline constexpr std::uint8_t kPayloadVersion = 2;

/// Maximum payload length in bytes. A long backgammon game takes about ten thousand.
inline constexpr std::size_t kMaxPayload = std::size_t{1} << 22;

/// Writes `record` into `out`, replacing its content; no allocation when `out` is large enough.
/// Fails, with the reason, for records that decode() would reject: exceeded limits, a non-finite
/// root value, an action listed twice. A game in play has no end.
Result<void> encode(const GameRecord& record, std::vector<std::byte>& out);

/// Reads a whole payload into `out`, replacing its content. Safe for arbitrary bytes: on failure
/// the reason names the field and its position, and `out` is empty. Memory is bounded by the length
/// of the payload. Each record has exactly one encoding: encoding the decoded record gives the same
/// bytes.
Result<void> decode(std::span<const std::byte> payload, GameRecord& out);

}  // namespace senet
