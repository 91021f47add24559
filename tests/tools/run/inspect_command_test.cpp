// senet inspect: every kind of file of a run, intact and damaged.
#include <gtest/gtest.h>

#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "nn/network.hpp"
#include "selfplay/record_log.hpp"
#include "tests/tools/program.hpp"
#include "train_bridge/checkpoint.hpp"

namespace senet {
namespace {

NetworkSpec small_spec() {
  NetworkSpec spec = reference_spec<TicTacToe>();
  spec.width = 8;
  spec.blocks = 1;
  return spec;
}

/// X takes a1, b1, c1 and wins; the second move was searched.
GameRecord a_game(std::uint64_t number) {
  GameRecord record;
  record.seed = 7;
  record.game_number = number;
  record.outcomes = 3;
  record.game = "tic_tac_toe";
  record.evaluator = "hash";
  const std::array<float, 3> outcomes = {0.75f, 0.25f, 0.0f};
  const std::array<VisitCount, 2> visits = {{{3, 30}, {4, 12}}};
  record.add_decision({.action = 0, .player = 0, .kind = TurnKind::kRandom});
  record.add_decision({.action = 3,
                       .player = 1,
                       .kind = TurnKind::kFullSearch,
                       .model = record.model_index(0x1234),
                       .root_value = 0.2f,
                       .root_outcomes = outcomes,
                       .chosen_outcomes = outcomes,
                       .visits = visits});
  record.add_decision({.action = 1, .player = 0, .kind = TurnKind::kRandom});
  record.add_decision({.action = 4, .player = 1, .kind = TurnKind::kRandom});
  record.add_decision({.action = 2, .player = 0, .kind = TurnKind::kForced});
  record.end_played(0);
  return record;
}

/// Writes a new log with these games.
void write_log(const std::filesystem::path& file, const std::vector<GameRecord>& games) {
  Result<RecordLog> log = RecordLog::open(file, "tic_tac_toe", {.compression_level = 0});
  ASSERT_TRUE(log) << log.error().reason();
  for (const GameRecord& game : games) ASSERT_TRUE(log->append(game));
}

nlohmann::json inspect_json(const std::filesystem::path& file, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"inspect", file, "--json"});
  const ProgramRun run = run_senet(more);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return nlohmann::json::parse(run.out, nullptr, false);
}

TEST(InspectCommand, Network) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "w.safetensors";
  const Network network = initial_network(small_spec(), 3);
  ASSERT_TRUE(save_network(network, file));
  const auto json = inspect_json(file);
  EXPECT_EQ(json["kind"], "network");
  EXPECT_EQ(json["id"], id_text(network.id()));
  EXPECT_EQ(json["parameters"], parameter_count(small_spec()));
  EXPECT_EQ(json["spec"]["game"], "tic_tac_toe");
  EXPECT_EQ(json["spec"]["width"], 8);
  ASSERT_EQ(json["tensors"].size(), parameter_layout(small_spec()).size());
  const auto& first = json["tensors"][0];
  EXPECT_EQ(first["name"], "input.linear.weight");
  EXPECT_EQ(first["shape"], nlohmann::json::array({8, 19}));
  double squares = 0;
  for (const float weight : network.parameters().first(8 * 19)) squares += weight * weight;
  EXPECT_NEAR(first["norm"].get<double>(), std::sqrt(squares), 1e-3);

  const ProgramRun text = run_senet({"inspect", file});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find(id_text(network.id())), std::string::npos);
  EXPECT_NE(text.out.find("[8, 19]"), std::string::npos);
}

TEST(InspectCommand, Checkpoint) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "checkpoint.safetensors";
  const std::vector<float> values(parameter_count(small_spec()), 0.5f);
  Checkpoint checkpoint;
  checkpoint.trainer = initial_state(values);
  checkpoint.trainer.steps = 123;
  checkpoint.games = 45;
  checkpoint.seconds = 6.5;
  ASSERT_TRUE(save_checkpoint(checkpoint, small_spec(), file));
  const auto json = inspect_json(file);
  EXPECT_EQ(json["kind"], "checkpoint");
  EXPECT_EQ(json["counters"]["steps"], 123);
  EXPECT_EQ(json["counters"]["games"], 45);
  EXPECT_EQ(json["counters"]["seconds"], 6.5);
  EXPECT_EQ(json["spec"]["blocks"], 1);
  EXPECT_EQ(json["network"], id_text(Network(small_spec(), values).id()));
  EXPECT_EQ(run_senet({"inspect", file}).exit_code, 0);
}

