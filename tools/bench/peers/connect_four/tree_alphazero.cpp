// The tree of alphazero-pybind11 with random answers, for tree.sh.
#include <connect4_gs.h>
#include <mcts.h>
#include "tools/bench/peers/connect_four/random_answers.hpp"

int main(int count, char** words) {
  using alphazero::Vector, alphazero::connect4_gs::Connect4GS;
  peers::RandomAnswers answers;
  return peers::run(count, words, [&](const std::vector<int>& columns, int simulations) {
    Connect4GS state;
    for (const int column : columns) state.play_move(static_cast<std::uint32_t>(column));
    constexpr float kPuct = 1.5f, kFpuReduction = 0.2f;
    alphazero::MCTS tree(kPuct, 2, peers::kColumns, 0, 1.0f, kFpuReduction);
    Vector<float> value(3), priors(peers::kColumns);
    for (int i = 0; i < simulations; ++i) {
      const auto leaf = tree.find_leaf(state);
      const peers::Answer& answer = answers.next();
      for (int k = 0; k < 3; ++k) value(k) = answer.outcomes[k];
      for (int k = 0; k < peers::kColumns; ++k) priors(k) = answer.priors[k];
      tree.process_result(state, value, priors);
    }
    return simulations;
  });
}
