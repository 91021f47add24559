// What a game costs in memory, and how many visits fit: memory
#include <cstdio>
#include <initializer_list>
#include <senet/senet.hpp>
#include <utility>

namespace {

/// Memory of the game for each worker, and of a session with so many visits, in bytes.
std::pair<std::uint64_t, std::uint64_t> cost(const char* game, std::uint32_t visits) {
  senet_config config = senet::api::default_config();
  config.visits = visits;
  senet::api::Engine engine(config);
  const std::uint64_t empty = engine.memory();
  engine.use(engine.builtin(game));
  const std::uint64_t with_game = engine.memory();
  const auto session = engine.open_session(game);
  return {with_game - empty, engine.memory() - with_game};
}

std::uint32_t fitting_visits(const char* game, std::uint32_t sessions, std::uint64_t bytes) {
  senet_config config = senet::api::default_config();
  config.sessions = sessions;
  config.memory = bytes;
  return senet::api::fit(config, game);
}

}  // namespace

int main() try {
  std::printf("an engine alone: %.0f KB\n",
              static_cast<double>(senet::api::Engine().memory()) / 1000);
  for (const char* game : {"connect_four", "backgammon"}) {
    for (const std::uint32_t visits : {100u, 800u, 10'000u}) {
      const auto [room, session] = cost(game, visits);
      std::printf("%s with %u visits: a session %.0f KB; the game for each worker %.1f MB\n", game,
                  static_cast<unsigned>(visits), static_cast<double>(session) / 1000,
                  static_cast<double>(room) / 1e6);
    }
    constexpr std::uint64_t kMiB = 1 << 20;
    std::printf("%s: %u visits fit 100 sessions into 256 MiB, %u fit 1,000 into 1 GiB\n", game,
                static_cast<unsigned>(fitting_visits(game, 100, 256 * kMiB)),
                static_cast<unsigned>(fitting_visits(game, 1000, 1024 * kMiB)));
  }
} catch (const senet::api::Error& error) {
  std::fprintf(stderr, "memory: %s\n", error.what());
  return 1;
}
