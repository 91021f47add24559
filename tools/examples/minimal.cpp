// A game of backgammon, played by libsenet against itself: minimal [WEIGHTS]
#include <cstdio>
#include <random>
#include <senet/senet.hpp>
#include <string>

int main(int argc, char** argv) try {
  if (argc > 2) return std::fputs("usage: minimal [WEIGHTS]\n", stderr), 2;
  senet::api::Engine engine;
  engine.use(argc == 2 ? engine.load(argv[1]) : engine.builtin("backgammon"));
  auto game = engine.open_session("backgammon");
  std::mt19937 random(1);
  std::uniform_int_distribution<int> die(1, 6);
  for (bool opening = true; game.turn() != SENET_OVER;) {
    if (game.turn() == SENET_CHANCE) {  // the host throws; the first roll is no double
      const int first = die(random), second = die(random);
      if (opening && first == second) continue;
      opening = false;
      game.play(game.read_action(std::to_string(first) + std::to_string(second)));
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
