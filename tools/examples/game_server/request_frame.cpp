#include "request_frame.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace game_server {
namespace {

bool is_token(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Cuts the text up to `separator` off the front of `rest`.
std::string_view take_until(std::string_view& rest, std::string_view separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(rest.size(), part.size() + separator.size()));
  return part;
}

void check_request_line(std::string_view line, const FrameLimits& limits, bool& keep_alive) {
  std::string_view rest = line;
  const std::string_view method = take_until(rest, " "), target = take_until(rest, " ");
  constexpr std::array<std::string_view, 4> kMethods = {"GET", "HEAD", "POST", "DELETE"};
  if (rest != "HTTP/1.1" && rest != "HTTP/1.0") {
    throw Refusal{400, "expected \"METHOD PATH HTTP/1.1\" as the request's first line"};
  }
  keep_alive = rest == "HTTP/1.1";
  if (std::ranges::find(kMethods, method) == kMethods.end()) {
    throw Refusal{405, "the methods here are GET, HEAD, POST and DELETE"};
  }
  if (target.size() > limits.target) {
    throw Refusal{414, "the path is longer than " + std::to_string(limits.target) + " bytes"};
  }
  const bool printable = std::ranges::all_of(target, [](char c) { return c > ' ' && c < 127; });
  if (!target.starts_with('/') || !printable) {
    throw Refusal{400, "a path begins with / and has printable ASCII characters only"};
  }
}

std::size_t read_length(std::string_view value, const FrameLimits& limits) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (error == std::errc::result_out_of_range) length = limits.body + 1;
  if (value.empty() || end != value.data() + value.size() || error == std::errc::invalid_argument) {
    throw Refusal{400, "Content-Length is not a number of bytes"};
  }
  if (length > limits.body) {
    throw Refusal{413, "the body is larger than " + std::to_string(limits.body) + " bytes"};
  }
  return length;
}

/// The headers that matter, each at most once.
struct Headers {
  std::optional<std::string_view> host, connection, content_type, content_length;

  void read(std::string_view line) {
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    if (colon == std::string_view::npos || name.empty() || !std::ranges::all_of(name, is_token)) {
      throw Refusal{400, "a header line is not \"name: value\""};
    }
    const std::string_view value = trimmed(line.substr(colon + 1));
    keep(host, "Host", name, value);
    keep(connection, "Connection", name, value);
    keep(content_type, "Content-Type", name, value);
    keep(content_length, "Content-Length", name, value);
    if (equal_in_any_case(name, "Transfer-Encoding")) {
      throw Refusal{411, "send the body in one piece with its Content-Length"};
    }
    if (equal_in_any_case(name, "Content-Encoding")) {
      throw Refusal{415, "send the body as it is, without Content-Encoding"};
    }
  }

 private:
  static void keep(std::optional<std::string_view>& to, std::string_view wanted,
                   std::string_view name, std::string_view value) {
    if (!equal_in_any_case(name, wanted)) return;
    if (to) throw Refusal{400, std::string(wanted) + " is there twice"};
    to = value;
  }
};

/// Text protocols have no control characters: those who speak another one need not be waited for.
/// The last line of a head that is not complete may end within its line end.
void check_characters(std::string_view head, bool is_complete) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto c = static_cast<unsigned char>(head[i]);
    const bool line_end =
        (c == '\r' && (i + 1 == head.size() ? !is_complete : head[i + 1] == '\n')) ||
        (c == '\n' && i > 0 && head[i - 1] == '\r');
    if ((c < ' ' && c != '\t' && !line_end) || c == 127) {
      throw Refusal{400, "a request's head has a control character"};
    }
  }
}

}  // namespace

std::optional<Frame> read_frame(std::string_view received, const FrameLimits& limits) {
  const std::size_t head_size = received.find("\r\n\r\n");
  const std::string_view head = received.substr(0, head_size);
  if (head.size() > limits.head) {
    throw Refusal{431, "the head is larger than " + std::to_string(limits.head) + " bytes"};
  }
  check_characters(head, head_size != std::string_view::npos);
  if (head_size == std::string_view::npos) return std::nullopt;

  Frame frame;
  std::string_view rest = head;
  const std::string_view line = take_until(rest, "\r\n");
  check_request_line(line, limits, frame.keep_alive);
  Headers headers;
  while (!rest.empty()) headers.read(take_until(rest, "\r\n"));
  if (!headers.host && frame.keep_alive) throw Refusal{400, "HTTP/1.1 needs a Host header"};
  if (headers.connection) {
    frame.keep_alive = frame.keep_alive ? !equal_in_any_case(*headers.connection, "close")
                                        : equal_in_any_case(*headers.connection, "keep-alive");
  }
  const std::size_t length =
      headers.content_length ? read_length(*headers.content_length, limits) : 0;
  frame.size = head.size() + 4 + length;
  if (received.size() < frame.size) return std::nullopt;

  frame.request.append(line).append("\r\nHost: ").append(headers.host.value_or("")).append("\r\n");
  frame.request.append(frame.keep_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n");
  if (headers.content_type) {
    frame.request.append("Content-Type: ").append(*headers.content_type).append("\r\n");
  }
  frame.request.append("Content-Length: ").append(std::to_string(length)).append("\r\n\r\n");
  frame.request.append(received.substr(head.size() + 4, length));
  return frame;
}

}  // namespace game_server
