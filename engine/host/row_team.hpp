// Idle threads help a busy one: they evaluate some of the rows of its forward pass.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "nn/evaluator.hpp"

namespace senet {

/// The threads of a service that evaluate rows, by number: its workers or pollers, then its
/// helpers. A member whose batch is large enough cuts its rows into ranges; it and the members in
/// help() claim one range after the other until none is left. Results do not depend on which member
/// evaluates a row. A search's tree stays with its worker.
class RowTeam {
 public:
  explicit RowTeam(std::size_t members) : members_(members) {}

  /// Bytes of a team.
  static std::size_t bytes(std::size_t members) {
    return sizeof(RowTeam) + members * sizeof(Member);
  }

  /// Rows [first, last) of a batch, the weights to evaluate them with, and [members] evaluators of
  /// one kind and shape: member i alone uses evaluator i. The evaluators outlive all help() calls.
  struct Rows {
    const Weights& weights;
    Batch& batch;
    std::size_t first, last;
    std::span<const std::unique_ptr<Evaluator>> evaluators;
  };

  /// Evaluates these rows. Called on the member's thread, outside help(). The member's own
  /// evaluator must have loaded the weights already, so that this call allocates nothing. Throws
  /// what an evaluator threw, on whichever thread, when no member uses the rows any more.
  void forward(std::size_t member, const Rows& rows);

  /// Helps other members, and sleeps while none needs help. Returns after leave(member), even if
  /// that was called before this call began.
  void help(std::size_t member) noexcept;

  /// Makes help(member) return after its current range. Any thread.
  void leave(std::size_t member) noexcept;

  /// Members that currently spin, waiting for ranges; 0 soon after the last shared forward pass.
  std::size_t awake() const { return awake_.load(std::memory_order_relaxed); }
  /// Ranges that members have evaluated for others so far.
  std::uint64_t ranges_helped() const;

 private:
  struct alignas(64) Member {
    // The member's job: a forward pass that it shares. Constant while ranges of it are unfinished.
    // compare_exchange on `ranges` claims the next range.
    std::atomic<std::uint32_t> ranges{0};  // index of the next range + 2^16 * number of ranges
    const Rows* job = nullptr;
    std::size_t range_rows = 0;
    std::uint32_t call_backoff = 0, passes_until_call = 0;  // passes to skip before the next call
    std::exception_ptr thrown;  // by an evaluator, in the job; written under the mutex
    alignas(64) std::atomic<std::uint32_t> helped{0};  // ranges of the job that others have done

    // The member's sleep in help().
    alignas(64) std::mutex mutex;
    std::condition_variable wake;
    std::atomic<bool> leaves{false}, asleep{false};  // written under the mutex
    bool called = false;
    std::atomic<std::uint64_t> ranges_done{0};  // of others' jobs
  };

  bool run_range(Member& owner, std::size_t runner) noexcept;
  bool wants_to_call(Member& me) noexcept;
  bool help_another(std::size_t member) noexcept;
  void spin_for_ranges(std::size_t member) noexcept;
  void call_one(std::size_t caller) noexcept;

  std::vector<Member> members_;
  alignas(64) std::atomic<std::size_t> awake_{0};
  std::atomic<std::size_t> asleep_{0};
};

/// The evaluator of a member, whose forward passes the team shares.
class TeamEvaluator final : public Evaluator {
 public:
  /// See RowTeam::Rows. The evaluators have loaded `weights`; they and the team outlive this.
  TeamEvaluator(RowTeam& team, std::size_t member, const Weights& weights,
                std::span<const std::unique_ptr<Evaluator>> evaluators)
      : team_(team), member_(member), weights_(&weights), evaluators_(evaluators) {}

  using Evaluator::forward;
  std::string_view name() const override { return evaluators_[member_]->name(); }
  void load(const Weights& weights) override {
    evaluators_[member_]->load(weights);
    weights_ = &weights;
  }
  void forward(Batch& batch, std::size_t first, std::size_t last) override {
    team_.forward(member_, {*weights_, batch, first, last, evaluators_});
  }

 private:
  RowTeam& team_;
  const std::size_t member_;
  const Weights* weights_;
  const std::span<const std::unique_ptr<Evaluator>> evaluators_;
};

}  // namespace senet
