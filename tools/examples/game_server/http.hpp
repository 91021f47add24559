// Parses the requests that this server accepts, refuses all others, and builds answers. Uses
// Boost.Beast.
#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>

namespace game_server {

namespace http = boost::beast::http;
using http::field;
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

constexpr const char* kBadHeader = "a header line is not \"name: value\"";

/// Refuses control characters, so that a client with another protocol is refused at once, and
/// folded lines, which are obsolete and which Beast would join. The last line end may be partial.
inline void check_text(std::string_view lines) {
  const auto is_control = [](unsigned char c) {
    return (c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 127;
  };
  const auto breaks_line = [](char a, char b) { return (a == '\r') != (b == '\n'); };
  const auto folds = [](char a, char b) { return a == '\n' && (b == ' ' || b == '\t'); };
  require(!lines.starts_with('\n') && std::ranges::none_of(lines, is_control) &&
              std::ranges::adjacent_find(lines, breaks_line) == lines.end(),
          400, "the request head contains a control character");
  require(std::ranges::adjacent_find(lines, folds) == lines.end(), 400, kBadHeader);
}

/// Whether a Content-Length that Beast rejected is a number too large for 64 bits.
inline bool has_huge_length(const std::string& head) {
  return std::regex_search(head,
                           std::regex("\r\ncontent-length: *[0-9]{20,}(\r|$)", std::regex::icase));
}

/// Refuses requests that Beast could not parse or that this server does not accept. After a parse
/// error, `request` contains only the lines before the error.
inline void check_head(std::string_view head, const Request& request, http::error wrong) {
  require(!request.target().empty(), 400,
          "the first line of the request must be \"METHOD PATH HTTP/1.1\"");
  const std::array methods = {http::verb::get, http::verb::head, http::verb::post,
                              http::verb::delete_};
  require(std::ranges::find(methods, request.method()) != methods.end(), 405,
          "the method must be GET, HEAD, POST or DELETE");
  const auto target = request.target();
  require(target.size() <= kLongestTarget, 414, "the path is longer than ", kLongestTarget,
          " bytes");
  require(target.starts_with('/') &&
              std::ranges::all_of(target, [](char c) { return c > ' ' && c < 127; }),
          400, "the path must begin with / and contain only printable ASCII characters");

  require(
      request.count(field::transfer_encoding) == 0 && wrong != http::error::bad_transfer_encoding,
      411, "send the body with a Content-Length, without Transfer-Encoding");
  require(request.count(field::content_encoding) == 0, 415,
          "send the body without Content-Encoding");
  const bool bad_length = wrong == http::error::bad_content_length ||
                          request[field::content_length].find(',') != std::string_view::npos;
  for (const field once :
       {field::host, field::connection, field::content_type, field::content_length}) {
    const bool again = once == field::content_length && bad_length;  // Beast rejected the second
    require(request.count(once) + (again ? 1 : 0) <= 1, 400, once, " appears twice");
  }
  require(wrong != http::error::body_limit && !(bad_length && has_huge_length(std::string(head))),
          413, "the body is larger than ", kLongestBody, " bytes");
  require(!bad_length, 400, "Content-Length is not a number of bytes");
  require(wrong == http::error{}, 400, kBadHeader);
  require(request.version() == 10 || request.count(field::host) == 1, 400,
          "HTTP/1.1 needs a Host header");
}

/// The request at the beginning of `bytes`, or nothing while it is incomplete. Throws a Refusal as
/// soon as no further bytes can make it acceptable.
inline std::optional<Received> read_request(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  const std::string_view head = bytes.substr(0, end);
  require(head.size() <= kLongestHead, 431, "the request head is larger than ", kLongestHead,
          " bytes");
  check_text(bytes.substr(0, end == std::string_view::npos ? end : end + 2));
  if (end == std::string_view::npos) return std::nullopt;

  http::request_parser<http::string_body> parser;
  parser.header_limit(kLongestHead + 4);
  parser.body_limit(kLongestBody);
  parser.eager(true);  // also parses the body
  boost::system::error_code wrong;
  const std::size_t size = parser.put(boost::asio::buffer(bytes), wrong);
  check_head(head, parser.get(), static_cast<http::error>(wrong.value()));
  if (!parser.is_done()) return std::nullopt;
  return Received{parser.release(), size};
}

/// An answer with this body, marked as not cacheable.
inline Answer make_answer(int status, const char* type, std::string body) {
  Answer answer;
  answer.result(static_cast<unsigned>(status));
  answer.set(field::content_type, type);
  answer.set(field::cache_control, "no-store");
  answer.set("X-Content-Type-Options", "nosniff");
  answer.body() = std::move(body);
  answer.prepare_payload();
  return answer;
}

/// A JSON answer, marked as not cacheable. Invalid UTF-8 is replaced: a reason may quote client
/// text that was cut off within a character.
inline Answer make_answer(int status, const json& body) {
  return make_answer(status, "application/json",
                     body.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// {"error":{"status":404,"reason":"..."}}, with Retry-After for statuses 429 and 503.
inline Answer error_answer(const Refusal& refusal) {
  Answer answer = make_answer(
      refusal.status, {{"error", {{"status", refusal.status}, {"reason", refusal.reason}}}});
  if (refusal.status == 429 || refusal.status == 503) answer.set(field::retry_after, "1");
  return answer;
}

}  // namespace game_server
