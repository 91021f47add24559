// Where one HTTP request ends in the bytes of a connection, and whether it may come in.
//
// What goes on to cpp-httplib is written anew from what was understood here: the request line and
// the few headers that matter. So nobody reads a request's length in two ways, and ranges,
// encodings and multipart bodies cannot come in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http_error.hpp"

namespace game_server {

struct FrameLimits {
  std::size_t head = 8192;   // bytes of request line and headers
  std::size_t target = 512;  // of the path with its query
  std::size_t body = 4096;
};

/// A request that has arrived as a whole.
struct Frame {
  std::size_t size = 0;  // bytes of the connection that it takes
  std::string request;   // for cpp-httplib
  bool keep_alive = true;
};

/// The request at the beginning of `received`, or none while part of it is missing. Throws a
/// Refusal as soon as it cannot become one that is served.
std::optional<Frame> read_frame(std::string_view received, const FrameLimits& limits);

}  // namespace game_server
