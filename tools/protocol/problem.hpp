// What a line of the protocol can be wrong about: the code in front of an error's text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "senet/result.hpp"

namespace senet::protocol {

/// The codes of "error <code> <text>". The first five are UBGI's. Errors of a line carry them as
/// their status, beside the library's own.
enum class Code : std::int32_t {
  kUnknownCommand = 1000,
  kBadArgument,         // a word that does not belong there, a number out of range
  kMissingContext,      // what the command needs is not known yet, e.g. the dice
  kUnsupportedFeature,  // understood, and not done here
  kSearchInProgress,    // refused while a search without limits runs
  kIllegalPosition,
  kIllegalMove,
  kGameOver,
  kStopped,   // perft or bench ended by stop, without a result
  kInternal,  // no fault of the line: out of memory
};

/// "unknown_command", "bad_argument", ... of an error's status, which need not be a Code.
std::string_view code_name(senet_status status);

/// Shorthands for returning a refusal.
inline Error refuse(Code code, std::string text) {
  return {static_cast<senet_status>(code), std::move(text)};
}
inline Error refuse(Code code, const Error& error) { return refuse(code, error.reason()); }

}  // namespace senet::protocol
