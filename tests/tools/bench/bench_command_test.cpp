// senet bench: every benchmark with a tiny budget. The lines are well-formed and the counts are
// plausible. No test checks speeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "games/backgammon/backgammon.hpp"
#include "games/connect_four/connect_four.hpp"
#include "nn/safetensors.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

using OrderedJson = nlohmann::ordered_json;

const std::vector<std::string> kKeys = {"bench", "case", "metric", "value",
                                        "unit",  "min",  "max",    "repeats"};

struct BenchRun {
  std::vector<OrderedJson> lines;
  std::map<std::string, double> values;  // of the first case, without null values

  /// The values of the named case.
  std::map<std::string, double> of(const std::string& name) const {
    std::map<std::string, double> found;
    for (const OrderedJson& line : lines) {
      if (line["case"] == name && line["value"].is_number()) {
        EXPECT_TRUE(found.emplace(line["metric"], line["value"]).second) << line;
      }
    }
    return found;
  }
};

/// Runs a benchmark with --json and checks the format of all lines.
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
    const OrderedJson json = OrderedJson::parse(line, nullptr, false);
    EXPECT_TRUE(json.is_object()) << line;
    if (!json.is_object()) continue;
    std::vector<std::string> keys;
    for (const auto& item : json.items()) keys.push_back(item.key());
    EXPECT_EQ(keys, kKeys) << line;
    if (keys != kKeys) continue;
    for (const char* const key : {"bench", "case", "metric", "unit"}) {
      EXPECT_TRUE(json[key].is_string() && json[key] != "") << line;
    }
    EXPECT_TRUE(json["repeats"].is_number_unsigned() && json["repeats"] >= 1) << line;
    EXPECT_TRUE(json["value"].is_number() || json["value"].is_null()) << line;
    EXPECT_EQ(json["value"].is_null(), json["min"].is_null() && json["max"].is_null()) << line;
    if (json["value"].is_number()) {
      EXPECT_LE(json["min"], json["value"]) << line;
      EXPECT_LE(json["value"], json["max"]) << line;
    }
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

/// A small network and few lanes, so that many games of Connect Four take a third of a second.
std::vector<std::string> tiny_selfplay(const std::string& game) {
  return {"selfplay", "--game",    game, "--seconds", "0.3", "--warmup-seconds",
          "0.3",      "--width",   "8",  "--blocks",  "1",   "--visits",
          "20",       "--workers", "2",  "--lanes",   "8"};
}

constexpr double kLanesInAll = 2 * 8, kVisitsASearch = 20;

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
    EXPECT_GE(values[share], -1e-9);
    shares += values[share];
  }
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_EQ(values["workers"], 2);
  EXPECT_EQ(values["lanes_per_worker"], 8);
  EXPECT_GT(values["resident"], 1);
  EXPECT_NEAR(values["tree_over_forward"] * values["share_forward"], values["share_tree"], 1e-9);
  EXPECT_GT(values["nonzeros"], 1);
  EXPECT_GE(values["legal_moves"], 1);
  EXPECT_GT(values["plies_per_visit"], 0);
  EXPECT_GT(values["bytes_per_visited_node"], 32);
  EXPECT_GT(values["reserved_bytes_per_visited_node"], values["bytes_per_visited_node"]);
  // Not counted in sanitizer builds.
  if (values.contains("own_allocations_per_simulation")) {
    // Only the records of the games still grow occasionally; nothing grows with the visits.
    EXPECT_LT(values["own_allocations_per_simulation"] * visits_of(values), kLanesInAll * 40);
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
  // Rows are counted immediately, visits when their search ends.
  EXPECT_LE(run.values["evaluations_per_visit"],
            1 + kLanesInAll * kVisitsASearch / visits_of(run.values));
  EXPECT_GT(run.values["games_per_minute"], 0);
  EXPECT_GE(run.values["decisions_per_game"], 4);
  EXPECT_LE(run.values["plies_per_game"], 42);
  // Each lane has at most one row in a batch.
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
    const OrderedJson& line = run.lines[i];
    EXPECT_EQ(line["repeats"], 3);
    EXPECT_GT(line["min"], 0);
  }
}

