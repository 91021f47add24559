// Prints how many samples per second the CPU trainer processes (median step), for the reference
// network with backgammon's sizes. Usage: train_benchmark [seconds per row of the table]
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>

#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/trainer.hpp"

int main(int argc, char** argv) {
  using namespace senet;
  using Clock = std::chrono::steady_clock;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3.0;
  const NetworkSpec spec{.game = "benchmark", .features = 344, .policy_logits = 676, .outcomes = 6};
  fmt::print("{} parameters, {:.3f} MFLOP per dense forward pass\n", parameter_count(spec),
             dense_flop(spec) * 1e-6);
  fmt::print("{:>6} {:>16} {:>14} {:>14}\n", "batch", "policy targets", "ms/step", "samples/s");
  for (const std::size_t rows : {64, 256, 1024}) {
    for (const std::size_t without_policy : {0, 2}) {
      const SampleShape samples{.rows = rows,
                                .active = 30,
                                .legal = 20,
                                .vary_legal = false,
                                .logits_per_action = 2,
                                .without_policy = without_policy};
      const TrainBatch batch = random_batch(spec, samples, 1);
      const auto trainer =
          make_cpu_trainer(initial_network(spec, 1), batch_shape(spec, samples), {});
      trainer->warm_up();
      std::vector<double> step_seconds;
      for (double elapsed = 0; elapsed < seconds; elapsed += step_seconds.back()) {
        const Clock::time_point start = Clock::now();
        trainer->step(batch, 1e-3f);
        step_seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      }
      const auto median = step_seconds.begin() + static_cast<long>(step_seconds.size() / 2);
      std::ranges::nth_element(step_seconds, median);
      fmt::print("{:>6} {:>16} {:>14.3f} {:>14.0f}\n", rows,
                 without_policy == 0 ? "all rows" : "half the rows", 1e3 * *median,
                 static_cast<double>(rows) / *median);
    }
  }
}
