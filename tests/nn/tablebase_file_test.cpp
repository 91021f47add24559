// The file of a tablebase: built, found again, damaged, written by several at once, not writable.
#include "nn/tablebase_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

namespace fs = std::filesystem;

constexpr AnyGame kBackgammon = AnyGame::rules_of<Backgammon>();
constexpr std::size_t kHeader = 64;

// A small table that counts how often it is built.
std::atomic<int> built = 0;
AnyGame small_game() {
  AnyGame game = kBackgammon;
  game.name = "small";
  game.tablebase = {.version = 7, .bytes = 1000, .build_bytes = 0, .build = [](auto out) {
                      ++built;
                      for (std::size_t i = 0; i < out.size(); ++i) {
                        out[i] = static_cast<std::byte>(i * i);
                      }
                    }};
  return game;
}
bool is_whole(const TablebaseFile& table) {
  std::vector<std::byte> expected(1000);
  small_game().tablebase.build(expected);
  --built;
  return std::ranges::equal(table.bytes(), expected);
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

class TablebaseFileTest : public testing::Test {
 protected:
  void SetUp() override { built = 0; }
  fs::path file() const { return folder() / "small-7.tablebase"; }
  fs::path folder() const { return temporary_ / "not/yet/there"; }

  const TemporaryFolder temporary_;
  const AnyGame game_ = small_game();
};

TEST_F(TablebaseFileTest, IsBuiltOnceAndMappedAfterwards) {
  EXPECT_FALSE(TablebaseFile::find(game_, folder()));
  const TablebaseFile first = TablebaseFile::open(game_, folder());
  EXPECT_TRUE(is_whole(first));
  EXPECT_EQ(first.note(), "");
  EXPECT_EQ(built, 1);
  EXPECT_EQ(fs::file_size(file()), kHeader + 1000);
  EXPECT_EQ(files_in(folder()), 1u);
  const TablebaseFile again = TablebaseFile::open(game_, folder());
  EXPECT_TRUE(is_whole(again));
  EXPECT_EQ(built, 1);
  // Tables are read as numbers of up to 64 bits.
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(again.bytes().data()) % 64, 0u);
  // A moved object keeps its bytes, and a deleted or replaced file harms nobody who has mapped it.
  TablebaseFile moved = TablebaseFile::open(game_, folder());
  const TablebaseFile owner = std::move(moved);
  fs::remove(file());
  EXPECT_TRUE(is_whole(owner));
}

// Every kind of damage: the table is built again, and the file is whole afterwards.
TEST_F(TablebaseFileTest, DamagedFilesAreReplaced) {
  TablebaseFile::open(game_, folder());
  const std::string whole = text_of(file());
  std::vector<std::string> bad = {"",
                                  "x",
                                  whole.substr(0, 63),
                                  whole.substr(0, 64),
                                  whole.substr(0, whole.size() - 1),
                                  whole + "x",
                                  std::string(whole.size(), '\0')};
  for (const std::size_t at : {0u, 8u, 12u, 16u, 24u, 32u, 63u, 64u, 500u, 1063u}) {
    bad.push_back(whole);
    bad.back()[at] ^= 1;
  }
  int expected = built;
  for (const std::string& content : bad) {
    // Rename it into place, as every writer must.
    std::ofstream(folder() / "other", std::ios::binary) << content;
    fs::rename(folder() / "other", file());
    EXPECT_FALSE(TablebaseFile::find(game_, folder()));
    EXPECT_TRUE(is_whole(TablebaseFile::open(game_, folder())));
    EXPECT_EQ(built, ++expected);
    EXPECT_TRUE(TablebaseFile::find(game_, folder()));
  }
}

TEST_F(TablebaseFileTest, OtherVersionsAndGamesHaveTheirOwnFiles) {
  TablebaseFile::open(game_, folder());
  AnyGame newer = game_;
  newer.tablebase.version = 8;
  EXPECT_FALSE(TablebaseFile::find(newer, folder()));
  AnyGame other = game_;
  other.name = "large";
  EXPECT_FALSE(TablebaseFile::find(other, folder()));
  fs::copy(file(), folder() / "small-8.tablebase");
  fs::copy(file(), folder() / "large-7.tablebase");
  EXPECT_FALSE(TablebaseFile::find(newer, folder()));
  EXPECT_FALSE(TablebaseFile::find(other, folder()));
  EXPECT_TRUE(TablebaseFile::find(game_, folder()));
}

TEST_F(TablebaseFileTest, StaysInMemoryWhereNoFileCanBeWritten) {
  // A file, a folder in the place of the file, and no folder at all.
  std::ofstream(temporary_ / "file") << "x";
  fs::create_directories(temporary_ / "taken/small-7.tablebase");
  fs::create_directories(temporary_ / "taken/small-7.tablebase/full");
  for (const fs::path& bad :
       {temporary_ / "file", temporary_ / "taken", fs::path("/proc/nowhere"), fs::path()}) {
    const TablebaseFile table = TablebaseFile::open(game_, bad);
    EXPECT_TRUE(is_whole(table)) << bad;
    EXPECT_TRUE(table.note().starts_with("the tablebase of small is kept in memory: ")) << bad;
    EXPECT_TRUE(table.note().ends_with(bad.empty() ? "no cache folder" : "") ||
                table.note().find(bad.native()) != std::string::npos)
        << table.note();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table.bytes().data()) % 64, 0u);
  }
  EXPECT_EQ(files_in(temporary_ / "taken"), 1u);
  if (::geteuid() == 0) return;  // may write everywhere
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(TablebaseFile::open(game_, folder()).note(), "");
}

TEST_F(TablebaseFileTest, ThreadsMayBuildItAtOnce) {
  for (int round = 0; round < 20; ++round) {
    fs::remove_all(folder());
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const TablebaseFile table = TablebaseFile::open(game_, folder());
        EXPECT_EQ(table.note(), "");
        EXPECT_EQ(table.bytes()[999], std::byte{(999 * 999) % 256});
      });
    }
    threads.clear();
    EXPECT_EQ(files_in(folder()), 1u);
    EXPECT_TRUE(TablebaseFile::find(game_, folder()));
  }
}

// Two processes build the real table at once; both succeed, and the file is whole.
TEST_F(TablebaseFileTest, ProcessesMayBuildItAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const TablebaseFile table = TablebaseFile::build(kBackgammon, folder());
      ::_exit(table.note().empty() && table.bytes().size() == kBackgammon.tablebase.bytes ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files_in(folder()), 1u);
  const auto found = TablebaseFile::find(kBackgammon, folder());
  ASSERT_TRUE(found);
  const backgammon::BearoffDatabase table(found->bytes());
  const auto near_end = Backgammon::from_text("AQAABAAAAAAAAA:0:-");
  ASSERT_TRUE(near_end) << near_end.error().reason();
  std::array<float, 6> outcomes{};
  EXPECT_TRUE(table.find(*near_end, outcomes));
  EXPECT_EQ(outcomes[0], 1);
}

}  // namespace
}  // namespace senet
