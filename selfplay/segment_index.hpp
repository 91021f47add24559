// The index of a closed file of a game log: which games it contains, so that a resume need not read
// the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selfplay/seen_games.hpp"
#include "senet/result.hpp"

namespace senet {

inline constexpr std::uint16_t kIndexVersion = 1;

/// What an index file contains (docs/record-format.md). It is a cache: reading the segment gives
/// the same.
struct SegmentIndex {
  std::string game = {};
  std::uint64_t bytes = 0;    // of the segment
  std::uint64_t records = 0;  // that can be decoded
  SeenGames games = {};       // their numbers

  /// Whether both have the same content.
  bool operator==(const SegmentIndex& other) const {
    return game == other.game && bytes == other.bytes && records == other.records &&
           games.ranges() == other.games.ranges();
  }
};

/// The index as the bytes of its file.
std::vector<std::byte> to_bytes(const SegmentIndex& index);

/// Reads the bytes of an index file. Safe for arbitrary bytes: fails when they are damaged or of
/// another version. Each index has exactly one encoding.
Result<SegmentIndex> parse_index(std::span<const std::byte> bytes);

/// Reads an index file. Errors name it.
Result<SegmentIndex> load_index(const std::filesystem::path& file);

/// Writes an index file atomically.
Result<void> save_index(const SegmentIndex& index, const std::filesystem::path& file);

/// Makes the index of a log file by reading all of it. Fails when it is not a log of `game`.
Result<SegmentIndex> index_of(const std::filesystem::path& log, std::string_view game);

}  // namespace senet
