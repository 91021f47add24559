// senet selfplay as a daemon: started in the background, looked at, stopped, supervised; its log.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <regex>
#include <sstream>

#include "tests/tools/background_program.hpp"
#include "tests/tools/run/tiny_run.hpp"
#include "tools/run/daemon.hpp"

namespace senet {
namespace {

class Daemon : public TinyRun {
 protected:
  void TearDown() override {
    run_senet({"stop", run().string()});
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }

  /// Starts a daemon and returns its process id.
  pid_t detach(const Arguments& arguments) const {
    const ProgramRun started = run_senet(with(arguments, {"--detach"}));
    EXPECT_EQ(started.exit_code, 0) << started.err;
    std::smatch found;
    const std::regex line("process ([0-9]+) plays in the background\nits messages are in .*log\n");
    EXPECT_TRUE(std::regex_search(started.err, found, line)) << started.err;
    return found.empty() ? 0 : std::stoi(found[1]);
  }
  ProgramRun status(const Arguments& more = {}) const {
    return run_senet(with({"status", run().string()}, more));
  }
  /// Whether the status has this word within a minute.
  testing::AssertionResult becomes(const std::string& word) const {
    std::string seen;
    for (int i = 0; i < 600; ++i) {
      seen = status().out;
      if (seen.find("  " + word) != std::string::npos) return testing::AssertionSuccess();
      ::usleep(100'000);
    }
    return testing::AssertionFailure() << seen;
  }
  ProgramRun stop(const Arguments& more = {}) const {
    return run_senet(with({"stop", run().string()}, more));
  }
  std::string log() const { return text_of(run() / "selfplay.log"); }
  /// A process that does nothing.
  pid_t idle_process() {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) ::pause();
    }
    children_.push_back(child);
    return child;
  }

 private:
  std::vector<pid_t> children_;
};

bool is_alive(pid_t child) { return ::waitpid(child, nullptr, WNOHANG) == 0; }

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST_F(Daemon, StartsIsSeenAndStops) {
  const pid_t process = detach(tiny({}));
  ASSERT_GT(process, 0);
  EXPECT_EQ(::getsid(process), process) << "has a terminal's session";
  ASSERT_TRUE(becomes("playing"));
  const ProgramRun shown = status({"--json"});
  EXPECT_EQ(shown.exit_code, 0) << shown.out;
  const auto json = nlohmann::json::parse(shown.out, nullptr, false);
  EXPECT_EQ(json.value("state", ""), "playing") << shown.out;
  EXPECT_EQ(json.value("pid", 0), process);
  EXPECT_EQ(json.value("game", ""), "tic_tac_toe");

  // Another daemon is refused, in the foreground.
  const ProgramRun second = run_senet(resume({"--detach"}));
  expect_failure(second, 2, "selfplay", "is in use by process " + std::to_string(process));

  const ProgramRun stopped = stop();
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_TRUE(stopped.out.starts_with(run().string() + ": process " + std::to_string(process) +
                                      " ended after "))
      << stopped.out;
  const ProgramRun ended = status();
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_NE(ended.out.find("  ended "), std::string::npos) << ended.out;
  const ProgramRun again = stop();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.out, run().string() + ": no process plays it\n");

  // Without --resume it continues, with the changed setting.
  const std::uint64_t games = checkpoint().games;
  EXPECT_GT(games, 0u);
  ASSERT_GT(detach({"selfplay", "--run", run().string(), "--visits", "9", "--lanes", "8"}), 0);
  EXPECT_EQ(stop({}).exit_code, 0);
  EXPECT_GE(checkpoint().games, games);
  EXPECT_NE(log().find(" setting visits: 8 -> 9\n"), std::string::npos) << log();
  EXPECT_EQ(log().find("lanes: "), std::string::npos) << log();
  const auto changes = json_lines(text_of(run() / "changes.jsonl"));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0]["setting"], "visits");
  EXPECT_EQ(changes[0]["old"], "8");
  EXPECT_EQ(changes[0]["new"], "9");
  EXPECT_EQ(changes[0]["games"], games);
  EXPECT_GT(changes[0]["time"], 1.7e9);
  const std::regex stamped("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} .*");
  std::istringstream lines(log());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(std::regex_match(line, stamped)) << line;
  }
}

TEST_F(Daemon, FailuresAtTheStartAreReportedByTheParent) {
  const std::string nowhere = folder_ / "nowhere.safetensors";
  expect_failure(run_senet(tiny({"--detach", "--weights", nowhere})), 2, "selfplay",
                 "--weights: " + nowhere);
  std::filesystem::create_directories(run() / "selfplay.log");
  expect_failure(run_senet(tiny({"--detach"})), 1, "selfplay", "selfplay.log: cannot open");
}

TEST_F(Daemon, AKilledOrStoppedProcessIsSeen) {
  const pid_t process = detach(tiny({}));
  ASSERT_GT(process, 0);
  ASSERT_TRUE(becomes("playing"));
  ::kill(process, SIGSTOP);
  EXPECT_TRUE(becomes("STUCK"));
  EXPECT_EQ(status().exit_code, 3);
  expect_failure(stop({"--timeout", "0.2"}), 1, "stop",
                 "process " + std::to_string(process) + " has not ended after 0.2 s");
  ::kill(process, SIGKILL);
  EXPECT_TRUE(becomes("DEAD"));
}

