// The tree of OpenSpiel with random answers, for tree.sh.
#include <open_spiel/algorithms/mcts.h>
#include <open_spiel/spiel.h>
#include "tools/bench/peers/connect_four/random_answers.hpp"

namespace {

/// A search calls both once for each leaf: it draws two answers, where the others draw one.
class RandomEvaluator : public open_spiel::algorithms::Evaluator {
 public:
  std::vector<double> Evaluate(const open_spiel::State&) override {
    const auto& outcomes = answers_.next().outcomes;
    const double value = outcomes[0] - outcomes[2];
    return {value, -value};
  }
  open_spiel::ActionsAndProbs Prior(const open_spiel::State& state) override {
    const peers::Answer& answer = answers_.next();
    open_spiel::ActionsAndProbs priors;
    for (const open_spiel::Action action : state.LegalActions()) {
      priors.emplace_back(action, answer.priors[static_cast<std::size_t>(action)]);
    }
    return priors;
  }

 private:
  peers::RandomAnswers answers_;
};

}  // namespace

int main(int count, char** words) {
  const auto game = open_spiel::LoadGame("connect_four");
  const auto evaluator = std::make_shared<RandomEvaluator>();
  return peers::run(count, words, [&](const std::vector<int>& columns, int simulations) {
    const auto state = game->NewInitialState();
    for (const int column : columns) state->ApplyAction(column);
    constexpr double kPuct = 1.5;
    constexpr int kMemoryMib = 1000, kSeed = 1;
    open_spiel::algorithms::MCTSBot bot(*game, evaluator, kPuct, simulations, kMemoryMib, true,
                                        kSeed, false,
                                        open_spiel::algorithms::ChildSelectionPolicy::PUCT);
    return bot.MCTSearch(*state)->explore_count;
  });
}
