// Strength in the loop: matches of a run's networks, their ledger, and gating.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <senet/train.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "selfplay/record_log.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/train_bridge/tiny_config.hpp"

namespace senet {
namespace {

// Bounds that the newest network reaches even when it is a little weaker, and bounds that none
// reaches in a few pairs.
constexpr const char* kAlways = "-700,-300";
constexpr const char* kNever = "300,700";

class StrengthInTheLoop : public testing::Test {
 protected:
  StrengthInTheLoop() {
    make_tiny(config_);
    set_all(config_, {{"strength-minutes", "0.001"},
                      {"strength-share", "1"},
                      {"strength-pairs", "8"},
                      {"strength-sprt", kAlways}});
  }

  void set(const char* name, const std::string& value) {
    const Result<void> applied = apply_setting(config_, name, value);
    EXPECT_TRUE(applied) << applied.error().reason();
  }
  std::filesystem::path folder() const { return folder_ / "run"; }
  std::filesystem::path file(const char* name) const { return folder() / name; }
  std::filesystem::path ledger_file() const { return file("strength.jsonl"); }
  std::filesystem::path best_file() const { return file("weights/best.safetensors"); }

  std::vector<nlohmann::json> ledger() const {
    std::vector<nlohmann::json> lines;
    std::istringstream stream(text_of(ledger_file()));
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(nlohmann::json::parse(line, nullptr, false));
    }
    return lines;
  }

  /// Plays the run until `is_done`.
  Result<RunSummary> play_until(const std::function<bool(const RunProgress&)>& is_done,
                                RunOrder end = RunOrder::kFinish) {
    warnings_.clear();
    RunHooks hooks;
    bool done = false;
    const auto began = std::chrono::steady_clock::now();
    hooks.warning = [this](const std::string& warning) { warnings_.push_back(warning); };
    hooks.note = [this](const std::string& note) { notes_.push_back(note); };
    hooks.progresses = [&](const RunProgress& now) {
      const bool is_late = std::chrono::steady_clock::now() - began > std::chrono::minutes(5);
      EXPECT_TRUE(done || !is_late);
      done = done || is_late || is_done(now);
    };
    hooks.order = [&] { return done ? end : RunOrder::kContinue; };
    return run<TicTacToe>(config_,
                          {.folder = folder(),
                           .resume = std::filesystem::exists(file("config.json")),
                           .trainer = {.backend = TrainerBackend::kCpu}},
                          hooks);
  }
  /// ... until the ledger has so many more lines.
  void play_lines(std::size_t more) {
    const std::size_t before = ledger().size();
    const auto ended =
        play_until([&](const RunProgress&) { return ledger().size() >= before + more; });
    EXPECT_TRUE(ended) << ended.error().reason();
  }

  /// Expects that the ratings of the lines from `begin` on add up.
  static void expect_chain(const std::vector<nlohmann::json>& lines, std::size_t begin) {
    std::string best = lines[begin]["id"];
    double rating = lines[begin]["rating"], low = lines[begin]["rating_low"];
    EXPECT_TRUE(lines[begin]["accepted"]);
    for (std::size_t i = begin + 1; i < lines.size(); ++i) {
      const nlohmann::json& line = lines[i];
      EXPECT_EQ(line["best_id"], best) << line;
      EXPECT_NE(line["id"], best) << line;
      EXPECT_EQ(line["unit"], "Elo");
      EXPECT_GT(line["pairs"], 0);
      EXPECT_EQ(line["wins"].get<int>() + line["draws"].get<int>() + line["losses"].get<int>(),
                2 * line["pairs"].get<int>());
      EXPECT_LT(line["difference_low"], line["difference"]) << line;
      EXPECT_GT(line["difference_high"], line["difference"]) << line;
      EXPECT_EQ(line["accepted"].get<bool>(), line["sprt"] == "H1") << line;
      EXPECT_GE(line["tested_pairs"], line["accepted"] ? 1 : line["pairs"].get<int>()) << line;
      if (line["accepted"]) {
        best = line["id"];
        const double difference = line["difference"];
        const double below =
            std::hypot(rating - low, difference - line["difference_low"].get<double>());
        rating += difference;
        low = rating - below;
      }
      EXPECT_NEAR(line["rating"].get<double>(), rating, 1e-4) << line;
      EXPECT_NEAR(line["rating_low"].get<double>(), low, 1e-4) << line;
    }
  }
  void expect_best_is(const nlohmann::json& line) const {
    const Result<Network> best = load_network(best_file());
    ASSERT_TRUE(best) << best.error().reason();
    EXPECT_EQ(id_text(best->id()), line[line["accepted"].get<bool>() ? "id" : "best_id"]);
  }

