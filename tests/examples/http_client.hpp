// An HTTP client for tests that sends exactly the given bytes.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace senet {

struct HttpAnswer {
  int status = 0;                              // 0: the connection ended without an answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
  /// The reason of an error answer.
  std::string reason() const {
    const auto told = json();
    if (!told.is_object() || !told.contains("error")) return "no JSON error: " + body;
    EXPECT_EQ(told["error"].value("status", 0), status) << body;
    return told["error"].value("reason", "");
  }
};

/// A complete request with a JSON body.
inline std::string request(const std::string& method, const std::string& path,
                           const std::string& body = "") {
  std::string text = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n";
  if (!body.empty()) text += "Content-Type: application/json\r\n";
  return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class HttpConnection {
 public:
  explicit HttpConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval limit{60, 0};  // so that a broken server does not hang a test
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~HttpConnection() { ::close(socket_); }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// False if the server has closed the connection.
  bool send(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  /// Waits for the next answer.
  HttpAnswer receive() {
    HttpAnswer answer;
    while (received_.find("\r\n\r\n") == std::string::npos) {
      if (!receive_some()) return answer;
    }
    const std::size_t head = received_.find("\r\n\r\n");
    answer.status = std::atoi(received_.c_str() + received_.find(' '));
    std::size_t line = received_.find("\r\n") + 2;
    while (line < head) {
      const std::size_t end = received_.find("\r\n", line), colon = received_.find(": ", line);
      std::string name = received_.substr(line, colon - line);
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
      answer.headers[name] = received_.substr(colon + 2, end - colon - 2);
      line = end + 2;
    }
    const std::size_t size = std::stoul("0" + answer.headers["content-length"]);
    while (received_.size() < head + 4 + size && receive_some()) continue;
    answer.body = received_.substr(head + 4, size);
    received_.erase(0, head + 4 + size);
    return answer;
  }

  /// Waits for the end of the connection: true if the server sent no further byte.
  bool ends() { return received_.empty() && !receive_some(); }

 private:
  bool receive_some() {
    char bytes[16384];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  const int socket_;
  std::string received_;
};

}  // namespace senet
