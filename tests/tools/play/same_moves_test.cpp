// The same weights give the same moves in libsenet, `senet uci` and `senet match`.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <senet/senet.hpp>
#include <string>
#include <vector>

#include "engine/host/builtin_models.hpp"
#include "engine/host/host_table.hpp"
#include "games/registry.hpp"
#include "nn/network.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/tools/play/conversation.hpp"
#include "tests/tools/program.hpp"

namespace senet {
namespace {

constexpr std::uint32_t kEqualVisits = 40, kRandomPlies = 2;

/// Positions with a player to move, as texts, and the moves played there.
using Played = std::vector<std::pair<std::string, std::string>>;

// The moves in a match of a network against itself.
Played match_moves(const std::string& game, const std::string& weights) {
  const TemporaryFolder folder;
  const std::string log = folder.path() / "log.jsonl";
  const ProgramRun run =
      run_program(SENET_PROGRAM, {"match", "--game", game, "--first", weights, "--second", weights,
                                  "--pairs", "1", "--visits", std::to_string(kEqualVisits),
                                  "--random-plies", std::to_string(kRandomPlies), "--log", log});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  api::Engine engine;
  engine.use(engine.untrained(game));
  Played played;
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    if (!json.contains("plies")) continue;
    api::Session session = engine.open_session(game);
    std::uint32_t number = 0;
    for (const std::string ply : json["plies"]) {
      // Games without dice begin with random moves.
      const bool is_drawn = number++ < kRandomPlies || !session.chance().empty();
      if (!is_drawn) played.emplace_back(session.text(), ply);
      session.play(session.read_action(ply));
    }
  }
  return played;
}

std::string libsenet_move(api::Engine& engine, const std::string& game,
                          const std::string& position) {
  api::Session session = engine.open_session(game);
  session.set(position);
  return session.action_text(session.search({.visits = kEqualVisits}).action);
}

std::string uci_move(Conversation& senet, const std::string& position) {
  senet.send("position " + position + "\ngo nodes " + std::to_string(kEqualVisits) + "\n");
  const std::string best = senet.until("bestmove ").back();
  return best.substr(best.find(' ') + 1);
}

void expect_same_moves(const std::string& game, const std::string& weights) {
  SCOPED_TRACE(game + " with " + weights);
  const Played played = match_moves(game, weights);
  ASSERT_GT(played.size(), 4u);
  api::Engine engine;
  engine.use(weights == "builtin" ? engine.builtin(game) : engine.load(weights));
  Conversation senet({"uci", "--leaves", "1", "--reuse-tree", "0", "--evaluator", "fused", "--game",
                      game, "--weights", weights});
  std::size_t differ = 0;
  for (std::size_t i = 0; i < played.size(); i += 1 + played.size() / 30) {
    const auto& [position, move] = played[i];
    EXPECT_EQ(libsenet_move(engine, game, position), move) << position;
    EXPECT_EQ(uci_move(senet, position), move) << position;
    differ += move != played.front().second;
  }
  EXPECT_GT(differ, 2u);
}

TEST(SameMoves, OfTheBuiltInNetworks) {
  int games = 0;
  for (const std::string_view game : game_names()) {
    if (builtin_model(game).empty()) continue;
    if ((*find_game<HostTable>(game))->game.player_count == 1) continue;  // has no matches
    expect_same_moves(std::string(game), "builtin");
    ++games;
  }
  EXPECT_GE(games, 2);
}

// Files written by other programs need not record what the network was trained on.
TEST(SameMoves, OfAFileThatDoesNotSayWhatItHasLearnt) {
  const TemporaryFolder folder;
  for (const std::string_view game : game_names()) {
    const std::string file = folder.path() / (std::string(game) + ".safetensors");
    const AnyGame& rules = (*find_game<HostTable>(game))->game;
    if (rules.player_count == 1) continue;  // has no matches
    const NetworkSpec spec = reference_spec(rules);
    ASSERT_FALSE(spec.evaluates);
    ASSERT_TRUE(save_network(initial_network(spec, 7), file));
    expect_same_moves(std::string(game), file);
  }
}

}  // namespace
}  // namespace senet