  /// The ids of the networks that chose moves.
  std::set<std::string> playing() const {
    std::set<std::string> ids;
    auto reader = RecordReader::open(file("games.senet"));
    EXPECT_TRUE(reader) << reader.error().reason();
    for (GameRecord record; reader;) {
      const Result<bool> more = reader->next(record);
      if (!more || !*more) break;
      for (const std::uint64_t model : record.models) ids.insert(id_text(model));
    }
    return ids;
  }

  const TemporaryFolder folder_;
  RunConfig config_ = *default_config<TicTacToe>();
  std::vector<std::string> warnings_, notes_;
};

TEST_F(StrengthInTheLoop, KeepsALedgerThatAddsUp) {
  play_lines(4);
  EXPECT_EQ(warnings_, std::vector<std::string>());
  const auto lines = ledger();
  ASSERT_GE(lines.size(), 4u);
  EXPECT_EQ(lines[0]["network"], 0);
  EXPECT_EQ(lines[0]["rating"], 0);
  EXPECT_EQ(lines[0]["id"], id_text(load_network(file("weights/000000.safetensors"))->id()));
  expect_chain(lines, 0);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_GT(lines[i]["network"], lines[i - 1]["network"]);
    EXPECT_GT(lines[i]["games"], 0);
    EXPECT_GT(lines[i]["steps"], 0);
  }
  EXPECT_TRUE(lines[1]["accepted"]) << lines[1];
  expect_best_is(lines.back());
  const std::string begin = "network " + lines[1]["network"].dump() + " beats 0: ";
  EXPECT_EQ(std::ranges::count_if(notes_, [&](auto& note) { return note.starts_with(begin); }), 1);

  // A resumed run continues it.
  play_lines(2);
  EXPECT_EQ(warnings_, std::vector<std::string>());
  const auto more = ledger();
  ASSERT_GE(more.size(), lines.size() + 2);
  expect_chain(more, 0);
  expect_best_is(more.back());
}

TEST_F(StrengthInTheLoop, DamagedLinesAreSkipped) {
  play_lines(2);
  const std::string whole = text_of(ledger_file());
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  write_text(ledger_file(), "no line\n" + whole + whole.substr(last, 40));
  const auto before = ledger().size();
  play_lines(1);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("strength.jsonl: skipped 2 damaged lines"), std::string::npos)
      << warnings_[0];
  auto lines = ledger();
  ASSERT_GT(lines.size(), before);  // the half line has got its end
  std::erase_if(lines, [](const nlohmann::json& line) { return line.is_discarded(); });
  expect_chain(lines, 0);
}

TEST_F(StrengthInTheLoop, WithoutItsFilesItBeginsAgain) {
  const auto expect_begins_again = [&](const std::string& reason) {
    const std::size_t before = ledger().size();
    play_lines(2);
    ASSERT_EQ(warnings_.size(), 1u) << reason;
    EXPECT_NE(warnings_[0].find(reason), std::string::npos) << warnings_[0];
    EXPECT_NE(warnings_[0].find(": the ladder begins again with network "), std::string::npos);
    const auto lines = ledger();
    EXPECT_EQ(lines[before]["rating"], 0);
    EXPECT_FALSE(lines[before].contains("best"));
    EXPECT_GT(lines[before]["network"], 0);
    expect_chain(lines, before);
    expect_best_is(lines.back());
  };
  play_lines(2);
  write_text(best_file(), text_of(best_file()).substr(0, 500));
  expect_begins_again("best.safetensors");
  EXPECT_TRUE(std::filesystem::exists(file("weights/best.safetensors.damaged")));
  std::filesystem::remove(best_file());
  expect_begins_again("best.safetensors");
  std::filesystem::copy_file(file("weights/000000.safetensors"), best_file(),
                             std::filesystem::copy_options::overwrite_existing);
  write_text(ledger_file(), "{}\n");
  {
    const std::size_t before = ledger().size();
    play_lines(2);
    ASSERT_EQ(warnings_.size(), 2u);
    EXPECT_NE(warnings_[0].find("skipped 1 damaged line"), std::string::npos) << warnings_[0];
    EXPECT_NE(warnings_[1].find("has no whole line about the network"), std::string::npos);
    expect_chain(ledger(), before);
  }
  std::filesystem::remove(ledger_file());
  expect_begins_again("strength.jsonl is missing");
}

