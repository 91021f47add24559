#include "engine/host/row_team.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace senet {
namespace {

using Clock = std::chrono::steady_clock;

// Minimum rows of a range. In ranges of 4 rows or more a row costs 2 us; alone it costs 5 us.
constexpr std::size_t kMinRows = 4;
// A helper spins this long for the next range before it sleeps. A search of afterstates has a pass
// about every 50 us; waking a thread takes about as long as such a pass.
constexpr auto kSpinTime = std::chrono::microseconds(200);
// Maximum number of passes between two calls.
constexpr std::uint32_t kMaxBackoff = 255;
// Iterations of a spin loop between yields.
constexpr int kLooks = 256;

constexpr std::uint32_t next_range(std::uint32_t ranges) { return ranges & 0xffff; }
constexpr std::uint32_t range_count(std::uint32_t ranges) { return ranges >> 16; }

// A hint to the processor that this is a spin loop.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void RowTeam::forward(std::size_t member, const Rows& job) {
  const std::size_t rows = job.last - job.first;
  const std::size_t most_ranges = rows / kMinRows;
  Member& me = members_[member];
  const std::size_t helpers = awake();
  const bool calls = helpers + 1 < most_ranges && wants_to_call(me);
  const std::size_t threads = 1 + helpers + (calls ? 1 : 0);
  if (threads == 1 || most_ranges < 2) {
    job.evaluators[member]->forward(job.batch, job.first, job.last);
    return;
  }
  // One range per thread. Two would let an interrupted thread take fewer, but lost half of the
  // gain.
  const std::size_t wanted = std::min(threads, most_ranges);
  const std::size_t range_rows = (rows + wanted - 1) / wanted;
  const auto count = static_cast<std::uint32_t>((rows + range_rows - 1) / range_rows);
  me.job = &job;
  me.range_rows = range_rows;
  me.helped.store(0, std::memory_order_relaxed);
  me.ranges.store(count << 16, std::memory_order_release);
  if (calls) call_one(member);
  std::uint32_t mine = 0;
  while (run_range(me, member)) ++mine;
  for (int looks = 1; me.helped.load(std::memory_order_acquire) + mine < count; ++looks) {
    relax();
    if (looks % kLooks == 0) std::this_thread::yield();
  }
  if (mine < count) {
    me.call_backoff = 0;
  } else if (calls) {
    me.passes_until_call = me.call_backoff = std::min(2 * me.call_backoff + 1, kMaxBackoff);
  }
  if (me.thrown) std::rethrow_exception(std::exchange(me.thrown, nullptr));
}

// On a busy machine a called thread arrives too late, or takes the caller's core. So each call that
// brings no help delays the next one.
bool RowTeam::wants_to_call(Member& me) noexcept {
  if (asleep_.load(std::memory_order_relaxed) == 0) return false;
  if (me.passes_until_call == 0) return true;
  --me.passes_until_call;
  return false;
}

// The owner waits for every claimed range, so after the claim its job stays valid and constant.
// Only `ranges` is read before the claim.
bool RowTeam::run_range(Member& owner, std::size_t runner) noexcept {
  std::uint32_t ranges = owner.ranges.load(std::memory_order_relaxed);
  do {
    if (next_range(ranges) == range_count(ranges)) return false;
  } while (!owner.ranges.compare_exchange_weak(ranges, ranges + 1, std::memory_order_acquire,
                                               std::memory_order_relaxed));
  const Rows& job = *owner.job;
  const std::size_t first = job.first + next_range(ranges) * owner.range_rows;
  const std::size_t last = std::min(first + owner.range_rows, job.last);
  try {
    Evaluator& evaluator = *job.evaluators[runner];
    evaluator.load(job.weights);
    evaluator.forward(job.batch, first, last);
  } catch (...) {
    const std::lock_guard lock(owner.mutex);
    owner.thrown = std::current_exception();
  }
  return true;
}

// Begins with the next member, so that several helpers begin with different owners.
bool RowTeam::help_another(std::size_t member) noexcept {
  for (std::size_t i = 1; i < members_.size(); ++i) {
    Member& owner = members_[(member + i) % members_.size()];
    if (!run_range(owner, member)) continue;
    owner.helped.fetch_add(1, std::memory_order_release);
    members_[member].ranges_done.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void RowTeam::spin_for_ranges(std::size_t member) noexcept {
  awake_.fetch_add(1, std::memory_order_relaxed);
  auto last_helped = Clock::now();
  for (int looks = 1; !members_[member].leaves.load(std::memory_order_relaxed); ++looks) {
    if (help_another(member)) {
      last_helped = Clock::now();
    } else if (Clock::now() - last_helped > kSpinTime) {
      break;
    }
    relax();
    if (looks % kLooks == 0) std::this_thread::yield();
  }
  awake_.fetch_sub(1, std::memory_order_relaxed);
}

void RowTeam::help(std::size_t member) noexcept {
  Member& me = members_[member];
  for (;;) {
    {
      std::unique_lock lock(me.mutex);
      me.asleep.store(true, std::memory_order_relaxed);
      asleep_.fetch_add(1, std::memory_order_relaxed);
      me.wake.wait(lock, [&] { return me.called || me.leaves.load(std::memory_order_relaxed); });
      asleep_.fetch_sub(1, std::memory_order_relaxed);
      me.asleep.store(false, std::memory_order_relaxed);
      me.called = false;
      if (me.leaves.exchange(false, std::memory_order_relaxed)) return;
    }
    spin_for_ranges(member);
  }
}

void RowTeam::leave(std::size_t member) noexcept {
  Member& it = members_[member];
  const std::lock_guard lock(it.mutex);
  it.leaves.store(true, std::memory_order_relaxed);
  it.wake.notify_one();
}

// May miss a member that is about to sleep; the next pass calls that one.
void RowTeam::call_one(std::size_t caller) noexcept {
  for (std::size_t i = 1; i < members_.size(); ++i) {
    Member& it = members_[(caller + i) % members_.size()];
    if (!it.asleep.load(std::memory_order_relaxed)) continue;
    const std::lock_guard lock(it.mutex);
    if (!it.asleep.load(std::memory_order_relaxed) || it.called) continue;
    it.called = true;
    it.wake.notify_one();
    return;
  }
}

std::uint64_t RowTeam::ranges_helped() const {
  std::uint64_t sum = 0;
  for (const Member& member : members_) {
    sum += member.ranges_done.load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace senet
