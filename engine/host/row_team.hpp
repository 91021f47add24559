// Idle workers help a busy one: they answer some of the rows of its forward pass.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "nn/evaluator.hpp"

namespace senet {

/// The workers of a service, by their numbers. A member with a batch that is worth it cuts its rows
/// into ranges; it and the members in help() take one range after the other until none is left.
/// Answers do not depend on the member that gave them. A search's tree stays with its worker.
class RowTeam {
 public:
  explicit RowTeam(std::size_t members) : members_(members) {}

  /// Memory of one.
  static std::size_t bytes(std::size_t members) {
    return sizeof(RowTeam) + members * sizeof(Member);
  }

  /// Rows [first, last) of a batch, the weights that answer them, and the evaluators that do:
  /// [members], evaluator i used by member i alone, all of one kind and shape. They stay where they
  /// are until no member is in help() any more.
  struct Rows {
    const Weights& weights;
    const Batch& batch;
    std::size_t first, last;
    std::span<const std::unique_ptr<Evaluator>> evaluators;
  };

  /// Answers these rows. On the thread of a member, outside help(). Its own evaluator has loaded
  /// the weights, so that nothing is left to allocate.
  void forward(std::size_t member, const Rows& rows) noexcept;

  /// Helps members that need it, and sleeps while none does, until leave() was called for this one
  /// since the last help() of it.
  void help(std::size_t member) noexcept;

  /// Calls a member out of help(), behind the range in its hands. Any thread.
  void leave(std::size_t member) noexcept;

  /// Members that look out for ranges just now: none a moment after the last forward pass that was
  /// worth help.
  std::size_t awake() const { return awake_.load(std::memory_order_relaxed); }
  /// Ranges of other members' forward passes that have been answered so far.
  std::uint64_t ranges_helped() const;

 private:
  struct alignas(64) Member {
    // Of its own job, a forward pass that is shared out: constant while it has ranges that are not
    // done. compare_exchange on `ranges` claims the next range.
    std::atomic<std::uint32_t> ranges{0};  // the next one, and 2^16 times how many there are
    const Rows* job = nullptr;
    std::size_t range_rows = 0;
    std::uint32_t patience = 0, until_call = 0;        // passes to let go by before the next call
    alignas(64) std::atomic<std::uint32_t> helped{0};  // ranges of its job that others have done

    // Its sleep.
    alignas(64) std::mutex mutex;
    std::condition_variable wake;
    std::atomic<bool> leaves{false}, asleep{false};  // written under the mutex
    bool called = false;
    std::atomic<std::uint64_t> ranges_done{0};  // of others
  };

  bool run_range(Member& owner, std::size_t runner) noexcept;
  bool wants_to_call(Member& me) noexcept;
  bool help_another(std::size_t member) noexcept;
  void look_out(std::size_t member) noexcept;
  void call_one(std::size_t caller) noexcept;

  std::vector<Member> members_;
  alignas(64) std::atomic<std::size_t> awake_{0};
  std::atomic<std::size_t> asleep_{0};
};

/// A team as one evaluator: the one of a member, which the others help.
class TeamEvaluator final : public Evaluator {
 public:
  /// See RowTeam::Rows. `weights` are loaded; team and evaluators outlive this.
  TeamEvaluator(RowTeam& team, std::size_t member, const Weights& weights,
                std::span<const std::unique_ptr<Evaluator>> evaluators)
      : team_(team), member_(member), weights_(&weights), evaluators_(evaluators) {}

  using Evaluator::forward;
  std::string_view name() const override { return evaluators_[member_]->name(); }
  void load(const Weights& weights) override {
    evaluators_[member_]->load(weights);
    weights_ = &weights;
  }
  void forward(const Batch& batch, std::size_t first, std::size_t last) override {
    team_.forward(member_, {*weights_, batch, first, last, evaluators_});
  }

 private:
  RowTeam& team_;
  const std::size_t member_;
  const Weights* weights_;
  const std::span<const std::unique_ptr<Evaluator>> evaluators_;
};

}  // namespace senet
