// An evaluator around another one that keeps account of its thread's heap and of its time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "nn/evaluator.hpp"
#include "tools/counted_malloc.hpp"
#include "tools/worker_trace.hpp"

namespace senet {

/// Heap allocations of one worker thread, as of its last forward pass. Written by that thread, read
/// by any.
struct AllocationCounts {
  std::atomic<std::uint64_t> all{0};
  std::atomic<std::uint64_t> in_forward{0};  // those made inside Evaluator::forward
};

/// Passes everything on to `inner` and notes what the heap was asked for meanwhile, and in `trace`
/// (may be null) when. `counts` and `trace` outlive it.
class CountingEvaluator final : public Evaluator {
 public:
  CountingEvaluator(std::unique_ptr<Evaluator> inner, AllocationCounts& counts, WorkerTrace* trace)
      : inner_(std::move(inner)), counts_(counts), trace_(trace) {}

  using Evaluator::forward;
  std::string_view name() const override { return inner_->name(); }
  void load(const Weights& weights) override { inner_->load(weights); }
  void forward(const Batch& batch, std::size_t first, std::size_t last) override {
    const std::uint64_t before = thread_allocations().value_or(0);
    if (trace_ != nullptr && trace_->wants_forward()) {
      const auto began = WorkerTrace::Clock::now();
      inner_->forward(batch, first, last);
      trace_->forward(began, WorkerTrace::Clock::now(), last - first);
    } else {
      inner_->forward(batch, first, last);
    }
    const std::uint64_t after = thread_allocations().value_or(0);
    in_forward_ += after - before;
    counts_.all.store(after, std::memory_order_relaxed);
    counts_.in_forward.store(in_forward_, std::memory_order_relaxed);
  }

 private:
  std::unique_ptr<Evaluator> inner_;
  AllocationCounts& counts_;
  WorkerTrace* trace_;
  std::uint64_t in_forward_ = 0;
};

}  // namespace senet
