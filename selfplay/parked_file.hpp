// The file of the games that are in play when a run stops or writes a checkpoint.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "selfplay/game_record.hpp"
#include "senet/result.hpp"

namespace senet {

/// Replaces the file atomically, or removes it when there are no games. It has the format of a log
/// (docs/record-format.md); most of its games have no end. All are of `game`.
Result<void> save_parked(const std::filesystem::path& file, std::string_view game,
                         std::span<const GameRecord> games);

struct ParkedFile {
  std::vector<GameRecord> games;    // each number once: with most turns
  std::uint64_t damaged_bytes = 0;  // skipped
};
/// Reads it; a file that is missing has no games. Fails when it is not a log of `game`.
Result<ParkedFile> load_parked(const std::filesystem::path& file, std::string_view game);

}  // namespace senet