TEST(BenchCommand, Forward) {
  BenchRun run = bench({"forward", "--game", "backgammon", "--seconds", "0.02", "--width", "16",
                        "--blocks", "1", "--games", "1", "--repeat", "2"});
  // Two evaluators at four batch sizes with two kinds of rows.
  EXPECT_EQ(cases_of(run).size(), 16u);
  for (const std::string& name : cases_of(run)) {
    auto values = run.of(name);
    const bool dense = name.find("/dense/") != std::string::npos;
    const bool fused = name.find("/fused/") != std::string::npos;
    EXPECT_GT(values["states_per_second"], 0) << name;
    EXPECT_GT(values["latency"], 0) << name;
    EXPECT_GT(values["peak_gflops"], 0) << name;
    EXPECT_GT(values["peak_fraction"], 0) << name;
    if (dense) {
      EXPECT_EQ(values["nonzeros"], Backgammon::kFeatures) << name;
      EXPECT_EQ(values["requested_logits"], Backgammon::kPolicyLogits) << name;
    } else {
      EXPECT_GT(values["nonzeros"], 10) << name;
      EXPECT_LE(values["nonzeros"], Backgammon::kMaxActive) << name;
      // Searched positions have at least two moves.
      EXPECT_GE(values["requested_logits"], 2) << name;
      EXPECT_LT(values["requested_logits"], 100) << name;
    }
    if (fused && values.contains("allocations_per_forward")) {
      EXPECT_EQ(values["allocations_per_forward"], 0) << name;
    }
  }
}

TEST(BenchCommand, TreeCountsAreTheSameInEveryRun) {
  const auto arguments = [](const std::string& game) {
    return std::vector<std::string>{"tree", "--game",  game, "--seconds", "0.02", "--games",
                                    "1",    "--width", "8",  "--blocks",  "0",    "--visits",
                                    "60",   "--lanes", "4",  "--repeat",  "2"};
  };
  for (const std::string game : {"connect_four", "backgammon"}) {
    BenchRun run = bench(arguments(game));
    EXPECT_EQ(cases_of(run), std::set<std::string>{game + "/position/visits-60/lanes-4"});
    auto& values = run.values;
    EXPECT_GT(values["simulations_per_second"], 0);
    EXPECT_GE(values["simulations_per_second_of_tree"], values["simulations_per_second"]);
    // A visit needs at most one evaluation.
    EXPECT_GT(values["evaluations_per_visit"], 0.3);
    EXPECT_LE(values["evaluations_per_visit"], 1);
    EXPECT_GE(values["legal_moves"], 1);
    EXPECT_GT(values["plies_per_visit"], 1);
    EXPECT_LT(values["plies_per_visit"], 60);
    const double nodes = game == "backgammon" ? 2 : 1;  // chance nodes for the dice
    EXPECT_LE(values["nodes_per_visit"], nodes);
    EXPECT_GT(values["bytes_per_visited_node"], 32 + 24);  // a node and a state
    EXPECT_GT(values["reserved_bytes_per_visited_node"], values["bytes_per_visited_node"]);
    if (values.contains("allocations_per_simulation")) {
      EXPECT_EQ(values["allocations_per_simulation"], 0);
    }
    std::set<std::string> counts = {"legal_moves", "plies_per_visit", "evaluations_per_visit",
                                    "nodes_per_visit", "bytes_per_visited_node"};
    for (std::size_t i = 1; i < run.lines.size(); ++i) {
      if (!counts.contains(run.lines[i]["metric"])) continue;
      EXPECT_EQ(run.lines[i]["min"], run.lines[i]["max"]) << run.lines[i];
    }
    EXPECT_EQ(run.of(game + "/position/visits-60/lanes-4")["nodes_per_visit"],
              bench(arguments(game)).values["nodes_per_visit"]);
  }
}

TEST(BenchCommand, TreeWithAfterstatesAsksForWholeFamilies) {
  BenchRun run =
      bench({"tree", "--mode", "afterstates", "--seconds", "0.02", "--games", "1", "--width", "8",
             "--blocks", "0", "--visits", "30", "--lanes", "4", "--batch", "16"});
  EXPECT_GT(run.values["evaluations_per_visit"], 2);
  EXPECT_NEAR(run.values["evaluations_per_visit"], run.values["legal_moves"],
              run.values["legal_moves"] / 2);
}

