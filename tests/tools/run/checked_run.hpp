// Short runs of senet selfplay whose files are compared with each other: games, checkpoint,
// figures.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "games/json.hpp"
#include "selfplay/game_log.hpp"
#include "selfplay/parked_file.hpp"
#include "tests/tools/background_program.hpp"
#include "tests/tools/program.hpp"
#include "tests/tools/run/tiny_run.hpp"
#include "train_bridge/metrics_map.hpp"
#include "train_bridge/run_config.hpp"

namespace senet {

class CheckedRun : public TinyRun {
 protected:
  /// The numbers of all games in the log. Expects no duplicates and no damage, and with `whole` no
  /// incomplete game at the end.
  std::set<std::uint64_t> games(bool whole = true) const {
    std::set<std::uint64_t> numbers;
    auto reader = GameLogReader::open(run());
    EXPECT_TRUE(reader) << reader.error().reason();
    if (!reader) return numbers;
    GameRecord record;
    for (;;) {
      const Result<bool> more = reader->next(record);
      EXPECT_TRUE(more) << more.error().reason();
      if (!more || !*more) break;
      EXPECT_TRUE(numbers.insert(record.game_number).second)
          << "game " << record.game_number << " occurs twice";
    }
    EXPECT_EQ(reader->skipped_bytes(), 0u);
    if (whole) {
      EXPECT_EQ(reader->bytes_left().value_or(1), 0u);
    }
    return numbers;
  }
  /// The games in play when the run stopped or was killed.
  std::vector<GameRecord> parked() const {
    const auto found =
        load_parked(run() / "parked.senet", load_config(run() / "config.json")->game);
    EXPECT_TRUE(found) << found.error().reason();
    return found ? found->games : std::vector<GameRecord>();
  }
  static std::set<std::uint64_t> first(std::uint64_t count) {
    std::set<std::uint64_t> numbers;
    for (std::uint64_t number = 0; number < count; ++number) numbers.insert(numbers.end(), number);
    return numbers;
  }

  /// Expects that the run has ended with the games 0 to count - 1, and that all its files agree.
  void expect_whole(std::uint64_t count) const {
    EXPECT_TRUE(games() == first(count)) << "the log lacks games, or has others";
    const ProgramRun verified = run_senet({"log", "verify", run().string()});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    const Checkpoint saved = checkpoint();
    EXPECT_EQ(saved.games, count);
    EXPECT_EQ(saved.next_game, count);
    EXPECT_EQ(saved.first_open, count);
    EXPECT_TRUE(parked().empty());
    const std::vector<Json> lines = lines_of("metrics.jsonl");
    ASSERT_FALSE(lines.empty());
    const auto map = MetricsReader::open(run() / "metrics.map");
    ASSERT_TRUE(map) << map.error().reason();
    const auto figures = map->read();
    ASSERT_TRUE(figures) << figures.error().reason();
    EXPECT_TRUE(figures->has_ended);
    for (const auto& [name, value] :
         {std::pair("games", saved.games), std::pair("positions", saved.positions),
          std::pair("steps", saved.trainer.steps), std::pair("networks", saved.iterations)}) {
      EXPECT_EQ(lines.back().value(name, std::uint64_t{0}), value) << name;
      const auto at = std::ranges::find(map->names(), name, &MetricName::name);
      ASSERT_NE(at, map->names().end()) << name;
      EXPECT_EQ(figures->values[static_cast<std::size_t>(at - map->names().begin())],
                static_cast<double>(value))
          << name;
    }
    lines_of("changes.jsonl");
    lines_of("strength.jsonl");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(run())) {
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    }
  }
  /// A file of the run with a JSON object on each line; no lines if there is none.
  std::vector<Json> lines_of(const char* name) const {
    std::vector<Json> all;
    std::istringstream lines(text_of(run() / name));
    for (std::string line; std::getline(lines, line);) {
      all.push_back(parse_json(line));
      EXPECT_TRUE(all.back().is_object()) << name << ": " << line;
    }
    return all;
  }

  std::uint64_t log_size() const {
    std::error_code none;
    const auto size = std::filesystem::file_size(run() / "games.senet", none);
    return none ? 0 : size;
  }
  /// Waits until the log is longer than `size`. Returns false when the program ends first.
  bool wait_for_games(BackgroundProgram& program, std::uint64_t size) const {
    while (log_size() <= size) {
      if (!program.running()) return false;
      ::usleep(2000);
    }
    return true;
  }

  void expect_finished(const ProgramRun& done) const { EXPECT_EQ(done.exit_code, 0) << done.err; }
};

}  // namespace senet
