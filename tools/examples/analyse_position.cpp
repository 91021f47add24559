// Uses the engine from C++: searches one position, then several positions that share batches.
//
//   analyse_position WEIGHTS.safetensors [POSITION]
//
// POSITION is a Connect Four position, for example the columns played so far: 4453.
#include <cstdio>
#include <span>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "games/connect_four/connect_four.hpp"

namespace {

using senet::ConnectFour;

constexpr std::uint32_t kVisits = 800;
constexpr std::size_t kRows = 8;  // per forward pass
constexpr senet::SearchSettings kSettings{.policy_temperature = senet::kPlayersPolicyTemperature};

void print(const ConnectFour& state, const senet::Decision<ConnectFour>& decision) {
  std::printf("%s: value %+.3f after %u visits%s\n", state.text().c_str(),
              static_cast<double>(decision.value), decision.visits,
              decision.proven ? ", proven" : "");
  for (const senet::Choice& choice : decision.choices) {
    std::printf("  %s  visits %5u  value %+.3f  prior %.3f\n",
                state.action_text(choice.action).c_str(), choice.visits,
                static_cast<double>(choice.value), static_cast<double>(choice.prior));
  }
}

// Runs one search step by step. gather() descends the tree until it needs the network and writes
// rows into the batch; absorb() reads the results. The caller controls threads and memory.
void search_one(senet::Evaluator& evaluator, const ConnectFour& state) {
  senet::Search<ConnectFour> search(kSettings,
                                    senet::limits_for<ConnectFour>(kVisits, kSettings.evaluates));
  senet::Batch batch(kRows, senet::row_size<ConnectFour>());
  search.start(state, {.visits = kVisits}, senet::Random(1, 0, 0, senet::Purpose::kNoise));
  while (search.gather(batch) != senet::Step::kDone) {
    if (batch.size() > 0) evaluator.forward(batch);
    batch.clear();
    search.absorb();
  }
  print(state, search.decision());
}

// Searches many positions. Analysis runs the searches together, so that one forward pass evaluates
// leaves of all of them.
void search_what_follows(senet::Evaluator& evaluator, const ConnectFour& state) {
  senet::ActionList<ConnectFour::kMaxLegal> legal;
  state.legal(legal);
  std::vector<ConnectFour> next;
  for (const senet::Action action : legal) {
    ConnectFour after = state;
    after.play(action);
    if (after.turn() != senet::Turn::kOver) next.push_back(after);
  }
  senet::Analysis<ConnectFour> analysis(evaluator, kSettings, kVisits,
                                        /*lanes=*/next.size(), kRows);
  std::printf("after each move:\n");
  analysis.run(std::span<const ConnectFour>(next), {.visits = kVisits}, /*seed=*/1,
               [&](std::size_t i, const senet::Decision<ConnectFour>& decision, auto&) {
                 std::printf("  %s  value %+.3f\n", next[i].text().c_str(),
                             static_cast<double>(decision.value));
               });
}

int fail(const std::string& reason) {
  std::fprintf(stderr, "analyse_position: %s\n", reason.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 3) return fail("usage: analyse_position WEIGHTS.safetensors [POSITION]");
  const auto state = ConnectFour::from_text(argc == 3 ? argv[2] : "").value();
  if (state.turn() == senet::Turn::kOver) return fail("the game is already over");

  // Functions return errors as values; value() throws the error if there is no result.
  auto network = senet::load_network(argv[1]).value();
  senet::check_contract(network.spec(), senet::reference_spec<ConnectFour>()).value();
  const senet::Weights weights(std::move(network));
  const auto evaluator =
      senet::make_evaluator(senet::EvaluatorKind::kFused, weights, kRows).value();
  search_one(*evaluator, state);
  search_what_follows(*evaluator, state);
} catch (const senet::Error& error) {
  return fail(error.reason());
}
