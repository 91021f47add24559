#include "http.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <cctype>

namespace game_server {
namespace {

using http::error;
using http::field;

constexpr const char* kBadHeader = "a header line is not \"name: value\"";

/// Refuses control characters, so that a client with another protocol is refused at once. Refuses
/// folded lines, which are obsolete and which Beast would join. The last line end may be partial.
void check_text(std::string_view lines) {
  char last = 0;
  for (std::size_t i = 0; i < lines.size(); last = lines[i++]) {
    const auto c = static_cast<unsigned char>(lines[i]);
    const bool ends_line =
        c == '\r' ? i + 1 == lines.size() || lines[i + 1] == '\n' : c == '\n' && last == '\r';
    require((c >= ' ' && c != 127) || c == '\t' || ends_line, 400,
            "the request head contains a control character");
    require(last != '\n' || (c != ' ' && c != '\t'), 400, kBadHeader);
  }
}

/// Whether a Content-Length that Beast rejected is a number too large for 64 bits.
bool has_huge_length(std::string_view head) {
  constexpr std::string_view kName = "\r\ncontent-length:";
  const auto lower = [](unsigned char c) { return static_cast<char>(std::tolower(c)); };
  const auto name = std::ranges::search(head, kName, {}, lower);
  const auto end = std::find_if(name.end(), head.end(),
                                [](unsigned char c) { return c != ' ' && std::isdigit(c) == 0; });
  return end - name.end() > 19 && (end == head.end() || *end == '\r');
}

/// Refuses requests that Beast could not parse or that this server does not accept. After a parse
/// error, `request` contains only the lines before the error.
void check_head(std::string_view head, const Request& request, error wrong) {
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

  require(request.count(field::transfer_encoding) == 0 && wrong != error::bad_transfer_encoding,
          411, "send the body with a Content-Length, without Transfer-Encoding");
  require(request.count(field::content_encoding) == 0, 415,
          "send the body without Content-Encoding");
  const bool bad_length = wrong == error::bad_content_length ||
                          request[field::content_length].find(',') != std::string_view::npos;
  for (const field once :
       {field::host, field::connection, field::content_type, field::content_length}) {
    const bool again = once == field::content_length && bad_length;  // Beast rejected the second
    require(request.count(once) + (again ? 1 : 0) <= 1, 400, once, " appears twice");
  }
  require(wrong != error::body_limit && !(bad_length && has_huge_length(head)), 413,
          "the body is larger than ", kLongestBody, " bytes");
  require(!bad_length, 400, "Content-Length is not a number of bytes");
  require(wrong == error{}, 400, kBadHeader);
  require(request.version() == 10 || request.count(field::host) == 1, 400,
          "HTTP/1.1 needs a Host header");
}

}  // namespace

std::optional<Received> read_request(std::string_view bytes) {
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
  check_head(head, parser.get(), static_cast<error>(wrong.value()));
  if (!parser.is_done()) return std::nullopt;
  return Received{parser.release(), size};
}

Answer make_answer(int status, const char* type, std::string body) {
  Answer answer;
  answer.result(static_cast<unsigned>(status));
  answer.set(field::content_type, type);
  answer.set(field::cache_control, "no-store");
  answer.set("X-Content-Type-Options", "nosniff");
  answer.body() = std::move(body);
  answer.prepare_payload();
  return answer;
}

Answer make_answer(int status, const json& body) {
  // A reason may quote client text that was cut off within a UTF-8 character.
  return make_answer(status, "application/json",
                     body.dump(-1, ' ', false, json::error_handler_t::replace));
}

Answer error_answer(const Refusal& refusal) {
  Answer answer = make_answer(
      refusal.status, {{"error", {{"status", refusal.status}, {"reason", refusal.reason}}}});
  if (refusal.status == 429 || refusal.status == 503) answer.set(field::retry_after, "1");
  return answer;
}

}  // namespace game_server
