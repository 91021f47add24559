// senet log: what verify finds, what repair keeps, what export prints; and readers of a run folder.
#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "nn/network.hpp"
#include "selfplay/game_log.hpp"
#include "tests/tools/program.hpp"
#include "tests/train_bridge/random_games.hpp"
#include "train_bridge/checkpoint.hpp"

namespace senet {
namespace {

using G = TicTacToe;

class LogCommand : public ::testing::Test {
 protected:
  GameLog open_log() const {
    auto log = GameLog::open(run(), G::kName, {.segment_bytes = 2000});
    EXPECT_TRUE(log) << log.error().reason();
    return std::move(*log);
  }
  /// Games 0 to 39 in several files.
  void write_games() const {
    GameLog log = open_log();
    for (std::uint64_t number = 0; number < 40; ++number) {
      ASSERT_TRUE(log.append(random_game<G>(number)));
    }
    ASSERT_GT(log.number(), 2u);
  }
  /// Appends records to a file as they are, without any check.
  static void append_frames(const std::filesystem::path& file,
                            const std::vector<GameRecord>& games) {
    auto bytes = read_file(file);
    std::vector<std::byte> payload, frame;
    for (const GameRecord& game : games) {
      ASSERT_TRUE(encode(game, payload));
      FramePacker(0).pack(payload, frame);
      bytes.insert(bytes.end(), frame.begin(), frame.end());
    }
    write_file(file, bytes);
  }
  ProgramRun log(const std::string& action, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"log", action, run()});
    return run_senet(more);
  }
  std::vector<std::uint64_t> games_there() const {
    std::vector<std::uint64_t> there;
    auto reader = GameLogReader::open(run());
    EXPECT_TRUE(reader);
    for (GameRecord record; reader && *reader->next(record);) {
      EXPECT_EQ(record, random_game<G>(record.game_number));
      there.push_back(record.game_number);
    }
    return there;
  }
  std::filesystem::path closed(std::uint32_t number) const { return segment_file(run(), number); }
  std::filesystem::path growing() const { return run() / kGrowingFile; }
  const std::filesystem::path& run() const { return folder_.path(); }

  TemporaryFolder folder_;
};

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST_F(LogCommand, ACleanLogIsClean) {
  write_games();
  const ProgramRun verified = log("verify");
  EXPECT_EQ(verified.exit_code, 0) << verified.err << verified.out;
  EXPECT_EQ(lines_of(verified.out), 1u) << verified.out;
  EXPECT_NE(verified.out.find("40 games, 0 findings"), std::string::npos) << verified.out;
  EXPECT_EQ(run_senet({"log", "verify", closed(1)}).exit_code, 0);
  // Without indexes it is clean, too: they are made when it is needed.
  std::filesystem::remove(index_file(run(), 1));
  EXPECT_EQ(log("verify").exit_code, 0);
  // A writer may have it open.
  const GameLog open = open_log();
  auto bytes = read_file(growing());
  bytes.push_back(std::byte{'S'});
  write_file(growing(), bytes);
  EXPECT_EQ(log("verify").exit_code, 0);
}

