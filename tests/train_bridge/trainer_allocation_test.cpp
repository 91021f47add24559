// A training step allocates nothing: every operator new of this program counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "sample_batch.hpp"
#include "train_bridge/linear_algebra.hpp"
#include "train_bridge/trainer.hpp"

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace senet {
namespace {

TEST(TrainerAllocation, StepsAllocateNothing) {
  use_single_threaded_blas();
  const NetworkSpec spec{
      .game = "test", .features = 344, .policy_logits = 676, .outcomes = 6, .width = 64};
  const SampleShape samples{
      .rows = 300, .active = 30, .legal = 40, .logits_per_action = 2, .without_policy = 3};
  const auto trainer = make_cpu_trainer(initial_network(spec, 1), batch_shape(spec, samples), {});
  const TrainBatch one = random_batch(spec, samples, 1);
  const TrainBatch two = random_batch(spec, samples, 2);

  const long before_any = allocations.load();
  trainer->warm_up();
  EXPECT_GT(allocations.load(), before_any);  // the counter counts

  const long before = allocations.load();
  for (int step = 0; step < 3; ++step) {
    trainer->step(one, 1e-3f);
    trainer->step(two, 1e-3f);
  }
  EXPECT_EQ(allocations.load() - before, 0);
}

}  // namespace
}  // namespace senet
