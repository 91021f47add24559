#include "http_error.hpp"

#include <nlohmann/json.hpp>

namespace game_server {

std::string error_body(const Refusal& refusal) {
  const nlohmann::json body = {{"error", {{"status", refusal.status}, {"reason", refusal.reason}}}};
  // A reason may quote the client, cut off within a letter.
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string error_answer(const Refusal& refusal) {
  const std::string body = error_body(refusal);
  std::string answer = "HTTP/1.1 " + std::to_string(refusal.status) + ' ' +
                       status_text(refusal.status) +
                       "\r\nContent-Type: application/json\r\nConnection: close\r\n";
  if (const int seconds = retry_after(refusal.status); seconds > 0) {
    answer += "Retry-After: " + std::to_string(seconds) + "\r\n";
  }
  return answer + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

const char* status_text(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

int retry_after(int status) { return status == 429 || status == 503 ? 1 : 0; }

}  // namespace game_server