TEST(InspectCommand, GameLog) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "games.senet";
  GameRecord resigned = a_game(2);
  resigned.end_resigned(1, 0);
  write_log(file, {a_game(1), resigned, a_game(9)});
  const auto json = inspect_json(file);
  EXPECT_EQ(json["kind"], "games");
  EXPECT_EQ(json["game"], "tic_tac_toe");
  EXPECT_EQ(json["records"], 3);
  EXPECT_EQ(json["damaged_bytes"], 0);
  EXPECT_EQ(json["ends"]["played"], 2);
  EXPECT_EQ(json["ends"]["resigned"], 1);
  EXPECT_EQ(json["turns_per_game"], 5);
  EXPECT_EQ(json["first_game"], 1);
  EXPECT_EQ(json["last_game"], 9);
  EXPECT_EQ(json["doubled_games"], 0);
  EXPECT_EQ(json["missing_games"], 6);
  EXPECT_EQ(json["undecodable_records"], 0);
  EXPECT_TRUE(json["first_undecodable"].is_null());
  EXPECT_EQ(json["outcomes_for_player_0"]["+1"], 3);
  EXPECT_EQ(json["games_of_model"][id_text(0x1234)], 3);
  const ProgramRun text = run_senet({"inspect", file});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("records               3"), std::string::npos) << text.out;
}

TEST(InspectCommand, OneGame) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "games.senet";
  write_log(file, {a_game(1), a_game(9)});
  const auto json = inspect_json(file, {"--game-number", "9"});
  EXPECT_EQ(json["game_number"], 9);
  ASSERT_EQ(json["turns"].size(), 5u);
  EXPECT_EQ(json["turns"][1]["move"], "a2");
  EXPECT_EQ(json["turns"][1]["value"], 0.2);  // not 0.20000000298023224
  EXPECT_EQ(json["turns"][1]["visits"]["b2"], 12);
  EXPECT_EQ(json["final"], "3/OO1/XXX");
  EXPECT_EQ(json["value_for_player_0"], "+1");
  const ProgramRun text = run_senet({"inspect", file, "--game-number", "9"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find(" 0.200  a2: 30, b2: 12"), std::string::npos) << text.out;
  expect_failure(run_senet({"inspect", file, "--game-number", "4"}), 2, "inspect", "no game 4");
}

TEST(InspectCommand, DamagedLogTellsHowMuch) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "games.senet";
  write_log(file, {a_game(1), a_game(2), a_game(3)});
  std::vector<std::byte> bytes = read_file(file);
  bytes[bytes.size() / 2] ^= std::byte{0x55};
  write_file(file, bytes);
  const auto json = inspect_json(file);
  EXPECT_EQ(json["records"], 2);
  EXPECT_EQ(json["damaged_places"], 1);
  EXPECT_GT(json["damaged_bytes"], 0);
}

TEST(InspectCommand, DoubledAndUndecodableRecords) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "games.senet";
  write_log(file, {a_game(1), a_game(3), a_game(1), a_game(3), a_game(4)});
  std::vector<std::byte> bytes = read_file(file), frame;
  const std::string at = std::to_string(bytes.size());
  FramePacker(0).pack(std::vector<std::byte>(9, std::byte{9}), frame);
  for (int i = 0; i < 3; ++i) bytes.insert(bytes.end(), frame.begin(), frame.end());
  write_file(file, bytes);
  const auto json = inspect_json(file);
  EXPECT_EQ(json["records"], 5);
  EXPECT_EQ(json["doubled_games"], 2);
  EXPECT_EQ(json["missing_games"], 1);
  EXPECT_EQ(json["undecodable_records"], 3);
  EXPECT_EQ(json["first_undecodable"],
            "at byte " + at + ": record payload, byte 1: version 9 is not 1 to 2");
  EXPECT_EQ(inspect_json(file, {"--game-number", "4"})["game_number"], 4);
}

// An illegal recorded move is an error, not a crash.
TEST(InspectCommand, IllegalRecordedMove) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "games.senet";
  GameRecord record = a_game(1);
  record.add_decision({.action = 8, .player = 1, .kind = TurnKind::kRandom});
  record.end_played(0);
  write_log(file, {record});
  const ProgramRun run = run_senet({"inspect", file, "--game-number", "1"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.err.find("game 1: turn 6: it has a move"), std::string::npos) << run.err;
}

TEST(InspectCommand, BadFilesAreOneLine) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "file";
  expect_failure(run_senet({"inspect", "/nowhere"}), 2, "inspect", "/nowhere");
  expect_failure(run_senet({"inspect", folder.path()}), 2, "inspect", "folder");
  for (const std::string& text :
       {std::string(), std::string("hello"), std::string("\x10\0\0\0\0\0\0\0{\"a\":1}", 15),
        std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10), std::string(5000, '\0')}) {
    write_text(file, text);
    expect_failure(run_senet({"inspect", file}), 2, "inspect", file);
  }
  // A truncated network is an error.
  ASSERT_TRUE(save_network(initial_network(small_spec(), 1), file));
  const std::vector<std::byte> whole = read_file(file);
  for (const std::size_t size :
       {std::size_t{4}, std::size_t{9}, std::size_t{200}, whole.size() / 2, whole.size() - 1}) {
    write_file(file, std::span(whole).first(size));
    expect_failure(run_senet({"inspect", file}), 2, "inspect", file);
  }
  write_file(file, whole);
  expect_failure(run_senet({"inspect", file, "--game-number", "1"}), 2, "inspect",
                 "--game-number requires a game log");
}

}  // namespace
}  // namespace senet
