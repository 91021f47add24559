// Parses the requests that this server accepts, refuses all others, and builds answers. Uses
// Boost.Beast.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace game_server {

namespace http = boost::beast::http;
using json = nlohmann::json;
using Request = http::request<http::string_body>;
using Answer = http::response<http::string_body>;

constexpr std::size_t kLongestHead = 8192;   // bytes of request line and headers
constexpr std::size_t kLongestTarget = 512;  // bytes of the path with its query
constexpr std::size_t kLongestBody = 4096;

/// A refused request: an HTTP status and one sentence for people. Thrown by the functions that
/// handle requests; error_answer() turns it into an answer.
struct Refusal {
  int status;
  std::string reason;
};

/// Unless `holds`, throws a Refusal whose reason is the concatenation of `parts`.
template <class... Parts>
void require(bool holds, int status, const Parts&... parts) {
  if (!holds) throw Refusal{status, (std::ostringstream() << ... << parts).str()};
}

/// A complete request.
struct Received {
  Request request;
  std::size_t size;  // bytes it occupies in the input
};

/// The request at the beginning of `bytes`, or nothing while it is incomplete. Throws a Refusal as
/// soon as no further bytes can make it acceptable.
std::optional<Received> read_request(std::string_view bytes);

/// An answer with this body, marked as not cacheable.
Answer make_answer(int status, const char* type, std::string body);
/// A JSON answer, marked as not cacheable. Invalid UTF-8 is replaced.
Answer make_answer(int status, const json& body);

/// {"error":{"status":404,"reason":"..."}}, with Retry-After for statuses 429 and 503.
Answer error_answer(const Refusal& refusal);

}  // namespace game_server
