// How a C++ program uses the engine: search one position, then several that share their batches.
//
//   analyse_position WEIGHTS.safetensors [POSITION]     Connect Four, e.g. 4453 = columns played
#include <cstdio>
#include <span>
#include <vector>

#include "engine/lanes/analyse.hpp"
#include "games/connect_four/connect_four.hpp"

namespace {

using senet::ConnectFour;

constexpr std::uint32_t kVisits = 800;
constexpr std::size_t kRows = 8;  // of one forward pass
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

// One search by hand. gather() walks down the tree until it needs the network and writes rows into
// the batch, absorb() takes the answers; threads and memory are the caller's affair.
void search_one(senet::Evaluator& evaluator, const ConnectFour& state) {
  senet::Search<ConnectFour> search(kSettings,
                                    senet::limits_for<ConnectFour>(kVisits, kSettings.evaluates));
  senet::Batch batch(kRows, ConnectFour::kMaxActive);
  search.start(state, {.visits = kVisits}, senet::Random(1, 0, 0, senet::Purpose::kNoise));
  while (search.gather(batch) != senet::Step::kDone) {
    if (batch.size() > 0) evaluator.forward(batch);
    batch.clear();
    search.absorb();
  }
  print(state, search.decision());
}

// Many positions: Analysis runs their searches side by side, so that one forward pass answers all.
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
  std::printf("and after each move:\n");
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
  if (state.turn() == senet::Turn::kOver) return fail("that game is over");

  // Errors are values; value() throws the one that stands in place of a result.
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
