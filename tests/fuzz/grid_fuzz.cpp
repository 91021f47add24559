// Any text as "position\nmove" of a grid game.
#include <algorithm>

#include "games/connect_four/connect_four.hpp"
#include "games/tic_tac_toe/tic_tac_toe.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace senet {
namespace {

template <Game G>
void read(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const Result<G> state = G::from_text(text.substr(0, end));
  if (!state) return;
  promise(G::from_text(state->text()) == *state, "positions round-trip through text");
  if (end == text.size()) return;
  const Result<Action> action = state->action_from_text(text.substr(end + 1));
  if (!action) return;
  ActionList<G::kMaxLegal> legal;
  state->legal(legal);
  promise(std::ranges::binary_search(legal, *action), "an accepted move is legal");
  promise(state->action_from_text(state->action_text(*action)) == *action, "moves round-trip");
  G after = *state;
  after.play(*action);
  promise(G::from_text(after.text()) == after, "the next position round-trips");
}

}  // namespace
}  // namespace senet

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  senet::read<senet::ConnectFour>(senet::text_of(data, size));
  senet::read<senet::TicTacToe>(senet::text_of(data, size));
  return 0;
}
