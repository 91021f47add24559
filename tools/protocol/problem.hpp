// What a line of the protocol can be wrong about: a code for programs, a text for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "games/result.hpp"

namespace senet::protocol {

/// The codes of "error <code> <text>". The first five are UBGI's.
enum class Code : std::uint8_t {
  kUnknownCommand,
  kBadArgument,         // a word that does not belong there, a number out of range
  kMissingContext,      // what the command needs has not been told yet, e.g. the dice
  kUnsupportedFeature,  // understood, and not done here
  kSearchInProgress,    // refused while a search without limits runs
  kIllegalPosition,
  kIllegalMove,
  kGameOver,
  kStopped,   // perft or bench ended by stop, without a result
  kInternal,  // no fault of the line: out of memory
};

/// "unknown_command", "bad_argument", ...
std::string_view code_name(Code code);

/// One refused line.
struct Problem {
  Code code;
  std::string text;
};

/// A value, or why the line is refused.
template <class T>
using Answer = tl::expected<T, Problem>;

/// Shorthands for returning a refusal.
inline tl::unexpected<Problem> refuse(Code code, std::string text) {
  return tl::unexpected<Problem>(Problem{code, std::move(text)});
}
inline tl::unexpected<Problem> refuse(Code code, Error error) {
  return refuse(code, std::move(error.reason));
}

}  // namespace senet::protocol