// The hash table affects only times and memory.
TEST(BenchCommand, BothTablesGrowTheSameTrees) {
  const auto run = [](const std::string& table) {
    return bench({"tree", "--game", "connect_four", "--seconds", "0.02", "--games", "1", "--width",
                  "8", "--blocks", "0", "--visits", "200", "--lanes", "4", "--table", table});
  };
  BenchRun own = run("epoch"), flat = run("flat");
  EXPECT_EQ(cases_of(own), std::set<std::string>{"connect_four/position/visits-200/lanes-4"});
  EXPECT_EQ(cases_of(flat),
            std::set<std::string>{"connect_four/position/visits-200/lanes-4/table-flat"});
  for (const char* const count :
       {"legal_moves", "plies_per_visit", "evaluations_per_visit", "nodes_per_visit"}) {
    EXPECT_EQ(own.values[count], flat.values[count]) << count;
  }
  if (flat.values.contains("allocations_per_simulation")) {
    EXPECT_EQ(flat.values["allocations_per_simulation"], 0);
  }
}

TEST(BenchCommand, SessionsInOneProcessAndInOneEach) {
  for (const char* const game : {"connect_four", "backgammon"}) {
    BenchRun run =
        bench({"sessions", "--game", game, "--sessions", "1,3", "--milliseconds", "5", "--visits",
               "20", "--width", "16", "--blocks", "1", "--seconds", "0.1", "--processes"});
    const std::string subject = std::string(game) + "/width-16-blocks-1/";
    EXPECT_EQ(cases_of(run), (std::set<std::string>{
                                 subject + "sessions-1/5-ms", subject + "sessions-3/5-ms",
                                 subject + "sessions-1/20-visits", subject + "sessions-3/20-visits",
                                 subject + "processes-3/20-visits"}));
    auto timed = run.of(subject + "sessions-3/5-ms");
    EXPECT_GE(timed["latency_p99"], timed["latency_p50"]);
    EXPECT_GT(timed["visits_per_search"], 1);
    auto counted = run.of(subject + "sessions-3/20-visits");
    EXPECT_GT(counted["searches_per_second"], 0);
    EXPECT_LE(counted["visits_per_search"], 20);
    EXPECT_GT(run.of(subject + "processes-3/20-visits")["searches_per_second"], 0);
  }
}

TEST(BenchCommand, ALoneSessionOnSeveralWorkers) {
  const BenchRun run = bench({"sessions", "--game", "backgammon", "--sessions", "1", "--workers",
                              "1,2", "--milliseconds", "5", "--visits", "20", "--width", "16",
                              "--blocks", "1", "--seconds", "0.1"});
  const std::string subject = "backgammon/width-16-blocks-1/sessions-1/";
  EXPECT_EQ(cases_of(run), (std::set<std::string>{
                               subject + "5-ms/workers-1", subject + "5-ms/workers-2",
                               subject + "20-visits/workers-1", subject + "20-visits/workers-2"}));
}

TEST(BenchCommand, Playout) {
  // Known for random play of tic-tac-toe: 7.6 plies, and the first player wins 58.5 % of the games.
  BenchRun tiny = bench({"playout", "--game", "tic_tac_toe", "--seconds", "0.01"});
  EXPECT_NEAR(tiny.values["plies_per_game"], 7.6, 0.2);
  EXPECT_NEAR(tiny.values["first_player_wins"], 0.585, 0.05);
  EXPECT_EQ(tiny.values["decisions_per_game"], tiny.values["plies_per_game"]);

  BenchRun run = bench({"playout", "--seconds", "0.01", "--repeat", "2"});
  EXPECT_EQ(cases_of(run), (std::set<std::string>{"connect_four", "backgammon"}));
  EXPECT_NEAR(run.values["plies_per_game"], 21.3, 0.7);
  auto backgammon = run.of("backgammon");
  // Every turn is a roll and a move, including the last one.
  EXPECT_NEAR(backgammon["plies_per_game"], 2 * backgammon["decisions_per_game"], 1e-9);
  EXPECT_NEAR(backgammon["first_player_wins"], 0.5, 0.06);
  for (auto* const values : {&run.values, &backgammon}) {
    EXPECT_GT((*values)["games_per_second"], 0);
    if (values->contains("allocations_per_game")) {
      EXPECT_EQ((*values)["allocations_per_game"], 0);
    }
  }
}

