// Files: appending on a full disk, and the names of temporary files.
#include "nn/file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <string>

#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

Result<void> append(FileHandle& file, const std::string& text) {
  return file.append(std::as_bytes(std::span(text)));
}

/// While it exists, a file may have so many bytes, as if the disk had no more.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(File, AppendsWholeTextsOrNothing) {
  const TemporaryFolder folder;
  const auto path = folder / "lines";
  write_text(path, "first\n");
  Result<FileHandle> file = FileHandle::open(path, FileHandle::Mode::kReadWrite);
  ASSERT_TRUE(file);
  ASSERT_TRUE(append(*file, "second\n"));
  {
    const FullDisk full(16);
    for (int i = 0; i < 3; ++i) {
      const Result<void> failed = append(*file, "too much\n");
      ASSERT_FALSE(failed);
      EXPECT_NE(failed.error().reason().find("cannot write: File too large"), std::string::npos);
    }
    ASSERT_TRUE(append(*file, "3\n"));
  }
  EXPECT_EQ(text_of(path), "first\nsecond\n3\n");
  ASSERT_TRUE(append(*file, "there is room again\n"));
  EXPECT_EQ(text_of(path), "first\nsecond\n3\nthere is room again\n");
}

TEST(File, IsReadAsAWhole) {
  const TemporaryFolder folder;
  const std::string text(100'000, 'a');
  write_text(folder / "file", text);
  const Result<FileBytes> bytes = read_whole_file(folder / "file");
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(std::ranges::equal(*bytes, std::as_bytes(std::span(text))));
  write_text(folder / "file", "");
  EXPECT_TRUE(read_whole_file(folder / "file")->empty());
  EXPECT_FALSE(read_whole_file(folder / "none"));
}

TEST(File, KnowsTheTemporaryNamesOfReplacements) {
  for (const char* const ours : {"config.json.1.a.tmp", "/a/b.c/config.json.123.7f00ff.tmp"}) {
    EXPECT_EQ(replaced_name(ours), "config.json") << ours;
  }
  for (const char* const other :
       {"config.json.tmp", "config.json.1.tmp", "config.json.a.1.tmp", "config.json.1..tmp",
        "config.json..a.tmp", "config.json.1.A.tmp", "config.json.1.a.TMP", "1.a.tmp", "notes.tmp",
        ".tmp", "", "config.json"}) {
    EXPECT_EQ(replaced_name(other), "") << other;
  }
}

}  // namespace
}  // namespace senet
