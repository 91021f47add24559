// A running senet program with lines to its stdin and from its stdout.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

namespace senet {

/// The constructor starts the program; the destructor closes its input and waits for its end.
class Conversation {
 public:
  /// Runs `senet <arguments>`.
  explicit Conversation(std::vector<std::string> arguments) {
    int input[2], output[2];
    if (::pipe(input) != 0 || ::pipe(output) != 0) {
      ADD_FAILURE() << "no pipe";
      return;
    }
    arguments.insert(arguments.begin(), SENET_PROGRAM);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(input[0], STDIN_FILENO);
      ::dup2(output[1], STDOUT_FILENO);
      for (const int end : {input[0], input[1], output[0], output[1]}) ::close(end);
      ::execv(SENET_PROGRAM, words.data());
      ::_exit(127);
    }
    EXPECT_GT(child_, 0);
    ::close(input[0]);
    ::close(output[1]);
    input_ = input[1];
    output_ = ::fdopen(output[0], "r");
  }
  ~Conversation() {
    wait();
    if (output_ != nullptr) std::fclose(output_);
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void send(const std::string& text) const {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t size = ::write(input_, text.data() + sent, text.size() - sent);
      ASSERT_GT(size, 0);
      sent += static_cast<std::size_t>(size);
    }
  }
  void end_input() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
  }

  /// The next line, without its line end; "" at the end of output.
  std::string line() const {
    std::string line;
    for (int c; (c = std::fgetc(output_)) != EOF && c != '\n';) line += static_cast<char>(c);
    return line;
  }
  /// Lines up to and including the first that begins with `start`; all lines if there is none.
  std::vector<std::string> until(const std::string& start) const {
    std::vector<std::string> lines;
    do {
      lines.push_back(line());
    } while (!lines.back().empty() && !lines.back().starts_with(start));
    EXPECT_TRUE(lines.back().starts_with(start)) << "the program ended without " << start;
    return lines;
  }
  std::vector<std::string> rest() const {
    std::vector<std::string> lines;
    for (std::string next = line(); !next.empty(); next = line()) lines.push_back(next);
    return lines;
  }

  /// Closes its input and waits for its end. Returns the exit code, or 128 + the signal.
  int wait() {
    end_input();
    if (child_ > 0) ::waitpid(child_, &status_, 0);
    child_ = 0;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

 private:
  pid_t child_ = 0;
  int input_ = -1;
  std::FILE* output_ = nullptr;
  int status_ = 0;
};

}  // namespace senet