/// Compares the file of --save-batch with the figures of its batch.
void expect_batch_of_positions(const std::string& file, std::map<std::string, double> reported) {
  const std::string bytes = text_of(file);
  const auto header = parse_safetensors(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(header) << header.error().reason();
  const std::vector<StoredTensor>& tensors = header->tensors;
  ASSERT_EQ(tensors.size(), 4u);
  const std::uint64_t rows = 1024, most = tensors[2].shape.back();
  using Shape = std::vector<std::uint64_t>;
  const auto values = [&](std::size_t tensor, const char* name, const Shape& shape) {
    EXPECT_EQ(tensors[tensor].name, name);
    EXPECT_EQ(tensors[tensor].shape, shape) << name;
    std::vector<float> found((tensors[tensor].end - tensors[tensor].begin) / sizeof(float));
    std::memcpy(found.data(), bytes.data() + header->data_start + tensors[tensor].begin,
                found.size() * sizeof(float));
    return found;
  };
  const auto features = values(0, "features", {rows, ConnectFour::kFeatures});
  const auto outcomes = values(1, "outcomes", {rows, kOutcomes<ConnectFour>});
  const auto targets = values(2, "targets", {rows, most});
  const auto logits = values(3, "logits", {rows, most, ConnectFour::kLogitsPerAction});
  const auto nonzero = [](float value) { return value != 0; };
  EXPECT_EQ(static_cast<double>(std::ranges::count_if(features, nonzero)) / rows,
            reported["nonzeros"]);
  EXPECT_EQ(std::ranges::count(outcomes, 1.0f), rows);
  EXPECT_EQ(static_cast<double>(std::ranges::count_if(targets, nonzero)) / rows,
            reported["policy_targets"]);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    EXPECT_EQ(logits[i] >= 0, targets[i] > 0);
    EXPECT_LT(logits[i], ConnectFour::kPolicyLogits);
  }
  for (std::uint64_t row = 0; row < rows; ++row) {
    EXPECT_NEAR(std::accumulate(&targets[row * most], &targets[row * most] + most, 0.0f), 1, 1e-5);
  }
}

TEST(BenchCommand, Train) {
  const TemporaryFolder folder;
  const std::string batch = (folder.path() / "batch.safetensors").string();
  BenchRun run =
      bench({"train", "--game", "connect_four", "--seconds", "0.02", "--width", "16", "--blocks",
             "1", "--games", "2", "--workers", "1,2", "--save-batch", batch});
  const std::string shape = "connect_four/position/width-16-blocks-1/";
  std::set<std::string> expected;
  for (const char* rows : {"sparse/cpu/batch-512", "sparse/cpu/batch-1024", "dense/cpu/batch-512",
                           "dense/cpu/batch-1024"}) {
    for (const char* threads : {"/threads-1", "/threads-2"})
      expected.insert(shape + rows + threads);
  }
  EXPECT_EQ(cases_of(run), expected);
  for (const std::string& name : cases_of(run)) {
    auto values = run.of(name);
    const bool dense = name.find("/dense/") != std::string::npos;
    EXPECT_GT(values["samples_per_second"], 0) << name;
    EXPECT_GT(values["peak_fraction"], 0) << name;
    if (dense) {
      EXPECT_EQ(values["nonzeros"], ConnectFour::kFeatures) << name;
      EXPECT_EQ(values["policy_targets"], ConnectFour::kPolicyLogits) << name;
    } else {
      EXPECT_LE(values["nonzeros"], ConnectFour::kMaxActive) << name;
      EXPECT_GE(values["policy_targets"], 2) << name;
    }
    if (values.contains("allocations_per_step")) {
      EXPECT_EQ(values["allocations_per_step"], 0) << name;
    }
  }
  expect_batch_of_positions(batch, run.of(shape + "sparse/cpu/batch-1024/threads-1"));
}

TEST(BenchCommand, OverlapOfPlayAndTraining) {
  BenchRun run = bench({"overlap", "--game", "tic_tac_toe", "--seconds", "0.2", "--repeat", "2",
                        "--workers", "1", "--width", "8", "--blocks", "0"});
  EXPECT_EQ(cases_of(run),
            std::set<std::string>{"tic_tac_toe/position/width-8-blocks-0/cpu/workers-1"});
  auto& values = run.values;
  for (const char* const rate :
       {"evaluations_per_second_alone", "evaluations_per_second_with_trainer",
        "games_per_minute_alone", "games_per_minute_with_trainer", "steps_per_second"}) {
    EXPECT_GT(values[rate], 0) << rate;
  }
  EXPECT_LT(values["slowdown"], 1);
  EXPECT_GE(values["longest_swap_time"], values["swap_time"]);
}

