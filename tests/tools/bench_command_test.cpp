// senet bench: every benchmark with a tiny budget; the lines are well-formed and the counts make
// sense. How fast anything is, no test asks.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/tools/program.hpp"

namespace senet {
namespace {

using Json = nlohmann::json;

struct BenchRun {
  std::vector<Json> lines;
  std::map<std::string, double> values;  // of the first case; what is null is not there
};

/// Runs a benchmark with --json and checks what holds for every line.
BenchRun bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  arguments.push_back("--json");
  const ProgramRun run = run_senet(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  BenchRun bench;
  std::istringstream text(run.out);
  std::string first_case;
  for (std::string line; std::getline(text, line);) {
    const Json json = Json::parse(line, nullptr, false);
    EXPECT_TRUE(json.is_object()) << line;
    if (!json.is_object()) continue;
    for (const char* const key : {"bench", "case", "metric", "unit"}) {
      EXPECT_TRUE(json.contains(key) && json[key].is_string() && json[key] != "") << line;
    }
    EXPECT_TRUE(json.contains("value") && (json["value"].is_number() || json["value"].is_null()))
        << line;
    bench.lines.push_back(json);
    if (bench.lines.size() == 1) continue;
    if (first_case.empty()) first_case = json["case"];
    if (json["case"] == first_case && json["value"].is_number()) {
      EXPECT_TRUE(bench.values.emplace(json["metric"], json["value"]).second) << line;
    }
  }
  EXPECT_GE(bench.lines.size(), 2u);
  EXPECT_EQ(bench.lines.at(0)["bench"], "machine");
  EXPECT_EQ(bench.lines.at(0)["metric"], "hardware_threads");
  return bench;
}

std::set<std::string> cases_of(const BenchRun& bench) {
  std::set<std::string> cases;
  for (std::size_t i = 1; i < bench.lines.size(); ++i) {
    const std::string name = bench.lines[i]["case"];
    if (name.find("/worker-") == std::string::npos) cases.insert(name);
  }
  return cases;
}

/// A network and lanes so small that a third of a second is many games of Connect Four.
std::vector<std::string> tiny_selfplay(const std::string& game) {
  return {"selfplay", "--game",    game, "--seconds", "0.3", "--warmup-seconds",
          "0.3",      "--width",   "8",  "--blocks",  "1",   "--visits",
          "20",       "--workers", "2",  "--lanes",   "8"};
}

constexpr double kLanes = 2 * 8, kVisits = 20;

double visits_of(std::map<std::string, double>& values) {
  return values["simulations_per_second"] * values["measured_seconds"];
}

void expect_sane_selfplay(BenchRun& run, double capacity) {
  auto& values = run.values;
  EXPECT_GT(values["decisions_per_second"], 0);
  EXPECT_GT(values["simulations_per_second"], values["decisions_per_second"]);
  EXPECT_GT(values["evaluations_per_second"], 0);
  EXPECT_GT(values["mean_batch_fill"], 0);
  EXPECT_LE(values["mean_batch_fill"], capacity);
  EXPECT_NEAR(values["mean_batch_fill_share"] * capacity, values["mean_batch_fill"], 1e-6);
  double shares = 0;
  for (const char* const share : {"share_forward", "share_encode", "share_tree", "share_other"}) {
    ASSERT_TRUE(values.contains(share));
    EXPECT_GE(values[share], 0);
    shares += values[share];
  }
  EXPECT_NEAR(shares, 1, 0.02);
  EXPECT_EQ(values["workers"], 2);
  EXPECT_EQ(values["lanes_per_worker"], 8);
  EXPECT_GT(values["resident"], 1);
  // Counted, or said to be unknown (sanitizer builds).
  if (values.contains("own_allocations_per_simulation")) {
    // The records of the games still grow now and then; nothing grows with the visits.
    EXPECT_LT(values["own_allocations_per_simulation"] * visits_of(values), kLanes * 40);
    EXPECT_GE(values["allocations_per_simulation"], values["own_allocations_per_simulation"]);
  }
}

TEST(BenchCommand, SelfPlayWithPolicyPriors) {
  std::vector<std::string> arguments = tiny_selfplay("connect_four");
  arguments.insert(arguments.end(), {"--evaluator", "fused"});
  BenchRun run = bench(arguments);
  EXPECT_EQ(cases_of(run),
            std::set<std::string>{"connect_four/position/width-8-blocks-1/visits-20/fused"});
  expect_sane_selfplay(run, 64);
  // Rows are counted at once, visits when their search ends.
  EXPECT_LE(run.values["evaluations_per_visit"], 1 + kLanes * kVisits / visits_of(run.values));
  EXPECT_GT(run.values["games_per_minute"], 0);
  EXPECT_GE(run.values["decisions_per_game"], 4);
  EXPECT_LE(run.values["plies_per_game"], 42);
  // A lane asks about one position at a time.
  EXPECT_LE(run.values["mean_batch_fill"], 8);
}

TEST(BenchCommand, SelfPlayOfBackgammonWithAfterstates) {
  std::vector<std::string> arguments = tiny_selfplay("backgammon");
  arguments.insert(arguments.end(),
                   {"--mode", "afterstates", "--evaluator", "hash", "--batch", "32"});
  BenchRun run = bench(arguments);
  expect_sane_selfplay(run, 32);
  EXPECT_GT(run.values["evaluations_per_visit"], 1);
}

TEST(BenchCommand, OneDnnAllocatesInsideTheForwardPassOnly) {
  std::vector<std::string> arguments = tiny_selfplay("connect_four");
  arguments.insert(arguments.end(), {"--evaluator", "onednn", "--exact"});
  BenchRun run = bench(arguments);
  expect_sane_selfplay(run, 64);
  if (run.values.contains("allocations_per_simulation")) {
    EXPECT_GT(run.values["allocations_per_simulation"], 0.01);
  }
}

TEST(BenchCommand, RepeatsGiveMedianLeastAndGreatest) {
  const BenchRun run = bench({"peak", "--seconds", "0.01", "--repeat", "3", "--workers", "1"});
  for (std::size_t i = 1; i < run.lines.size(); ++i) {
    const Json& line = run.lines[i];
    EXPECT_EQ(line["repeats"], 3);
    EXPECT_LE(line["min"], line["value"]);
    EXPECT_LE(line["value"], line["max"]);
    EXPECT_GT(line["min"], 0);
  }
}

TEST(BenchCommand, Forward) {
  BenchRun run = bench(
      {"forward", "--game", "backgammon", "--seconds", "0.02", "--width", "16", "--blocks", "1"});
  // Two evaluators at four batch sizes.
  EXPECT_EQ(cases_of(run).size(), 8u);
  EXPECT_GT(run.values["states_per_second"], 0);
  EXPECT_GT(run.values["share_of_peak"], 0);
  if (run.values.contains("allocations_per_forward")) {
    EXPECT_EQ(run.values["allocations_per_forward"], 0);  // the fused one
  }
}

TEST(BenchCommand, Train) {
  BenchRun run = bench(
      {"train", "--game", "connect_four", "--seconds", "0.02", "--width", "16", "--blocks", "1"});
  EXPECT_EQ(cases_of(run),
            (std::set<std::string>{"connect_four/position/width-16-blocks-1/cpu/batch-512",
                                   "connect_four/position/width-16-blocks-1/cpu/batch-1024"}));
  EXPECT_GT(run.values["samples_per_second"], 0);
}

TEST(BenchCommand, WithoutANameTheStandardSet) {
  const BenchRun run =
      bench({"--seconds", "0.1", "--warmup-seconds", "0", "--width", "8", "--blocks", "0",
             "--visits", "4", "--lanes", "4", "--evaluator", "hash"});
  EXPECT_EQ(cases_of(run),
            (std::set<std::string>{"connect_four/position/width-8-blocks-0/visits-4/hash",
                                   "backgammon/position/width-8-blocks-0/visits-4/hash",
                                   "backgammon/afterstates/width-8-blocks-0/visits-4/hash"}));
}

TEST(BenchCommand, SaysWhatIsWrong) {
  expect_failure(run_senet({"bench", "selfplay", "--game", "chess"}), 2, "bench", "chess");
  expect_failure(run_senet({"bench", "selfplay", "--mode", "both"}), 2, "bench", "both");
  expect_failure(run_senet({"bench", "selfplay", "--workers", "0"}), 2, "bench", "--workers");
  expect_failure(
      run_senet({"bench", "selfplay", "--game", "connect_four", "--mode", "afterstates"}), 2,
      "bench", "afterstates");
  expect_failure(run_senet({"bench", "forward", "--network", "nowhere.safetensors"}), 2, "bench",
                 "nowhere.safetensors");
}

}  // namespace
}  // namespace senet
