// What the files of a run hold, told to a person or as JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "senet/result.hpp"

namespace senet {

/// Prints a network file: spec, id, number of parameters, every tensor with its shape and norm.
Result<void> inspect_network(const std::filesystem::path& file, bool json);

/// Prints a checkpoint: the counters of the run and the norms of what the trainer carries.
Result<void> inspect_checkpoint(const std::filesystem::path& file, bool json);

/// Prints what a game log holds as a whole.
Result<void> inspect_games(const std::filesystem::path& file, bool json);

/// Prints the game of that number turn by turn.
Result<void> inspect_game(const std::filesystem::path& file, std::uint64_t game_number, bool json);

}  // namespace senet
