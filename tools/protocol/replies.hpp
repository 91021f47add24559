// How results are told: the lines "info", "bestmove", "bestcube", "eval".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/protocol/requests.hpp"
#include "tools/protocol/thought.hpp"

namespace senet::protocol {

/// Whose words a session speaks: the last handshake decides. All understand the same commands.
enum class Dialect : std::uint8_t { kUci, kUbgi, kUgi };

/// One "info" line for each variation, the best first. `multipv` numbers them.
std::vector<std::string> info_lines(const Thought& thought, Dialect dialect, Role role,
                                    std::chrono::nanoseconds time, bool multipv);

/// "eval ...", all figures for the player on turn or about to roll.
std::string eval_line(const Evaluation& evaluation, bool has_gammons);

}  // namespace senet::protocol
