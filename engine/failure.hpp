// What can go wrong between a host and the service: a kind that programs read and a reason for
// people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace senet {

/// Kinds of failure. The numbers are those of senet_status (engine/include/senet/senet.h) and never
/// change.
enum class Status : std::uint8_t {
  kOk = 0,
  kBadArgument = 1,     // a value that makes no sense
  kBadState = 2,        // not now: nothing was searched yet, the game is over, no weights are there
  kBadAction = 3,       // not a legal action here
  kUnknownGame = 4,     // no game of that name
  kNoFile = 10,         // a file cannot be read
  kBadModel = 11,       // bytes that are no weights
  kModelMismatch = 12,  // weights of another game, or of another shape than those in use
  kNoMemory = 20,       // the memory bound would be exceeded
  kNoSlot = 21,         // as many sessions are open as may be
  kBusy = 30,           // the session searches
  kTimeout = 31,        // still searching when the wait was over
  kStopped = 32,        // the engine is being closed
  kNoRoom = 33,         // a buffer of the caller is too small
  kInternal = 99,       // our own error
};

struct Failure {
  Status status;
  std::string reason;
};

/// A value, or what went wrong.
template <class T>
using Outcome = tl::expected<T, Failure>;

inline tl::unexpected<Failure> refuse(Status status, std::string reason) {
  return tl::unexpected<Failure>(Failure{status, std::move(reason)});
}

}  // namespace senet
