// Runs the senet program in the background, with signals or a limited file size.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/temporary_folder.hpp"
#include "tests/tools/program.hpp"

namespace senet {

/// The constructor starts the program; the destructor kills it if it still runs.
class BackgroundProgram {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  /// Runs `senet <arguments>`. Limits the size of written files to `file_size_limit` bytes (0: no
  /// limit). Sets the variables of `environment`.
  explicit BackgroundProgram(std::vector<std::string> arguments, std::uint64_t file_size_limit = 0,
                             const Environment& environment = {})
      : err_(folder_ / "err") {
    arguments.insert(arguments.begin(), SENET_PROGRAM);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
      const int nothing = ::open("/dev/null", O_RDWR);
      const int err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(nothing, STDIN_FILENO);
      ::dup2(nothing, STDOUT_FILENO);
      ::dup2(err, STDERR_FILENO);
      if (file_size_limit > 0) {
        const rlimit limit{file_size_limit, file_size_limit};
        ::setrlimit(RLIMIT_FSIZE, &limit);
      }
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      ::execv(SENET_PROGRAM, words.data());
      ::_exit(127);
    }
    EXPECT_GT(child_, 0);
  }
  ~BackgroundProgram() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  /// Sends a signal. The program must be running (kill() with process 0 would signal our own
  /// group).
  void send(int signal) const {
    ASSERT_GT(child_, 0) << "has ended: " << err();
    ::kill(child_, signal);
  }

  pid_t process() const { return child_; }

  bool running() {
    if (child_ > 0 && ::waitpid(child_, &status_, WNOHANG) == child_) child_ = 0;
    return child_ > 0;
  }

  /// Waits for its end. Returns the exit code, or 128 + the signal.
  int wait() {
    if (child_ > 0) ::waitpid(child_, &status_, 0);
    child_ = 0;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

  /// As wait(), but for at most so many seconds; then there is no exit code.
  std::optional<int> wait_for(unsigned seconds) {
    for (unsigned i = 0; i < seconds * 500 && running(); ++i) ::usleep(2000);
    if (running()) return std::nullopt;
    return wait();
  }

  /// Its stderr so far.
  std::string err() const { return text_of(err_); }

 private:
  const TemporaryFolder folder_;
  const std::filesystem::path err_;
  pid_t child_ = 0;
  int status_ = 0;
};

}  // namespace senet
