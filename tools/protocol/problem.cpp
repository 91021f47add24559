#include "tools/protocol/problem.hpp"

namespace senet::protocol {

std::string_view code_name(senet_status status) {
  switch (static_cast<Code>(status)) {
    case Code::kUnknownCommand:
      return "unknown_command";
    case Code::kBadArgument:
      return "bad_argument";
    case Code::kMissingContext:
      return "missing_context";
    case Code::kUnsupportedFeature:
      return "unsupported_feature";
    case Code::kSearchInProgress:
      return "search_in_progress";
    case Code::kIllegalPosition:
      return "illegal_position";
    case Code::kIllegalMove:
      return "illegal_move";
    case Code::kGameOver:
      return "game_over";
    case Code::kStopped:
      return "stopped";
    case Code::kInternal:
      return "internal";
  }
  return status == SENET_INTERNAL || status == SENET_NO_MEMORY ? "internal" : "bad_argument";
}

}  // namespace senet::protocol
