#include "games/backgammon/kit/linear.hpp"

#include "games/backgammon/kit.hpp"
#include "games/backgammon/kit/linear_weights.hpp"

namespace senet::backgammon {

Action linear_move(const Backgammon& state, Random) {
  return best_linear_play(state, kLinearWeights);
}

}  // namespace senet::backgammon
