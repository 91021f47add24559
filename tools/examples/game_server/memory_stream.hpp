// A request that has arrived and the answer that is being made of it, as cpp-httplib's stream.
#pragma once

#include <httplib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace game_server {

class MemoryStream final : public httplib::Stream {
 public:
  /// `request` and `client` stay where they are.
  MemoryStream(std::string_view request, const std::string& client)
      : request_(request), client_(client) {}
  std::string take_answer() { return std::move(answer_); }

  bool is_readable() const override { return !request_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t room) override {
    const std::size_t size = std::min(room, request_.size());
    std::memcpy(to, request_.data(), size);
    request_.remove_prefix(size);
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char* bytes, std::size_t size) override {
    answer_.append(bytes, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& address, int&) const override { address = client_; }
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return -1; }

 private:
  std::string_view request_;
  const std::string& client_;
  std::string answer_;
};

}  // namespace game_server
