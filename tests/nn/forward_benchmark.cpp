// States per second of every evaluator at several batch sizes, on the reference shape (30 active
// features of 344, 20 wanted logits of 676), and the flop per second if skipped work is counted as
// done.
#include <benchmark/benchmark.h>

#include <string>

#include "nn/evaluator.hpp"
#include "nn/own_evaluators.hpp"
#include "tests/nn/random_rows.hpp"

namespace senet {
namespace {

NetworkSpec benchmark_spec() {
  NetworkSpec spec;
  spec.game = "benchmark";
  spec.features = 344;
  spec.policy_logits = 676;
  spec.outcomes = 6;
  return spec;
}

constexpr std::size_t kActive = 30, kWanted = 20;

void time_forward(benchmark::State& state, Evaluator& evaluator, const NetworkSpec& spec) {
  Random random(1, 0, 0, Purpose::kTest);
  std::vector<Question> questions;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    questions.push_back(random_question(spec, kActive, kWanted, random));
  }
  Asked asked(spec, questions);
  for (auto _ : state) evaluator.forward(asked.batch());
  const double states = static_cast<double>(state.iterations() * state.range(0));
  state.counters["states"] = benchmark::Counter(states, benchmark::Counter::kIsRate);
  state.counters["flop"] =
      benchmark::Counter(states * dense_flop(spec), benchmark::Counter::kIsRate);
}

void batch_sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int rows : {1, 4, 16, 64, 256}) benchmark->Arg(rows);
}

void register_all() {
  for (const char* name : {"fused", "onednn", "hash"}) {
    benchmark::RegisterBenchmark(name, [name](benchmark::State& state) {
      const Weights weights(initial_network(benchmark_spec(), 1));
      auto evaluator = make_evaluator(*value_of<EvaluatorKind>(name), weights,
                                      static_cast<std::size_t>(state.range(0)));
      if (!evaluator) return state.SkipWithError(evaluator.error().reason().c_str());
      time_forward(state, **evaluator, weights.spec());
    })->Apply(batch_sizes);
  }
  for (std::size_t i = 0; const Kernels* kernels = runnable_kernels(i); ++i) {
    benchmark::RegisterBenchmark((std::string("fused/") + kernels->name).c_str(),
                                 [kernels](benchmark::State& state) {
                                   const Weights weights(initial_network(benchmark_spec(), 1),
                                                         *kernels);
                                   FusedEvaluator evaluator(weights);
                                   time_forward(state, evaluator, weights.spec());
                                 })
        ->Apply(batch_sizes);
  }
}

}  // namespace
}  // namespace senet

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  senet::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
