// Any text as an XGID.
#include "games/backgammon/backgammon.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  const Result<Backgammon> state = Backgammon::from_xgid(text_of(data, size));
  if (!state) return 0;
  promise(backgammon::check(state->board()).has_value(), "an accepted board is valid");
  promise(Backgammon::from_xgid(state->xgid()) == *state, "positions round-trip through XGIDs");
  return 0;
}
