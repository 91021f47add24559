#include "games/backgammon/kit/linear.hpp"

#include "games/backgammon/kit.hpp"
#include "games/backgammon/kit/linear_weights.hpp"

namespace senet::backgammon {

Action linear_move(const AnyState& state, Random) {
  return best_linear_play(state.as<Backgammon>(), kLinearWeights);
}

}  // namespace senet::backgammon
