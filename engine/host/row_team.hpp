// Idle workers help a busy one: they answer some of the rows of its forward pass.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "nn/packed_network.hpp"

namespace senet {

/// The workers of a service, by their numbers. Whoever has a batch that is worth it cuts its rows
/// into ranges; it and the members in help() take one range after the other until none is left.
/// Answers do not depend on who gave them. A search's tree stays with its worker.
class RowTeam {
 public:
  explicit RowTeam(std::size_t members) : members_(members) {}

  /// Memory of one.
  static std::size_t bytes(std::size_t members) {
    return sizeof(RowTeam) + members * sizeof(Member);
  }

  /// Answers all rows of the batch. On the thread of a member, outside help(). `scratches[i]` is
  /// member i's for this network's shape, and stays what it is until nobody is in help() any more.
  /// Allocates nothing.
  void forward(std::size_t member, const PackedNetwork& network, const Batch& batch,
               std::span<EvaluatorScratch> scratches) noexcept;

  /// Helps whoever needs it, and sleeps while nobody does, until leave() was called for this member
  /// since the last help() of it.
  void help(std::size_t member) noexcept;

  /// Calls a member out of help(), behind the range in its hands. Any thread.
  void leave(std::size_t member) noexcept;

  /// Members that look out for ranges just now: none a moment after the last forward pass that was
  /// worth help.
  std::size_t awake() const { return awake_.load(std::memory_order_relaxed); }
  /// Ranges that somebody else's forward pass was helped with so far.
  std::uint64_t ranges_helped() const;

 private:
  // A forward pass that is shared out: constant while it has ranges that are not done.
  struct Job {
    const PackedNetwork* network = nullptr;
    const Batch* batch = nullptr;
    EvaluatorScratch* scratches = nullptr;
    std::size_t range_rows = 0;
  };
  struct alignas(64) Member {
    // Of its own job. Who adds one to `ranges` has the range of that number.
    std::atomic<std::uint32_t> ranges{0};  // the next one, and 2^16 times how many there are
    Job job;
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
  bool help_somebody(std::size_t member) noexcept;
  void look_out(std::size_t member) noexcept;
  void call_one(std::size_t caller) noexcept;

  std::vector<Member> members_;
  alignas(64) std::atomic<std::size_t> awake_{0};
  std::atomic<std::size_t> asleep_{0};
};

}  // namespace senet