TEST_F(LogCommand, EveryFaultIsFoundAndRepaired) {
  write_games();
  const std::uint64_t lost = 3;  // the game whose bytes are damaged
  std::uint64_t begin = 0, end = 0;
  {
    auto reader = RecordReader::open(closed(1));
    ASSERT_TRUE(reader);
    GameRecord record;
    do {
      begin = reader->position();
      ASSERT_TRUE(*reader->next(record));
    } while (record.game_number != lost);
    end = reader->position();
  }
  auto bytes = read_file(closed(1));
  bytes[begin + 20] ^= std::byte{1};
  write_file(closed(1), bytes);
  GameRecord illegal = random_game<G>(40);
  illegal.end_cut(std::vector<float>{0, 1, 0});
  append_frames(growing(), {random_game<G>(2), illegal, random_game<G>(44)});
  bytes = read_file(growing());
  std::vector<std::byte> frame;
  FramePacker(0).pack(std::vector<std::byte>(9, std::byte{9}), frame);
  bytes.insert(bytes.end(), frame.begin(), frame.end());
  bytes.insert(bytes.end(), frame.begin(), frame.begin() + 7);
  write_file(growing(), bytes);
  bytes = read_file(index_file(run(), 2));
  bytes.back() ^= std::byte{1};
  write_file(index_file(run(), 2), bytes);

  const ProgramRun found = log("verify");
  EXPECT_EQ(found.exit_code, 1);
  for (const std::string& text :
       {closed(1).string() + ": byte " + std::to_string(begin) + ": " +
            std::to_string(end - begin) + " damaged bytes\n",
        index_file(run(), 1).string() + ": the index is not that of its file",
        index_file(run(), 2).string() + ": the index is damaged",
        std::string("game 2 occurs earlier in the log"),
        std::string("game 40: it was cut, but its moves end it"),
        std::string("a record that cannot be decoded: record payload, byte 1: version 9"),
        std::string("7 damaged bytes at the end"),
        std::string("4 game numbers are missing: 3, 41 to 43\n"), std::string("7 findings")}) {
    EXPECT_NE(found.out.find(text), std::string::npos) << text << " in:\n" << found.out;
  }
  EXPECT_NE(found.err.find("7 findings"), std::string::npos);

  const auto damaged_file = read_file(closed(1)), damaged_growing = read_file(growing());
  const ProgramRun repaired = log("repair");
  EXPECT_EQ(repaired.exit_code, 0) << repaired.err << repaired.out;
  const ProgramRun verified = log("verify");
  EXPECT_EQ(verified.exit_code, 0) << verified.out;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t number = 0; number < 40; ++number) {
    if (number != lost) expected.push_back(number);
  }
  expected.push_back(44);
  EXPECT_EQ(games_there(), expected);
  // Nothing is gone.
  EXPECT_EQ(read_file(closed(1).string() + ".before-repair"), damaged_file);
  EXPECT_EQ(read_file(growing().string() + ".before-repair"), damaged_growing);
  const auto aside = read_file(closed(1).string() + ".damaged-bytes");
  EXPECT_TRUE(std::equal(aside.begin(), aside.end(),
                         damaged_file.begin() + static_cast<std::ptrdiff_t>(begin)));
  EXPECT_EQ(aside.size(), end - begin);
  auto dropped = RecordReader::open(growing().string() + ".dropped");
  ASSERT_TRUE(dropped);
  GameRecord record;
  ASSERT_TRUE(*dropped->next(record));
  EXPECT_EQ(record.game_number, 2u);
  ASSERT_TRUE(*dropped->next(record));
  EXPECT_EQ(record, illegal);
  EXPECT_FALSE(*dropped->next(record));
  EXPECT_EQ(dropped->undecodable().count, 1u);
  // A second repair has nothing to do, and the log can be continued.
  EXPECT_EQ(log("repair").exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(growing().string() + ".before-repair.2"));
  EXPECT_EQ(open_log().records(), 40u);
}

// Games that were in play at the checkpoint, or begun later, are not lost: a resume plays them.
TEST_F(LogCommand, MissingNumbersUpToTheCheckpointAreAFinding) {
  {
    GameLog log = open_log();
    for (const std::uint64_t number : {0, 1, 4, 5, 6, 8, 10}) {
      ASSERT_TRUE(log.append(random_game<G>(number)));
    }
  }
  const NetworkSpec spec = reference_spec<G>();
  Checkpoint checkpoint;
  checkpoint.trainer = initial_state(initial_network(spec, 1).parameters());
  checkpoint.next_game = 10;
  const auto verify_with = [&](std::uint64_t first_open) {
    checkpoint.first_open = first_open;
    EXPECT_TRUE(save_checkpoint(checkpoint, spec, run() / "checkpoint.safetensors"));
    return log("verify");
  };
  const ProgramRun open = verify_with(2);
  EXPECT_EQ(open.exit_code, 0) << open.out;
  EXPECT_NE(open.out.find("4 game numbers are missing; a resumed run plays them: 2 to 3, 7, 9\n"),
            std::string::npos)
      << open.out;
  const ProgramRun lost = verify_with(8);
  EXPECT_EQ(lost.exit_code, 1);
  for (const char* const text :
       {"3 game numbers are missing that the checkpoint counts, and no resume plays: 2 to 3, 7\n",
        "1 game number is missing; a resumed run plays it: 9\n", " 1 finding\n"}) {
    EXPECT_NE(lost.out.find(text), std::string::npos) << lost.out;
  }
}

