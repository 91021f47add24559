// How results are told: the lines "info", "bestmove", "bestcube", "eval".
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/host/session.hpp"
#include "tools/protocol/requests.hpp"

namespace senet::protocol {

/// Whose words a session speaks: the last handshake decides. All understand the same commands.
enum class Dialect : std::uint8_t { kUci, kUbgi, kUgi };

/// One "info" line for each line of play in the result of a search of `game`, the best first.
/// `multipv` numbers them.
Result<std::vector<std::string>> info_lines(const senet::Session& game, const SessionResult& result,
                                            Dialect dialect, Role role,
                                            std::chrono::nanoseconds time, bool multipv);

/// "eval ...", all figures for the player on turn or about to roll. `outcomes` are the shares of
/// the ways to end, `values` what each is worth. In games with ends worth more than 1 their
/// chances are among the figures.
std::string eval_line(double value, std::span<const float> outcomes, std::span<const float> values);

}  // namespace senet::protocol
