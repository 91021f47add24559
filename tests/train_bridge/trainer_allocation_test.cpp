// A training step allocates nothing.
#include <gtest/gtest.h>

#include "tests/counting_heap.hpp"
#include "tests/train_bridge/sample_batch.hpp"
#include "train_bridge/trainer.hpp"

namespace senet {
namespace {

void expect_no_allocation(std::size_t threads) {
  const NetworkSpec spec{
      .game = "test", .features = 344, .policy_logits = 676, .outcomes = 6, .width = 64};
  const SampleShape samples{
      .rows = 300, .active = 30, .legal = 40, .logits_per_action = 2, .without_policy = 3};
  const auto trainer =
      make_cpu_trainer(initial_network(spec, 1), batch_shape(spec, samples), {.threads = threads});
  const TrainBatch one = random_batch(spec, samples, 1);
  const TrainBatch two = random_batch(spec, samples, 2);

  const long before_any = heap_allocations();
  trainer->warm_up();
  EXPECT_GT(heap_allocations(), before_any);  // the counter counts

  const long before = heap_allocations();
  for (int step = 0; step < 3; ++step) {
    trainer->step(one, 1e-3f);
    trainer->step(two, 1e-3f);
  }
  EXPECT_EQ(heap_allocations() - before, 0) << threads << " threads";
}

TEST(TrainerAllocation, StepsAllocateNothing) {
  expect_no_allocation(1);
  expect_no_allocation(3);
}

}  // namespace
}  // namespace senet
