// Runs the example server as a child process of a test, on its own port.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/examples/http_client.hpp"

namespace senet {

/// The constructor returns when the server is ready. The destructor kills the server if it is still
/// running.
class RunningServer {
 public:
  explicit RunningServer(std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {SENET_PROGRAM, "--port", "0"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    int out[2];
    EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    ::close(out[1]);
    out_ = ::fdopen(out[0], "r");
    hello_ = read_line() + read_line();
    const std::size_t colon = hello_.find("127.0.0.1:");
    if (colon != std::string::npos) port_ = std::atoi(hello_.c_str() + colon + 10);
    EXPECT_GT(port_, 0) << hello_;
  }
  ~RunningServer() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    std::fclose(out_);
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  int port() const { return port_; }
  /// The first two lines of its output.
  const std::string& hello() const { return hello_; }
  void send(int signal) const { ::kill(child_, signal); }
  /// Waits until it exits: the exit code, or 128 + the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// Sends one request on a new connection.
  HttpAnswer ask(const std::string& method, const std::string& path, const std::string& body = "") {
    HttpConnection connection(port_);
    connection.send(request(method, path, body));
    return connection.receive();
  }
  HttpAnswer get(const std::string& path) { return ask("GET", path); }
  HttpAnswer post(const std::string& path, const nlohmann::json& body) {
    return ask("POST", path, body.dump());
  }
  /// A figure of /api/metrics.
  double metric(const char* group, const char* name) {
    return get("/api/metrics").json()[group][name].get<double>();
  }
  /// Opens a game and returns its path.
  std::string open_game(const std::string& game) {
    const HttpAnswer opened = post("/api/games", {{"game", game}});
    EXPECT_EQ(opened.status, 201) << opened.body;
    return "/api/games/" + opened.json().value("id", "");
  }

 private:
  std::string read_line() {
    char line[512] = "";
    return std::fgets(line, sizeof line, out_) == nullptr ? "" : line;
  }

  pid_t child_ = 0;
  std::FILE* out_ = nullptr;
  std::string hello_;
  int port_ = 0;
};

}  // namespace senet