TEST(BenchCommand, WorkersAreComparedInOneRun) {
  std::vector<std::string> arguments = tiny_selfplay("connect_four");
  *std::ranges::find(arguments, "2") = "1,2";
  arguments.insert(arguments.end(), {"--evaluator", "hash", "--repeat", "2"});
  BenchRun run = bench(arguments);
  const std::string name = "connect_four/position/width-8-blocks-1/visits-20/hash";
  EXPECT_EQ(cases_of(run), (std::set<std::string>{name + "/workers-1", name + "/workers-2",
                                                  name + "/workers-1-to-2"}));
  EXPECT_EQ(run.of(name + "/workers-1")["workers"], 1);
  EXPECT_EQ(run.of(name + "/workers-2")["workers"], 2);
  EXPECT_GT(run.of(name + "/workers-1-to-2")["decisions_per_second_ratio"], 0);
}

struct Span {
  std::string name;
  std::int64_t begin, end;  // ns
  int rows;
};

TEST(BenchCommand, TracesAWorker) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "trace.json";
  std::vector<std::string> arguments = tiny_selfplay("backgammon");
  arguments.insert(arguments.end(), {"--evaluator", "fused", "--trace", file});
  bench(arguments);
  const OrderedJson trace = OrderedJson::parse(text_of(file), nullptr, false);
  ASSERT_TRUE(trace.is_object() && trace["traceEvents"].is_array());
  std::vector<Span> stages, lanes;
  for (const OrderedJson& event : trace["traceEvents"]) {
    if (event["ph"] == "M") continue;
    ASSERT_EQ(event["ph"], "X") << event;
    EXPECT_EQ(event["pid"], 1);
    EXPECT_EQ(event["tid"], 1);
    const auto nanoseconds = [&](const char* key) {
      return std::llround(1e3 * event[key].get<double>());
    };
    const Span span{event["name"], nanoseconds("ts"), nanoseconds("ts") + nanoseconds("dur"),
                    event["args"].value("rows", -1)};
    EXPECT_LE(span.begin, span.end);
    (span.rows < 0 ? lanes : stages).push_back(span);
  }
  // Alternating gathers and forward passes, without gaps.
  ASSERT_GE(stages.size(), 20u);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    EXPECT_EQ(stages[i].name, i % 2 == 0 ? "gather" : "forward");
    EXPECT_EQ(stages[i].begin, i == 0 ? 0 : stages[i - 1].end);
    EXPECT_GE(stages[i].rows, 1);
    EXPECT_LE(stages[i].rows, 8);  // at most one row per lane
    if (i % 2 == 1) {
      EXPECT_EQ(stages[i].rows, stages[i - 1].rows);
    }
  }
  // Lane spans do not overlap, and each is inside a gather.
  std::size_t stage = 0;
  std::set<std::string> names;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    names.insert(lanes[i].name);
    if (i > 0) {
      EXPECT_GE(lanes[i].begin, lanes[i - 1].end);
    }
    while (stage < stages.size() && stages[stage].end < lanes[i].end) stage += 2;
    ASSERT_LT(stage, stages.size());
    EXPECT_GE(lanes[i].begin, stages[stage].begin);
  }
  EXPECT_EQ(names.size(), 8u);
  EXPECT_LE(trace["traceEvents"].size(), 200u * (8 + 2) + 2);
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
  expect_failure(run_senet({"bench", "selfplay", "--game", "chess"}), 2, "bench selfplay", "chess");
  expect_failure(run_senet({"bench", "selfplay", "--mode", "both"}), 2, "bench selfplay", "both");
  for (const char* const workers : {"0", "1,", ",1", "1,1", "2,x", "1025"}) {
    expect_failure(run_senet({"bench", "selfplay", "--workers", workers}), 2, "bench selfplay",
                   "--workers");
  }
  expect_failure(run_senet({"bench", "selfplay", "--trace", "/nowhere/trace.json"}), 2,
                 "bench selfplay", "/nowhere/trace.json");
  expect_failure(
      run_senet({"bench", "selfplay", "--game", "connect_four", "--mode", "afterstates"}), 2,
      "bench selfplay", "afterstates");
  expect_failure(run_senet({"bench", "forward", "--network", "nowhere.safetensors"}), 2,
                 "bench forward", "nowhere.safetensors");
}

}  // namespace
}  // namespace senet
