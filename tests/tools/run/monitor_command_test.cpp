// senet monitor: a run that plays, has ended, was killed; and what it writes for other programs.
#include <gtest/gtest.h>
#include <signal.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/tools/background_program.hpp"
#include "tests/tools/run/tiny_run.hpp"
#include "train_bridge/metrics_map.hpp"

namespace senet {
namespace {

class MonitorCommand : public TinyRun {
 protected:
  static nlohmann::json figures_of(const std::filesystem::path& folder) {
    const ProgramRun shown = run_senet({"monitor", folder.string(), "--json"});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    return nlohmann::json::parse(shown.out, nullptr, false);
  }
  std::string output(const Arguments& more) const {
    const ProgramRun shown = run_senet(with({"monitor", run().string()}, more));
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    return shown.out;
  }
  /// A map of a finished run with an hour of history, in place of a run.
  void make_map() const {
    std::filesystem::create_directories(run());
    const std::vector<MetricName> names = {{"seconds", "s"},
                                           {"games", "games"},
                                           {"games_per_minute", "games/min"},
                                           {"value_loss", "nats"},
                                           {"forward_share", "share"}};
    MetricsMap map =
        MetricsMap::open(run() / "metrics.map", "a <game>", names, names.size()).value();
    for (int i = 0; i < 3600; ++i) {
      map.write(std::vector<double>{double(i), i * 10.0, 600, 1 / (1 + i * 0.01), 0.5});
      map.remember();
    }
    map.note("network 1 & \"more\"");
    map.end();
  }
};

std::vector<std::string> text_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
}

TEST_F(MonitorCommand, ShowsARunThatHasEnded) {
  const ProgramRun played = run_senet(tiny({"--games", "300"}));
  ASSERT_EQ(played.exit_code, 0) << played.err;
  const nlohmann::json shown = figures_of(run());
  EXPECT_EQ(shown["state"], "ended");
  EXPECT_EQ(shown["game"], "tic_tac_toe");
  EXPECT_GE(shown["figures"]["games"], 300);
  EXPECT_GT(shown["figures"]["steps"], 0);
  EXPECT_EQ(shown["events"].back()["event"], "ended");
  // The newest line of metrics.jsonl has the same figures.
  std::ifstream stream(run() / "metrics.jsonl");
  std::string line, last;
  while (std::getline(stream, line)) last = line;
  const nlohmann::json recorded = nlohmann::json::parse(last);
  for (const auto& [name, value] : recorded.items()) {
    ASSERT_TRUE(shown["figures"].contains(name)) << name;
    if (value.is_null()) {  // no match was played, and it is no puzzle
      EXPECT_TRUE(shown["figures"][name].is_null()) << name;
      EXPECT_TRUE(name.starts_with("match_") || name == "grade" || name == "solved_share") << name;
      continue;
    }
    ASSERT_TRUE(value.is_number() && shown["figures"][name].is_number()) << name << " " << last;
    EXPECT_NEAR(shown["figures"][name].get<double>(), value.get<double>(),
                1e-5 * std::abs(value.get<double>()) + 1e-6)
        << name;
  }
  const std::vector<std::string> lines = text_lines(output({}));
  EXPECT_NE(lines.front().find("tic_tac_toe"), std::string::npos);
  EXPECT_NE(lines.front().find("ended"), std::string::npos);
  EXPECT_LE(lines.size(), 24u);
  for (const std::string& text : lines) EXPECT_EQ(columns_of(text), 80u) << text;
}

// A match that every network wins: its figures and its event.
TEST_F(MonitorCommand, ShowsStrengthOverTime) {
  BackgroundProgram daemon(tiny({"--strength-minutes", "0.001", "--strength-pairs", "4",
                                 "--strength-sprt=-700,-300", "--strength-share", "1"}));
  nlohmann::json shown;
  const auto has_beaten = [&] {
    return std::ranges::any_of(shown["events"], [](const nlohmann::json& event) {
      return event["event"].get<std::string>().find(" beats 0: ") != std::string::npos;
    });
  };
  for (int i = 0; i < 1200 && (shown.is_null() || !has_beaten()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const ProgramRun once = run_senet({"monitor", run().string(), "--json"});
    if (once.exit_code == 0) shown = nlohmann::json::parse(once.out);
  }
  daemon.send(SIGTERM);
  EXPECT_EQ(daemon.wait(), 0);
  ASSERT_TRUE(has_beaten()) << shown;
  const nlohmann::json figures = figures_of(run())["figures"];
  EXPECT_GT(figures["best_network"], 0);
  EXPECT_TRUE(figures["match_pairs"].is_number());  // of a match that was begun: 0
  for (const std::string name : {"rating", "match"}) {
    const double value = figures[name == "match" ? "match_difference" : name];
    EXPECT_LE(figures[name + "_low"], value);
    EXPECT_GE(figures[name + "_high"], value);
  }
  const std::string drawn = output({}), prometheus = output({"--prometheus"});
  for (const char* const text : {"─ Strength ─", "rating", "last match", "best network", " ±"}) {
    EXPECT_NE(drawn.find(text), std::string::npos) << drawn;
  }
  for (const std::string& line : text_lines(drawn)) EXPECT_EQ(columns_of(line), 80u) << line;
  EXPECT_NE(prometheus.find("senet_rating_low{"), std::string::npos);
  const auto page = folder_ / "page.html";
  output({"--html", page.string()});
  EXPECT_NE(text_of(page).find("best network"), std::string::npos);
}

TEST_F(MonitorCommand, CallsAKilledDaemonDead) {
  BackgroundProgram daemon(tiny({}));
  const auto state = [&] {
    const ProgramRun shown = run_senet({"monitor", run().string(), "--json"});
    return shown.exit_code == 0 ? nlohmann::json::parse(shown.out)["state"].get<std::string>() : "";
  };
  const auto wait_for = [&](const std::string& wanted) {
    for (int i = 0; i < 600 && state() != wanted; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    EXPECT_EQ(state(), wanted);
  };
  wait_for("running");
  daemon.send(SIGKILL);
  wait_for("DEAD");
  EXPECT_NE(output({}).find("DEAD for 00:0"), std::string::npos);
  EXPECT_NE(output({"--prometheus"}).find("} 0\n"), std::string::npos);
}

TEST_F(MonitorCommand, CallsARunWithoutProgressStuck) {
  std::filesystem::create_directories(run());
  const std::vector<MetricName> names = {{"phase", ""}, {"stalled_seconds", "s"}};
  MetricsMap map = MetricsMap::open(run() / "metrics.map", "a game", names, 0).value();
  // A slow machine may take a heartbeat of two seconds ago for a dead daemon's.
  const auto shows = [&](double stalled, const Arguments& more, const std::string& text) {
    std::string shown;
    for (int i = 0; i < 60 && shown.find(text) == std::string::npos; ++i) {
      map.write(std::vector<double>{0, stalled});
      shown = output(more);
    }
    EXPECT_NE(shown.find(text), std::string::npos) << shown;
  };
  shows(59, {"--json"}, "\"running\"");
  shows(75, {"--json"}, "\"STUCK\"");
  shows(75, {}, "STUCK for 01:15");
  shows(75, {"--prometheus"}, "} 1\n");
}

TEST_F(MonitorCommand, WritesForOtherPrograms) {
  make_map();
  const std::string prometheus = output({"--prometheus"});
  const std::regex sample(R"(senet_[a-z_0-9]+\{game="a <game>",run="[^"]*"\} [-0-9.e+NaInf]+)");
  for (const std::string& line : text_lines(prometheus)) {
    if (line.starts_with("# HELP senet_") || line.starts_with("# TYPE senet_")) continue;
    EXPECT_TRUE(std::regex_match(line, sample)) << line;
  }
  EXPECT_NE(prometheus.find("senet_games{"), std::string::npos);

  const auto page_file = folder_ / "page.html";
  output({"--html", page_file.string()});
  std::ifstream stream(page_file);
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_NE(page.find("a &lt;game&gt;"), std::string::npos);
  EXPECT_NE(page.find("network 1 &amp; &quot;more&quot;"), std::string::npos);
  EXPECT_NE(page.find("games per minute"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos) << "refers to another file";
  EXPECT_EQ(page.find("nan"), std::string::npos);

  output({"--tensorboard", (folder_ / "board").string()});
  const std::filesystem::directory_iterator files(folder_ / "board");
  ASSERT_NE(files, std::filesystem::directory_iterator());
  EXPECT_TRUE(files->path().filename().string().starts_with("events.out.tfevents."));
}

// Its bars are those of the last hour: of a rate that has not changed since then, all are equal.
TEST_F(MonitorCommand, TheDashboardShowsTheLastHour) {
  std::filesystem::create_directories(run());
  const std::vector<MetricName> names = {{"games_per_minute", "games/min"}};
  MetricsMap map = MetricsMap::open(run() / "metrics.map", "game", names, names.size()).value();
  for (int i = 0; i < 7200; ++i) {
    map.write(std::vector<double>{i < 3600 ? 100.0 + i : 600.0});
    map.remember();
  }
  const std::vector<std::string> lines = text_lines(output({}));
  const auto line = std::ranges::find_if(
      lines, [](const auto& text) { return text.find("games/min") != std::string::npos; });
  ASSERT_NE(line, lines.end());
  std::size_t bars = 0;
  for (std::size_t at = line->find("▅"); at != std::string::npos; at = line->find("▅", at + 1)) {
    ++bars;
  }
  EXPECT_GT(bars, 5u) << *line;
  for (const char* other : {"▁", "▂", "▃", "▄", "▆", "▇", "█"}) {
    EXPECT_EQ(line->find(other), std::string::npos) << *line;
  }
}

TEST_F(MonitorCommand, FindsTheLatestRun) {
  make_map();
  std::filesystem::create_directories(folder_ / "older");
  std::filesystem::copy(run() / "metrics.map", folder_ / "older" / "metrics.map");
  const auto time = std::filesystem::last_write_time(run() / "metrics.map");
  std::filesystem::last_write_time(folder_ / "older" / "metrics.map", time - std::chrono::hours(1));
  const ProgramRun shown = run_senet({"monitor", "--latest", folder_.path().string(), "--json"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(nlohmann::json::parse(shown.out)["run"], run().string());
}

TEST_F(MonitorCommand, RefusesWhatIsNoRun) {
  const auto refused = [](const Arguments& arguments, int code, std::string_view reason) {
    const ProgramRun shown = run_senet(with({"monitor"}, arguments));
    EXPECT_EQ(shown.exit_code, code);
    EXPECT_NE(shown.err.find(reason), std::string::npos) << shown.err;
    EXPECT_EQ(std::ranges::count(shown.err, '\n'), 1) << shown.err;
  };
  refused({}, 2, "name a run folder");
  refused({run().string()}, 1, "metrics.map: cannot open: No such file");
  refused({"--latest", folder_.path().string()}, 2, "no folder of a run");
  refused({"--latest", "/nowhere"}, 2, "/nowhere: No such file");
}

}  // namespace
}  // namespace senet
