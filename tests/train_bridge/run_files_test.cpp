// The files of a run: checkpoints that are lost, damaged or of another run, values that are not
// finite, and files that are none of ours.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <senet/train.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "games/json.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/train_bridge/tiny_config.hpp"

namespace senet {
namespace {

class RunFiles : public testing::Test {
 protected:
  RunFiles() { make_tiny(config_); }

  std::filesystem::path folder() const { return folder_ / "run"; }
  std::filesystem::path file(const char* name) const { return folder() / name; }
  std::filesystem::path latest() const { return file("weights/latest.safetensors"); }

  /// Plays more games of the run, which begins if the folder has none.
  Result<RunSummary> play(std::uint64_t games, bool train = true) {
    warnings_.clear();
    RunHooks hooks;
    hooks.warning = [this](const std::string& warning) { warnings_.push_back(warning); };
    return run<TicTacToe>(config_,
                          {.folder = folder(),
                           .resume = std::filesystem::exists(file("config.json")),
                           .games = games,
                           .train = train,
                           .trainer = {.backend = TrainerBackend::kCpu}},
                          hooks);
  }
  void expect_played(std::uint64_t games, bool train = true) {
    const auto ended = play(games, train);
    EXPECT_TRUE(ended) << ended.error().reason();
  }
  /// The reason why the run cannot be resumed.
  std::string refusal(bool train = true) {
    const auto ended = play(1, train);
    EXPECT_FALSE(ended);
    return ended ? "" : ended.error().reason();
  }
  Checkpoint checkpoint(const char* name = "checkpoint.safetensors") const {
    Result<Checkpoint> loaded = load_checkpoint(file(name), config_.network);
    EXPECT_TRUE(loaded) << loaded.error().reason();
    return loaded ? std::move(*loaded) : Checkpoint{};
  }
  void expect_one_warning(const std::string& text) const {
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_NE(warnings_.front().find(text), std::string::npos) << warnings_.front();
  }

