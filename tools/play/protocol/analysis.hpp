// Requests and answers of `senet analyse`, one JSON object a line (docs/analysis.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/host/service.hpp"
#include "engine/host/session.hpp"
#include "games/any_game.hpp"
#include "senet/result.hpp"

namespace senet::protocol {

/// Keeps the keys in the order in which they are written.
using Json = nlohmann::ordered_json;

/// JSON on one line, in ASCII; what is not UTF-8 becomes U+FFFD.
std::string line_of(const Json& json);

/// One position to search.
struct Analysis {
  Json id;           // a string or a number; null if the request has none
  std::size_t line;  // number of the request
  std::size_t turn;  // moves played before it
  AnyState position;
  SessionLimits limits;
};

/// What a line asks for: analyses of the positions of one game, at least one, or the end of others.
struct AnalysisRequest {
  Json id, cancelled;              // null if the request does not name it
  std::vector<Analysis> analyses;  // empty if it cancels
};

/// Reads a line. `visits`: of an analysis that names none, and the most that one may name. On
/// failure `request` still has the id, if the line has a legal one.
Result<void> read_analysis_request(std::string_view line, std::size_t line_number,
                                   const AnyGame& game, std::uint32_t visits,
                                   AnalysisRequest& request);

/// The line for a result, or, if `is_partial`, for what an analysis has found so far.
std::string analysis_text(const Analysis& analysis, const SessionResult& result, bool is_partial);
/// The line for an analysis that ended before it began.
std::string cancelled_text(const Analysis& analysis);
/// The line for a request that was refused.
std::string refusal_text(const Json& id, std::size_t line_number, std::string_view reason);
/// The line for an analysis of an accepted request that failed.
std::string failure_text(const Analysis& analysis, std::string_view reason);

}  // namespace senet::protocol
