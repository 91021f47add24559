// Games that libsenet has never seen, played by the engine against chance: the same types that
// train_own_game trains, and one line for each makes it known. own_game [GAME [WEIGHTS]]
#include <cstdio>
#include <random>
#include <senet/own_game.hpp>
#include <string_view>

#include "breakthrough.hpp"
#include "ur.hpp"

namespace {

// Player 0 is the engine, player 1 plays any move.
int play(senet::api::Engine& engine, std::string_view name, const char* weights) {
  engine.use(weights != nullptr ? engine.load(weights) : engine.untrained(name));
  auto game = engine.open_session(name);
  std::minstd_rand random(1);
  for (senet_turn turn = game.turn(); turn != SENET_OVER; turn = game.turn()) {
    if (turn == SENET_CHANCE) {
      const auto chance = game.chance();
      std::discrete_distribution<int> roll(chance.begin(), chance.end());
      game.play(static_cast<senet_action>(roll(random)));
    } else if (turn == SENET_PLAYER_0) {
      const auto found = game.search({.visits = 800});
      std::printf("%s  %s  value %+.2f\n", game.text().c_str(),
                  game.action_text(found.action).c_str(), static_cast<double>(found.value));
      game.play(found.action);
    } else {
      const auto moves = game.legal();
      game.play(moves[random() % moves.size()]);
    }
  }
  std::printf("%s  player %u has won\n", game.text().c_str(), game.outcome());
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view name = argc > 1 ? argv[1] : Breakthrough::kName;
  if (argc > 3) return std::fputs("usage: own_game [GAME [WEIGHTS]]\n", stderr), 2;
  senet::api::Engine engine;
  senet::api::add_game<Breakthrough>(engine);
  senet::api::add_game<Ur>(engine);
  return play(engine, name, argc > 2 ? argv[2] : nullptr);
} catch (const senet::api::Error& error) {
  std::fprintf(stderr, "own_game: %s\n", error.what());
  return 1;
}