TEST_F(StrengthInTheLoop, ALedgerThatCannotBeWrittenIsReportedOnce) {
  play_lines(1);
  std::filesystem::remove(ledger_file());
  std::filesystem::create_directories(ledger_file());
  std::set<std::uint64_t> best, matches;
  const auto ended = play_until([&](const RunProgress& now) {
    best.insert(now.strength.best);
    matches.insert(now.learn.iterations);
    return matches.size() >= 8;
  });
  EXPECT_TRUE(ended) << ended.error().reason();
  EXPECT_EQ(best.size(), 1u);  // none that a resumed run would not know
  ASSERT_EQ(warnings_.size(), 2u);
  EXPECT_NE(warnings_[0].find("is a folder: the ladder begins again"), std::string::npos)
      << warnings_[0];
  EXPECT_NE(warnings_[1].find("the ledger of matches cannot be written"), std::string::npos)
      << warnings_[1];
}

TEST_F(StrengthInTheLoop, GatingPlaysTheBestNetworkOnly) {
  set("gating", "1");
  set("strength-sprt", kNever);
  set("strength-pairs", "4");
  play_lines(3);
  auto lines = ledger();
  ASSERT_GE(lines.size(), 3u);
  const std::string first = lines[0]["id"];
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_FALSE(lines[i]["accepted"]) << lines[i];
  EXPECT_EQ(playing(), std::set<std::string>{first});
  EXPECT_NE(id_text(load_network(file("weights/latest.safetensors"))->id()), first);

  // Resumed, it begins with the best, and then plays those that are accepted.
  const std::size_t before = lines.size();
  set("strength-sprt", kAlways);
  play_lines(3);
  lines = ledger();
  std::set<std::string> accepted = {first};
  for (const nlohmann::json& line : lines) {
    if (line["accepted"]) accepted.insert(line["id"].get<std::string>());
  }
  expect_chain(lines, 0);
  EXPECT_EQ(lines[before]["best_id"], first);
  EXPECT_GT(accepted.size(), 1u);
  for (const std::string& id : playing()) EXPECT_TRUE(accepted.contains(id)) << id;
}

TEST_F(StrengthInTheLoop, WithoutGatingTheNewestPlays) {
  set("strength-sprt", kNever);
  set("strength-pairs", "4");
  play_lines(3);
  for (std::size_t i = 1; i < ledger().size(); ++i) EXPECT_FALSE(ledger()[i]["accepted"]);
  EXPECT_GT(playing().size(), 1u);
  expect_best_is(ledger()[0]);
}

// At this pace the match would take days.
TEST_F(StrengthInTheLoop, AStopDropsTheMatchAndItBeginsAgain) {
  set("strength-pairs", "1000000");
  set("strength-sprt", "-0.1,0.1");
  set("strength-share", "0.02");
  for (int i = 0; i < 2; ++i) {
    const auto ended =
        play_until([](const RunProgress& now) { return now.strength.pairs > 0; }, RunOrder::kPark);
    ASSERT_TRUE(ended) << ended.error().reason();
    EXPECT_EQ(warnings_, std::vector<std::string>());
    EXPECT_EQ(ledger().size(), 1u);
    set("strength-minutes", "0.002");
  }
}

