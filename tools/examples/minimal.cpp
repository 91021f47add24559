// libsenet plays a game of backgammon against itself: minimal [WEIGHTS]
#include <cstdio>
#include <random>
#include <senet/senet.hpp>

int main(int argc, char** argv) try {
  if (argc > 2) return std::fputs("usage: minimal [WEIGHTS]\n", stderr), 2;
  senet::api::Engine engine;
  engine.use(argc == 2 ? engine.load(argv[1]) : engine.builtin("backgammon"));
  auto game = engine.open_session("backgammon");
  std::mt19937 random(1);
  while (game.turn() != SENET_OVER) {
    if (game.turn() == SENET_CHANCE) {  // the host draws the outcome: 0, 1, ...
      const auto chance = game.chance();
      std::discrete_distribution<int> roll(chance.begin(), chance.end());
      game.play(static_cast<senet_action>(roll(random)));
      continue;
    }
    const auto found = game.search({.visits = 50, .time = std::chrono::milliseconds(50)});
    std::printf("%s  %s  equity %+.3f\n", game.text().c_str(),
                game.action_text(found.action).c_str(), static_cast<double>(found.value));
    game.play(found.action);
  }
} catch (const senet::api::Error& error) {
  std::fprintf(stderr, "minimal: %s\n", error.what());
  return 1;
}