  const TemporaryFolder folder_;
  RunConfig config_ = *default_config<TicTacToe>();
  std::vector<std::string> warnings_;
};

// Resuming never begins again with random weights and never replaces what was learned.
TEST_F(RunFiles, LostCheckpointsEndTheRunButNotItsWeights) {
  expect_played(60);
  const std::string before = text_of(latest()), good = text_of(file("checkpoint.safetensors"));
  ASSERT_GT(checkpoint().trainer.steps, 0u);
  write_text(file("checkpoint.safetensors"), good.substr(0, 1000));
  write_text(file("checkpoint.1.safetensors"), "");
  std::string reason = refusal();
  for (const std::string& text :
       {folder().string() + ": the run has no checkpoint that can be loaded",
        file("checkpoint.safetensors").string(), file("checkpoint.1.safetensors").string(),
        "start a new run with --weights " + latest().string()}) {
    EXPECT_NE(reason.find(text), std::string::npos) << reason;
  }
  EXPECT_EQ(text_of(file("checkpoint.safetensors")), good.substr(0, 1000));
  for (const char* const name : {"checkpoint.safetensors", "checkpoint.1.safetensors"}) {
    std::filesystem::remove(file(name));
  }
  for (const bool train : {true, false}) {
    EXPECT_EQ(refusal(train), folder().string() +
                                  ": the run has no checkpoint that can be loaded: put one back, "
                                  "or start a new run with --weights " +
                                  latest().string());
  }
  EXPECT_EQ(text_of(latest()), before);
  EXPECT_FALSE(std::filesystem::exists(file("checkpoint.safetensors")));
  // The way out that the error names.
  const auto anew =
      run<TicTacToe>(config_, {.folder = folder_ / "anew", .weights = latest(), .games = 1});
  ASSERT_TRUE(anew) << anew.error().reason();
  EXPECT_EQ(load_network(folder_ / "anew/weights/000000.safetensors")->id(),
            load_network(latest())->id());
}

TEST_F(RunFiles, ADamagedCheckpointIsMovedAsideAndAnOlderOneUsed) {
  expect_played(30);
  expect_played(30);
  const Checkpoint older = checkpoint("checkpoint.1.safetensors");
  ASSERT_GT(older.trainer.steps, 0u);
  const auto newest = file("checkpoint.safetensors");
  std::string bytes = text_of(newest);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_text(newest, bytes);
  expect_played(1, false);
  expect_one_warning("does not match its checksum: it was moved to " + newest.string() +
                     ".damaged, and an older state is used");
  EXPECT_EQ(text_of(newest.string() + ".damaged"), bytes);
  EXPECT_EQ(checkpoint().trainer.steps, older.trainer.steps);
  EXPECT_EQ(checkpoint().games, 61u);  // all games of the log
}

// A run that only plays loses nothing with its checkpoint.
TEST_F(RunFiles, ARunOfPlayOnlyNeedsNoCheckpoint) {
  const Network given = initial_network(config_.network, 77);
  ASSERT_TRUE(save_network(given, folder_ / "given.safetensors"));
  const auto begun = run<TicTacToe>(
      config_,
      {.folder = folder(), .weights = folder_ / "given.safetensors", .games = 10, .train = false});
  ASSERT_TRUE(begun) << begun.error().reason();
  expect_played(10, false);
  std::filesystem::remove(file("checkpoint.safetensors"));
  EXPECT_NE(refusal().find("the run has no checkpoint"), std::string::npos);
  expect_played(10, false);
  expect_one_warning("the run has no checkpoint and begins again, with " + latest().string());
  EXPECT_EQ(checkpoint().games, 30u);
  EXPECT_TRUE(std::ranges::equal(checkpoint().trainer.ema, given.parameters()));
  expect_played(60);
  EXPECT_GT(checkpoint().trainer.steps, 0u);
}

TEST_F(RunFiles, ACheckpointOfAnotherRunIsRefused) {
  expect_played(10);
  const std::string config = text_of(file("config.json"));
  const std::uint64_t own = *run_id_in(file("config.json"));
  EXPECT_EQ(checkpoint().run_id, own);
  expect_played(10);
  EXPECT_EQ(text_of(file("config.json")), config);
  ASSERT_TRUE(run<TicTacToe>(config_, {.folder = folder_ / "second", .games = 10}));
  const std::uint64_t other = *run_id_in(folder_ / "second/config.json");
  EXPECT_NE(own, other);
  const auto to = file("checkpoint.safetensors");
  std::filesystem::copy_file(folder_ / "second/checkpoint.safetensors", to,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(refusal(), "checkpoint " + to.string() + ": made by the run " + id_text(other) +
                           ", not by this run, " + id_text(own));
  // Files from before ids are accepted, and get one.
  Checkpoint older = checkpoint();
  older.run_id = 0;
  ASSERT_TRUE(save_checkpoint(older, config_.network, to));
  expect_played(1);
  EXPECT_EQ(checkpoint().run_id, own);
  std::string without = config;
  without.erase(without.find(",\n  \"run-id\""));
  without += "\n}\n";
  write_text(file("config.json"), without);
  EXPECT_EQ(*run_id_in(file("config.json")), 0u);
  EXPECT_TRUE(load_config<TicTacToe>(folder()));
  expect_played(1);
  EXPECT_EQ(*run_id_in(file("config.json")), own);
  write_text(file("config.json"), without);
  ASSERT_TRUE(save_checkpoint(older, config_.network, to));
  expect_played(1);
  EXPECT_NE(checkpoint().run_id, 0u);
  EXPECT_EQ(*run_id_in(file("config.json")), checkpoint().run_id);
}

// Steps that no number can hold: the run ends with an error, and what it saved can be resumed.
TEST_F(RunFiles, ValuesThatAreNotFiniteAreNeverSaved) {
  expect_played(60);
  const std::uint64_t before = checkpoint().trainer.steps;
  const RunConfig good = config_;
  config_.learn.learning_rate = 1e10f;
  config_.learn.warmup_steps = 0;
  config_.learn.trainer.gradient_clip = 3e38f;
  const auto diverged = play(20'000);
  ASSERT_FALSE(diverged);
  EXPECT_NE(diverged.error().reason().find("training has diverged: "), std::string::npos)
      << diverged.error().reason();
  ASSERT_GE(warnings_.size(), 2u);
  EXPECT_NE(warnings_.front().find(": the state of the checkpoint of step "), std::string::npos);
  EXPECT_GE(checkpoint().trainer.steps, before);
  EXPECT_TRUE(load_network(latest()));
  const std::uint64_t games = checkpoint().games;
  config_ = good;
  const auto resumed = play(60);
  ASSERT_TRUE(resumed) << resumed.error().reason();
  EXPECT_EQ(checkpoint().games, games + 60);  // all games were in the log and counted
}

TEST_F(RunFiles, OnlyItsOwnHalfWrittenFilesAreRemoved) {
  expect_played(3);
  const std::vector<std::filesystem::path> ours = {file("config.json.12.7f3a.tmp"),
                                                   file("checkpoint.safetensors.1.0.tmp"),
                                                   file("checkpoint.new.safetensors.99.a.tmp"),
                                                   file("weights/latest.safetensors.12.ab.tmp"),
                                                   file("weights/000017.safetensors.12.ab.tmp"),
                                                   file("weights/best.safetensors.12.ab.tmp"),
                                                   file("metrics.map.12.ab.tmp")};
  const std::vector<std::filesystem::path> others = {file("notes.tmp"),
                                                     file("config.json.tmp"),
                                                     file("config.json.a.b.tmp"),
                                                     file("thesis.12.ab.tmp"),
                                                     file("weights/mine.tmp"),
                                                     file("weights/config.json.12.ab.tmp"),
                                                     file("weights/better.safetensors.12.ab.tmp")};
  for (const auto& name : ours) write_text(name, "half");
  for (const auto& name : others) write_text(name, "whole");
  std::filesystem::create_directory(file("config.json.1.2.tmp"));
  expect_played(1);
  for (const auto& name : ours) EXPECT_FALSE(std::filesystem::exists(name)) << name;
  for (const auto& name : others) EXPECT_EQ(text_of(name), "whole") << name;
  EXPECT_TRUE(std::filesystem::exists(file("config.json.1.2.tmp")));
}

TEST_F(RunFiles, AConfigThatIsNoFileOrAmbiguousIsRefused) {
  expect_played(3);
  const auto path = file("config.json");
  const std::string config = text_of(path);
  const auto expect_refused = [&](const std::string& reason) {
    EXPECT_EQ(refusal(), path.string() + reason);
    const auto loaded = load_config<TicTacToe>(folder());
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().reason(), path.string() + reason);
  };
  write_text(path, "{\"vis\\nits\": 9, " + config.substr(1));  // the reason is one line
  expect_refused(": unknown setting \"vis?its\"");
  write_text(path, "{\"visits\": 9, " + config.substr(1));
  expect_refused(": has \"visits\" twice");
  for (const char* const id : {"7", "\"0\"", "\"123456789abcdefg\"", "\"0000000000000000\""}) {
    std::string changed = config;
    changed.replace(changed.find("\"run-id\": ") + 10, 18, id);
    write_text(path, changed);
    expect_refused(": the value of \"run-id\" is not 16 hex digits");
  }
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  expect_refused(": is not a regular file: there is no run to resume");
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_refused(": is not a regular file: there is no run to resume");
}

// What a process leaves that is killed while it writes a line.
TEST_F(RunFiles, ATornLineIsRemovedBeforeTheNext) {
  expect_played(4);
  config_.selfplay.play.temperature += 1;
  expect_played(1);
  for (const char* const name : {"metrics.jsonl", "changes.jsonl"}) {
    const std::string whole = text_of(file(name));
    ASSERT_TRUE(whole.ends_with("}\n")) << name;
    write_text(file(name), whole + whole.substr(0, whole.find('\n') / 2));
    config_.selfplay.play.temperature += 1;
    expect_played(1);
    const std::string more = text_of(file(name));
    EXPECT_TRUE(more.starts_with(whole + "{\"")) << more;
    std::istringstream lines(more);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_TRUE(parse_json(line).is_object()) << line;
    }
  }
  // The only line is torn.
  write_text(file("metrics.jsonl"), "{\"seconds\"");
  expect_played(1);
  EXPECT_TRUE(text_of(file("metrics.jsonl")).starts_with("{\"seconds\":"));
}

// Only metrics.jsonl is too long for the disk here.
TEST_F(RunFiles, MetricsThatCannotBeWrittenAreReportedOnce) {
  expect_played(3);
  const auto path = file("metrics.jsonl");
  const std::string lines(1 << 24, ' ');
  write_text(path, lines);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit full{lines.size(), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  expect_played(30);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  const std::string warning = path.string() + ": cannot be written; the run continues without it";
  expect_one_warning(warning);
  EXPECT_EQ(text_of(path), lines);
  // A pipe is refused; opening it would wait for a reader.
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_played(3);
  expect_one_warning(warning);
}

}  // namespace
}  // namespace senet
