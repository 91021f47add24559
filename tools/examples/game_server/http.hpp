// Requests as this server accepts them, how others are refused, and answers as it gives them.
// Boost.Beast parses and writes both.
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
constexpr std::size_t kLongestTarget = 512;  // of the path with its query
constexpr std::size_t kLongestBody = 4096;

/// How a request is refused: an HTTP status and one sentence for a person. Thrown by the functions
/// that handle requests; error_answer() turns it into an answer.
struct Refusal {
  int status;
  std::string reason;
};

/// Throws a Refusal whose reason is all `parts` one behind the other.
template <class... Parts>
void require(bool holds, int status, const Parts&... parts) {
  if (!holds) throw Refusal{status, (std::ostringstream() << ... << parts).str()};
}

/// A request that has arrived as a whole.
struct Received {
  Request request;
  std::size_t size;  // bytes of the connection that it takes
};

/// The request at the beginning of `bytes`, or none while part of it is missing. Throws a Refusal
/// as soon as no further bytes can make it a request that is served.
std::optional<Received> read_request(std::string_view bytes);

/// An answer with this body, which no cache keeps.
Answer make_answer(int status, const char* type, std::string body);
/// The same with JSON. What is no UTF-8 in it is replaced.
Answer make_answer(int status, const json& body);

/// {"error":{"status":404,"reason":"..."}}, with Retry-After where it helps to come back.
Answer error_answer(const Refusal& refusal);

}  // namespace game_server
