// Prints the memory of an engine, a game and a session, and how many visits fit into a given limit.
#include <cstdio>
#include <initializer_list>
#include <senet/senet.hpp>

int main() try {
  using senet::api::Engine;
  const auto kilobytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1000; };
  std::printf("an engine without games: %.0f KB\n", kilobytes(Engine().memory()));
  for (const char* game : {"connect_four", "backgammon"}) {
    for (const std::uint32_t visits : {100u, 800u, 10'000u}) {
      senet_config config = senet::api::default_config();
      config.visits = visits;
      Engine engine(config);
      const std::uint64_t empty = engine.memory();
      engine.use(engine.builtin(game));
      const std::uint64_t with_game = engine.memory();
      const auto session = engine.open_session(game);
      std::printf("%s with %u visits: %.0f KB per session, %.1f MB for the game per worker\n", game,
                  static_cast<unsigned>(visits), kilobytes(engine.memory() - with_game),
                  kilobytes(with_game - empty) / 1000);
    }
    const auto fitting = [&](std::uint32_t sessions, std::uint64_t mebibytes) {
      senet_config config = senet::api::default_config();
      config.sessions = sessions;
      config.memory = mebibytes << 20;
      return static_cast<unsigned>(senet::api::fit(config, game));
    };
    std::printf("%s: 100 sessions of %u visits fit into 256 MiB, 1,000 of %u into 1 GiB\n", game,
                fitting(100, 256), fitting(1000, 1024));
  }
} catch (const senet::api::Error& error) {
  std::fprintf(stderr, "memory: %s\n", error.what());
  return 1;
}
