// Registers the two games of train_own_game with libsenet, one line each, and lets the engine play
// one of them against random moves: own_game [GAME [WEIGHTS]]
#include <cstdio>
#include <random>
#include <senet/own_game.hpp>
#include <string_view>

#include "breakthrough.hpp"
#include "ur.hpp"

int main(int argc, char** argv) try {
  if (argc > 3) return std::fputs("usage: own_game [GAME [WEIGHTS]]\n", stderr), 2;
  const std::string_view name = argc > 1 ? argv[1] : Breakthrough::kName;
  senet::api::Engine engine;
  senet::api::add_game<Breakthrough>(engine);
  senet::api::add_game<Ur>(engine);
  engine.use(argc > 2 ? engine.load(argv[2]) : engine.untrained(name));
  auto game = engine.open_session(name);
  std::minstd_rand random(1);
  // Player 0 is the engine; player 1 plays random moves.
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
} catch (const senet::api::Error& error) {
  std::fprintf(stderr, "own_game: %s\n", error.what());
  return 1;
}
