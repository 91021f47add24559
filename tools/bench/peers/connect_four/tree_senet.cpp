// Senet's tree with random answers, for tree.sh.
#include "games/connect_four/connect_four.hpp"
#include "search/search.hpp"
#include "tools/bench/peers/connect_four/random_answers.hpp"

namespace {

using senet::ConnectFour, senet::Step;

constexpr senet::SearchSettings kSettings{.evaluates = senet::Evaluates::kPosition};

/// Answers the batch. Never encodes a row.
void answer(senet::Batch& batch, peers::RandomAnswers& answers) {
  for (std::size_t row = 0; row < batch.size(); ++row) {
    const senet::RowResult& result = batch.answer(row);
    const peers::Answer& answer = answers.next();
    for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
      result.outcomes[i] = answer.outcomes[i];
    }
    for (std::size_t i = 0; i < result.wanted.size(); ++i) {
      result.logits[i] = answer.logits[result.wanted[i]];
    }
  }
  batch.clear();
}

}  // namespace

int main(int count, char** words) {
  peers::RandomAnswers answers;
  const auto most = static_cast<std::uint32_t>(count > 2 ? std::atoi(words[2]) : 1);
  senet::Search<ConnectFour> search(kSettings,
                                    senet::limits_for<ConnectFour>(most, kSettings.evaluates));
  senet::Batch batch(1, senet::row_size<ConnectFour>());
  return peers::run(count, words, [&](const std::vector<int>& columns, int simulations) {
    ConnectFour state;
    for (const int column : columns) state.play(static_cast<senet::Action>(column));
    search.start(state, {.visits = static_cast<std::uint32_t>(simulations)},
                 senet::Random(1, 0, 0, senet::Purpose::kNoise));
    for (Step step = search.gather(batch); step != Step::kDone; step = search.gather(batch)) {
      if (step != Step::kWaiting) continue;
      answer(batch, answers);
      search.absorb();
    }
    return search.visits();
  });
}
