// Any text as "position\nturn": an accepted turn is legal and round-trips through its text.
#include <algorithm>
#include <string>

#include "games/backgammon/backgammon.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  const std::string_view text = text_of(data, size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const Result<Backgammon> state = Backgammon::from_text(text.substr(0, end));
  if (!state) return 0;
  promise(Backgammon::from_text(state->text()) == *state, "positions round-trip through text");
  if (end == text.size()) return 0;
  const Result<Action> action = state->action_from_text(text.substr(end + 1));
  if (!action) {
    promise(!action.error().reason().empty(), "an error has a reason");
    return 0;
  }
  const std::string reported = state->action_text(*action);
  promise(state->action_from_text(reported) == *action, "turns round-trip through text");
  if (is_decision(state->turn())) {
    ActionList<Backgammon::kMaxLegal> legal;
    state->legal(legal);
    promise(std::ranges::binary_search(legal, *action), "an accepted turn is legal");
  }
  Backgammon after = *state;
  after.play(*action);
  promise(Backgammon::from_text(after.text()).has_value(), "the next position is valid");
  return 0;
}
