// The log under failures of the system: processes killed at any moment, full disks.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>

#include "selfplay/record_log.hpp"
#include "tests/selfplay/record_samples.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

GameRecord short_game(std::uint64_t number) { return random_record("nim", number, 20); }

// Every eighth record spans many pages of the file, so that a kill can hit the middle of its write.
GameRecord long_game(std::uint64_t number) {
  return random_record("nim", number, number % 8 == 7 ? 5000 : 20);
}

// The child process; never returns. Exit status 1: something failed before the kill.
[[noreturn]] void append_forever(const std::filesystem::path& path, int report) {
  auto log = RecordLog::open(path, "nim", {.sync_every = 16});
  if (!log) ::_exit(1);
  for (;;) {
    if (!log->append(long_game(log->records()))) ::_exit(1);
    const std::uint64_t records = log->records();
    if (::write(report, &records, sizeof(records)) != sizeof(records)) ::_exit(1);
  }
}

/// Starts a writer, kills it after some time, and returns the last number of records it reported.
std::uint64_t run_and_kill(const std::filesystem::path& path, std::uint32_t microseconds) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) ADD_FAILURE() << "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe_ends[0]);
    append_forever(path, pipe_ends[1]);
  }
  ::close(pipe_ends[1]);
  // The first report shows that the child is running; the others are read after its end (a pipe
  // holds 8192 reports, then the child waits).
  std::uint64_t records = 0, last = 0;
  const bool started = ::read(pipe_ends[0], &records, sizeof(records)) == sizeof(records);
  EXPECT_TRUE(started);
  last = records;
  ::usleep(microseconds);
  EXPECT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer exited before it was killed";
  while (::read(pipe_ends[0], &records, sizeof(records)) == sizeof(records)) last = records;
  ::close(pipe_ends[0]);
  return last;
}

TEST(RecordLogCrash, AKilledWriterLosesNoAppendedRecord) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "games.log";
  Random random(11, 0, 0, Purpose::kTest);
  std::uint64_t position = 0, records = 0, read = 0;
  for (int round = 0; round < 40; ++round) {
    const std::uint64_t reported = run_and_kill(path, random.below(4000));
    ASSERT_GT(reported, records);
    std::uint64_t size = 0;
    {
      const auto log = RecordLog::open(path, "nim", {});
      ASSERT_TRUE(log) << log.error().reason();
      EXPECT_EQ(log->recovery().damaged_bytes, 0u);
      EXPECT_GE(log->records(), reported);
      EXPECT_LE(log->records(), reported + 1);  // written, but killed before it could report it
      records = log->records();
      size = log->size();
    }
    // The new part of the log, record by record.
    auto reader = RecordReader::open(path, position);
    ASSERT_TRUE(reader);
    GameRecord record;
    for (;; ++read) {
      const auto found = reader->next(record);
      ASSERT_TRUE(found) << found.error().reason();
      if (!*found) break;
      ASSERT_EQ(record, long_game(read));
    }
    EXPECT_EQ(read, records);
    EXPECT_EQ(reader->position(), size);
    position = size;
  }
}

/// Limits the files that this process writes to `bytes`.
bool limit_files_to(rlim_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  limit.rlim_cur = bytes;
  return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

// Runs in its own process: fills the "disk", checks that every failed append leaves a valid log,
// and continues when there is room again. Returns the number of the failed check, 0 if none.
int fill_the_disk(const std::filesystem::path& path) {
  // Ignored, so a file size limit acts like a full disk: a short write, then an error.
  ::signal(SIGXFSZ, SIG_IGN);
  auto log = RecordLog::open(path, "nim", {});
  if (!log) return 1;
  std::uint64_t refusals = 0;
  for (std::uint64_t limit = 100; limit < 30000; limit += 100 + limit % 97) {
    if (!limit_files_to(limit)) return 2;
    for (;;) {
      const std::uint64_t size = log->size(), records = log->records();
      if (log->append(short_game(records))) continue;
      ++refusals;
      if (log->size() != size || log->records() != records) return 3;
      if (std::filesystem::file_size(path) != size) return 4;
      if (!log->flush()) return 5;
      break;
    }
  }
  if (refusals < 100) return 6;
  if (!limit_files_to(RLIM_INFINITY)) return 7;
  for (int i = 0; i < 10; ++i) {
    if (!log->append(short_game(log->records()))) return 8;
  }
  return log->flush() ? 0 : 9;
}

TEST(RecordLogCrash, AFullDiskIsAnErrorAndTheLogStaysGood) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "games.log";
  const pid_t child = ::fork();
  if (child == 0) ::_exit(fill_the_disk(path));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);

  auto reader = RecordReader::open(path);
  ASSERT_TRUE(reader);
  GameRecord record;
  std::uint64_t records = 0;
  for (;; ++records) {
    const auto found = reader->next(record);
    ASSERT_TRUE(found);
    if (!*found) break;
    ASSERT_EQ(record, short_game(records));
  }
  EXPECT_GT(records, 20u);
  EXPECT_EQ(reader->skipped_bytes(), 0u);
  EXPECT_EQ(*reader->bytes_left(), 0u);
}

// Without room to move a damaged tail to, opening fails and changes nothing.
TEST(RecordLogCrash, WhenTheTailCannotBeMovedTheLogIsLeftAlone) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "games.log";
  {
    auto log = RecordLog::open(path, "nim", {});
    ASSERT_TRUE(log && log->append(short_game(0)));
  }
  auto bytes = read_file(path);
  bytes.resize(bytes.size() + 5000);
  write_file(path, bytes);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    if (!limit_files_to(1000)) ::_exit(1);
    ::_exit(RecordLog::open(path, "nim", {}) ? 2 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(path), bytes);
  EXPECT_EQ(folder.files(), 1);
}

}  // namespace
}  // namespace senet
