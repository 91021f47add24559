// Any text as a match file of each game that has a format for them.
#include "games/any_game.hpp"
#include "games/registry.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    if (game->read_match == nullptr) continue;
    const auto games = game->read_match(text_of(data, size));
    if (!games) continue;
    for (const ReadGame& read : *games) {
      AnyState state = game->start_of(*game, read.first);
      for (const Action action : read.actions) {
        promise(state.turn() != Turn::kOver, "an accepted game ends with its last action");
        state.play(action);
      }
      const FinishedGame written{.actions = read.actions, .first = 0, .outcome = {}};
      const auto again = game->read_match(game->match_text({&written, 1}, "again"));
      promise(again && again->size() == 1 && again->front().actions == read.actions,
              "an accepted game can be written and read again");
    }
  }
  return 0;
}
