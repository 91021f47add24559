// A few threads that do one thing together, again and again: the trainer's, for steps on several
// cores.
#pragma once

#include <absl/functional/function_ref.h>

#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace senet {

/// The part [begin, end) of something.
struct Share {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// The calling thread and members - 1 others, which sleep between two calls of run(). Used by one
/// thread at a time. Allocates only when constructed.
class ThreadTeam {
 public:
  /// Starts the others; at least one member. Throws when the system has no more threads.
  explicit ThreadTeam(std::size_t members);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  std::size_t members() const { return others_.size() + 1; }

  /// Calls work(member) for every member at once, 0 on the calling thread, and returns when all are
  /// done. `work` throws nothing.
  void run(absl::FunctionRef<void(std::size_t)> work);

  /// The member's share of `size` things: neighbours, whole multiples of `grain` but for the last,
  /// the same in every call.
  Share share(std::size_t size, std::size_t grain, std::size_t member) const;

 private:
  void serve(std::size_t member);

  std::barrier<> turn_;  // passed twice a run: before the work and behind it
  const absl::FunctionRef<void(std::size_t)>* work_ = nullptr;  // null: the end
  std::vector<std::jthread> others_;
};

}  // namespace senet
