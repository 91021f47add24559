// Child processes: lines in both directions, and everything a child may do instead of answering.
#include "tools/play/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace senet {
namespace {

using namespace std::chrono_literals;

// Long enough for the slowest machine; only tests that fail wait for it.
ChildProcess::Deadline ample() { return ChildProcess::Clock::now() + 60s; }
ChildProcess::Deadline at_once() { return ChildProcess::Clock::now() + 20ms; }

ChildProcess shell(const std::string& script) {
  Result<ChildProcess> child = ChildProcess::start_shell(script);
  EXPECT_TRUE(child) << child.error().reason();
  return std::move(*child);
}

template <class T>
void expect_reason(const Result<T>& result, const std::string& reason) {
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().reason().find(reason), std::string::npos) << result.error().reason();
}

TEST(ChildProcess, LinesGoBothWays) {
  ChildProcess child = shell("while read line; do echo \"<$line>\"; done; echo end");
  ASSERT_TRUE(child.write_line("one", ample()));
  EXPECT_EQ(child.read_line(ample()).value(), "<one>");
  ASSERT_TRUE(child.write_line("two", ample()));
  ASSERT_TRUE(child.write_line("", ample()));
  EXPECT_EQ(child.read_line(ample()).value(), "<two>");
  EXPECT_EQ(child.read_line(ample()).value(), "<>");
  child.close_input();
  EXPECT_EQ(child.read_line(ample()).value(), "end");
  expect_reason(child.read_line(ample()), "has ended with exit code 0");
  expect_reason(child.write_line("three", ample()), "its input is closed");
}

TEST(ChildProcess, CarriageReturnsAreNoPartOfALine) {
  ChildProcess child = shell("printf 'one\\r\\ntwo\\n'");
  EXPECT_EQ(child.read_line(ample()).value(), "one");
  EXPECT_EQ(child.read_line(ample()).value(), "two");
}

TEST(ChildProcess, WordsAreNoShellText) {
  auto child = ChildProcess::start({"printf", "%s\\n", "a b; $HOME"});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->read_line(ample()).value(), "a b; $HOME");
}

TEST(ChildProcess, EnvironmentIsAddedAndReplaced) {
  auto child = ChildProcess::start({"env", "SENET_TEST=yes", "HOME=/scratch", "sh", "-c",
                                    "echo $SENET_TEST $HOME ${PATH:+path}"});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->read_line(ample()).value(), "yes /scratch path");
}

TEST(ChildProcess, SilenceEndsAtTheDeadline) {
  ChildProcess child = shell("read line; printf unfinished; read line; echo ' line'; read line");
  expect_reason(child.read_line(at_once()), "did not print a line in time");
  ASSERT_TRUE(child.write_line("", ample()));
  expect_reason(child.read_line(at_once()), "did not print a line in time");
  ASSERT_TRUE(child.write_line("", ample()));
  EXPECT_EQ(child.read_line(ample()).value(), "unfinished line");
}

TEST(ChildProcess, ACrashIsTold) {
  ChildProcess child = shell("echo one >&2; echo two >&2; echo three >&2; echo four >&2; exit 3");
  const auto line = child.read_line(ample());
  expect_reason(line, "has ended with exit code 3; last lines of stderr: two|three|four");
  expect_reason(shell("kill -SEGV $$").read_line(ample()), "was ended by signal 11");
}

TEST(ChildProcess, AMissingProgramIsTold) {
  expect_reason(ChildProcess::start({"/nowhere/at-all", "-x"}), "/nowhere/at-all -x: cannot be");
  expect_reason(ChildProcess::start({}), "the command to start is empty");
  expect_reason(shell("/nowhere/at-all").read_line(ample()), "exit code 127");
}

// Writes until the end of the child is noticed: at first the system still buffers lines.
TEST(ChildProcess, WritingToTheDeadIsAnErrorAndNoSignal) {
  ChildProcess child = shell("exit 5");
  Result<void> wrote;
  while (wrote) wrote = child.write_line(std::string(1000, 'x'), ample());
  expect_reason(wrote, "has ended with exit code 5");
}

TEST(ChildProcess, AChildThatTakesNoInputIsLeft) {
  ChildProcess child = shell("sleep 600");
  expect_reason(child.write_line(std::string(4 << 20, 'x'), at_once()),
                "did not read its input in time");
}

// The child's stdout and stderr fill both pipes before it reads its input.
TEST(ChildProcess, NoDeadlockWhenBothSpeakAtOnce) {
  ChildProcess child = shell(
      "i=0; while [ $i -lt 20000 ]; do echo 0123456789; echo 0123456789 >&2; i=$((i+1)); done;"
      "wc -c");
  ASSERT_TRUE(child.write_line(std::string(4 << 20, 'x'), ample()));
  child.close_input();
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(child.read_line(ample()).value(), "0123456789");
  EXPECT_EQ(std::stoul(child.read_line(ample()).value()), (4u << 20) + 1);
}

TEST(ChildProcess, ALineWithoutAnEndIsLeft) {
  expect_reason(shell("yes | tr -d '\\n'").read_line(ample()), "without a line end");
}

TEST(ChildProcess, AClosedStreamIsAnEnd) {
  expect_reason(shell("exec >&-; exec sleep 600").read_line(ample()), "has closed its streams");
}

// A pipe inherited by child and grandchild reaches its end when both have ended.
TEST(ChildProcess, NothingOfItIsLeftBehind) {
  std::array<int, 2> held;
  ASSERT_EQ(::pipe(held.data()), 0);
  pid_t id = 0;
  {
    ChildProcess child = shell("sleep 600 & echo started; sleep 600");
    ::close(held[1]);
    id = child.id();
    ASSERT_EQ(child.read_line(ample()).value(), "started");
  }
  char nothing;
  EXPECT_EQ(::read(held[0], &nothing, 1), 0);
  ::close(held[0]);
  EXPECT_EQ(::waitpid(id, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, OneChildDoesNotHoldAnothersStreams) {
  ChildProcess first = shell("cat; echo ended");
  const ChildProcess second = shell("sleep 600");
  first.close_input();
  EXPECT_EQ(first.read_line(ample()).value(), "ended");
}

TEST(ChildProcess, MovesWithItsChild) {
  std::optional<ChildProcess> kept;
  {
    ChildProcess child = shell("cat");
    ASSERT_TRUE(child.write_line("before", ample()));
    kept = std::move(child);
  }
  EXPECT_EQ(kept->read_line(ample()).value(), "before");
  *kept = shell("echo other");
  EXPECT_EQ(kept->read_line(ample()).value(), "other");
}

}  // namespace
}  // namespace senet