// Without it the daemon could not be found.
TEST_F(Daemon, TakesItsLockAgainWhenItWasRemoved) {
  ASSERT_GT(detach(tiny({})), 0);
  ASSERT_TRUE(becomes("playing"));
  ASSERT_TRUE(std::filesystem::remove(run() / "lock"));
  for (int i = 0; i < 600 && !std::filesystem::exists(run() / "lock"); ++i) ::usleep(100'000);
  EXPECT_TRUE(becomes("playing"));
  const ProgramRun stopped = stop();
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_NE(stopped.out.find(" ended after "), std::string::npos) << stopped.out;
}

TEST_F(Daemon, AProcessWithAReusedIdIsNeverSignalled) {
  const ProgramRun played = run_senet(tiny({"--games", "3"}));
  ASSERT_EQ(played.exit_code, 0) << played.err;
  const pid_t other = idle_process();
  write_text(run() / "lock", std::to_string(other) + "\n");
  const ProgramRun free = stop();
  EXPECT_EQ(free.exit_code, 0) << free.err;
  EXPECT_EQ(free.out, run().string() + ": no process plays it\n");
  EXPECT_TRUE(is_alive(other));
  // The lock is held, but not by that process.
  const int lock = ::open((run() / "lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  expect_failure(stop({}), 1, "stop", "cannot be signalled from here");
  EXPECT_TRUE(is_alive(other));
  EXPECT_EQ(status().out.find("pid"), std::string::npos) << status().out;
  ::close(lock);
  expect_failure(run_senet({"stop", (folder_ / "nowhere").string()}), 1, "stop",
                 "no folder of a run");
}

/// The receiving end of $NOTIFY_SOCKET.
class FakeManager {
 public:
  explicit FakeManager(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const timeval most{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address),
                     static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())),
              0);
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    ::setenv("WATCHDOG_USEC", "400000", 1);
  }
  ~FakeManager() {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
    ::close(socket_);
  }

  /// The next message that begins so; "" if none comes.
  std::string next(std::string_view begin) const {
    char bytes[1024];
    for (int i = 0; i < 1000; ++i) {
      const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
      if (size <= 0) return "";
      const std::string message(bytes, static_cast<std::size_t>(size));
      if (message.starts_with(begin)) return message;
    }
    return "";
  }

 private:
  int socket_ = -1;
};

TEST_F(Daemon, ReportsToTheServiceManager) {
  for (const std::string& name :
       {(folder_ / "notify").string(), "@senet-test-" + std::to_string(::getpid())}) {
    const FakeManager manager(name);
    BackgroundProgram program(name[0] == '@' ? resume() : tiny({}));
    const std::string ready = manager.next("READY=1\n");
    EXPECT_NE(ready.find("\nSTATUS=00:00"), std::string::npos) << ready;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(manager.next("WATCHDOG="), "WATCHDOG=1");
    program.send(SIGTERM);
    EXPECT_NE(manager.next("STOPPING=1\n"), "");
    EXPECT_EQ(program.wait(), 0) << program.err();
  }
}

// $WATCHDOG_PID is of another process: the time limit is not ours.
TEST_F(Daemon, LeavesTheWatchdogOfOthersAlone) {
  ::setenv("WATCHDOG_PID", "1", 1);
  {
    const FakeManager fake((folder_ / "notify").string());
    ServiceManager manager;
    manager.keep_alive(0);
    manager.send("STATUS=alone");
    EXPECT_EQ(fake.next(""), "STATUS=alone");
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
    ServiceManager own;
    own.keep_alive(0.5);  // stuck for longer than the limit
    own.send("STATUS=stuck");
    EXPECT_EQ(fake.next(""), "STATUS=stuck");
    own.keep_alive(0.3);
    EXPECT_EQ(fake.next(""), "WATCHDOG=1");
  }
  ::unsetenv("WATCHDOG_PID");
}

TEST(RotatedLog, KeepsTheNewestFiles) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "log";
  const auto text = [&](int number) {
    return text_of(file.string() + "." + std::to_string(number));
  };
  for (int part = 0; part < 2; ++part) {
    auto log = RotatedLog::open(file, 200, 2);
    ASSERT_TRUE(log) << log.error().reason();
    for (int i = 0; i < 20; ++i) {
      log->write("line " + std::to_string(20 * part + i) + "\nand " + std::to_string(i) + "\n");
    }
  }
  EXPECT_EQ(folder.files(), 3);
  const std::string all = text(2) + text(1) + text_of(file);
  for (const std::string& each : {text(2), text(1), text_of(file)}) {
    EXPECT_LE(each.size(), 200u);
    EXPECT_FALSE(each.empty());
  }
  std::istringstream lines(all);
  std::vector<std::string> words;
  const std::regex stamped("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} (.*)");
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    ASSERT_TRUE(std::regex_match(line, found, stamped)) << line;
    words.push_back(found[1]);
  }
  // No line is missing between the oldest and the newest.
  ASSERT_GT(words.size(), 8u);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t from_end = words.size() - 1 - i, number = 39 - from_end / 2;
    EXPECT_EQ(words[i], from_end % 2 == 0 ? "and " + std::to_string(number - 20)
                                          : "line " + std::to_string(number));
  }
}

TEST(RotatedLog, OutputOfTheProcessFollowsIt) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "log";
  const pid_t child = ::fork();
  if (child == 0) {
    auto log = RotatedLog::open(file, 100, 1);
    log->take_output();
    for (int i = 0; i < 9; ++i) log->write("a line of the daemon\n");
    static_cast<void>(!::write(STDERR_FILENO, "crashed\n", 8));
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(text_of(file).ends_with("crashed\n")) << text_of(file);
  EXPECT_NE(text_of(file).size(), 8u);
  EXPECT_TRUE(std::filesystem::exists(file.string() + ".1"));
}

}  // namespace
}  // namespace senet