TEST_F(StrengthInTheLoop, TakesItsShareOfTheProcessorOnly) {
  set("strength-share", "0.05");
  play_lines(3);
  const auto lines = ledger();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const double time = lines[i]["seconds"], used = lines[i]["cpu_seconds"];
    EXPECT_GT(used, 0);
    EXPECT_LE(used, 0.05 * 2 * time + 0.02) << lines[i];
  }
}

TEST_F(StrengthInTheLoop, GradesOnLabels) {
  const auto labels = folder_ / "labels.jsonl";
  write_text(labels,
             "{\"position\": \"b2a1\", \"best\": [\"c3\", \"a3\", \"c1\"]}\n"
             "{\"position\": \"b2a1c1\", \"best\": [\"a3\"]}\n");
  set("strength-labels", labels.string());
  double shown = -1;
  const auto ended = play_until([&](const RunProgress& now) {
    if (std::isfinite(now.strength.grade)) shown = now.strength.grade;
    return shown >= 0;
  });
  ASSERT_TRUE(ended) << ended.error().reason();
  const nlohmann::json line = ledger()[2], grade = line["grades"][0];
  EXPECT_EQ(line["id"], ledger()[1]["id"]);
  EXPECT_EQ(grade["case"], "tic_tac_toe");
  EXPECT_EQ(grade["metric"], "best");
  EXPECT_EQ(grade["unit"], "share");
  EXPECT_LE(grade["low"], grade["value"]);
  EXPECT_GE(grade["high"], grade["value"]);
  EXPECT_LE(grade["high"], 1);
  EXPECT_EQ(line["grades"][2]["value"], 2);  // positions

  // Files that are missing or wrong, and a resume without any.
  const auto refusal = [&] {
    const auto played = play_until([](const RunProgress&) { return true; });
    EXPECT_FALSE(played);
    return played ? "" : played.error().reason();
  };
  const auto other = folder_ / "other.jsonl";
  set("strength-labels", other.string());
  write_text(other, "{\"position\": \"b2b2\", \"best\": [\"c3\"]}\n");
  EXPECT_EQ(refusal().find("strength-labels: " + other.string() + ": line 1: "), 0u) << refusal();
  std::filesystem::remove(other);
  EXPECT_EQ(refusal(), "strength-labels: " + other.string() + ": No such file or directory");
  // A run that had them plays on without.
  set("strength-labels", labels.string());
  std::filesystem::remove(labels);
  play_lines(1);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_EQ(warnings_[0], "strength-labels: " + labels.string() +
                              ": No such file or directory: the run continues without grades");
  EXPECT_FALSE(ledger().back().contains("grades"));
  set("strength-labels", "");
  play_lines(1);
  EXPECT_FALSE(ledger().back().contains("grades"));
}

TEST_F(StrengthInTheLoop, WithoutMatchesThereIsNoLadder) {
  set("strength-minutes", "0");
  const auto ended = play_until([](const RunProgress& now) { return now.learn.iterations > 1; });
  ASSERT_TRUE(ended) << ended.error().reason();
  EXPECT_FALSE(std::filesystem::exists(ledger_file()));
  EXPECT_FALSE(std::filesystem::exists(best_file()));
  EXPECT_TRUE(std::isnan(ended->progress.strength.rating.value));
}

TEST_F(StrengthInTheLoop, WrongSettingsAreNamed) {
  const auto refusal = [&] {
    const Result<void> checked = check_config(game_table<RunGame, TicTacToe>(), config_);
    return checked ? "" : checked.error().reason();
  };
  EXPECT_EQ(refusal(), "");
  set("gating", "1");
  set("strength-minutes", "0");
  EXPECT_EQ(refusal().find("gating: "), 0u) << refusal();
  set("strength-minutes", "1");
  for (const char* const text : {"", "5", "5,5", "x,y", "0,1e9"}) {
    set("strength-sprt", text);
    EXPECT_EQ(refusal().find("strength-sprt "), 0u) << refusal();
  }
  EXPECT_FALSE(apply_setting(config_, "strength-share", "0"));
  EXPECT_FALSE(apply_setting(config_, "strength-minutes", "-1"));
}

}  // namespace
}  // namespace senet
