// Errors are values: every function that can fail says so in its return type.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace senet {

/// Why something failed, in one sentence for a person: names what was wrong and where.
struct Error {
  std::string reason;
};

/// A value, or the reason there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for returning a failure from a function that returns Result<T>.
inline tl::unexpected<Error> fail(std::string reason) {
  return tl::unexpected<Error>(Error{std::move(reason)});
}

}  // namespace senet