TEST_F(LogCommand, ADamagedHeaderIsRepaired) {
  write_games();
  auto bytes = read_file(closed(1));
  bytes[13] ^= std::byte{1};
  write_file(closed(1), bytes);
  EXPECT_EQ(log("verify").exit_code, 1);
  EXPECT_EQ(log("repair").exit_code, 0);
  EXPECT_EQ(log("verify").exit_code, 0);
  EXPECT_EQ(games_there().size(), 40u);
}

TEST_F(LogCommand, ARunThatIsPlayedIsNotRepaired) {
  write_games();
  {
    const GameLog open = open_log();
    expect_failure(log("repair"), 1, "log repair", "in use");
  }
  write_file(run() / "lock", std::vector<std::byte>{});
  auto lock = FileHandle::open(run() / "lock", FileHandle::Mode::kReadWrite);
  ASSERT_TRUE(lock && lock->lock());
  expect_failure(log("repair"), 1, "log repair", "the program that plays this run");
}

TEST_F(LogCommand, ExportPrintsWhatInspectDoes) {
  write_games();
  const ProgramRun all = log("export");
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_EQ(lines_of(all.out), 40u);
  std::istringstream lines(all.out);
  std::uint64_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    EXPECT_EQ(nlohmann::json::parse(line)["game_number"], number);
    if (number == 17) {
      EXPECT_EQ(run_senet({"inspect", run(), "--json", "--game-number", "17"}).out, line + "\n");
    }
  }
  const ProgramRun some = log("export", {"--from", "12", "--to", "21"});
  EXPECT_EQ(lines_of(some.out), 10u);
  EXPECT_EQ(nlohmann::json::parse(some.out.substr(0, some.out.find('\n')))["game_number"], 12);
  // A game that breaks the rules is left out.
  GameRecord illegal = random_game<G>(40);
  illegal.end_cut(std::vector<float>{0, 1, 0});
  append_frames(growing(), {illegal, random_game<G>(41)});
  const ProgramRun rest = log("export", {"--from", "40"});
  EXPECT_EQ(rest.exit_code, 1);
  EXPECT_EQ(lines_of(rest.out), 1u);
  EXPECT_NE(rest.err.find("game 40: it was cut"), std::string::npos) << rest.err;
}

TEST_F(LogCommand, InspectReadsAllFilesOfARun) {
  write_games();
  const ProgramRun all = run_senet({"inspect", run(), "--json"});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  const auto json = nlohmann::json::parse(all.out);
  EXPECT_EQ(json["records"], 40);
  EXPECT_EQ(json["first_game"], 0);
  EXPECT_EQ(json["last_game"], 39);
  EXPECT_EQ(json["missing_games"], 0);
  const auto one = nlohmann::json::parse(run_senet({"inspect", growing(), "--json"}).out);
  EXPECT_LT(one["records"], 40);
  std::filesystem::remove(closed(1));
  const auto rest = nlohmann::json::parse(run_senet({"inspect", run(), "--json"}).out);
  EXPECT_EQ(rest["first_game"], load_index(index_file(run(), 1))->games.end());
}

TEST_F(LogCommand, BadNamesAreOneLine) {
  for (const std::string action : {"verify", "repair", "export"}) {
    expect_failure(run_senet({"log", action, "/nowhere"}), 2, "log " + action, "/nowhere");
    expect_failure(log(action), 2, "log " + action, run().string());
  }
  write_file(growing(), std::vector<std::byte>(100));
  expect_failure(log("verify"), 2, "log verify", "not a log of game records");
}

}  // namespace
}  // namespace senet
