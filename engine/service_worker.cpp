#include "engine/service_worker.hpp"

#include <algorithm>

namespace senet {

void ServiceWorker::take(AnySearchPool& pool, Session& session) {
  searches_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  arrivals_.push_back({&pool, &session});
  arrived_.notify_one();
}

bool ServiceWorker::round() {
  {
    const std::lock_guard lock(mutex_);
    std::swap(arrivals_, taken_);
  }
  for (const Arrival& arrival : taken_) {
    arrival.pool->admit(*arrival.session);
    if (std::ranges::find(busy_, arrival.pool) == busy_.end()) busy_.push_back(arrival.pool);
  }
  taken_.clear();
  std::erase_if(busy_, [](AnySearchPool* pool) { return !pool->round(); });
  return !busy_.empty();
}

void ServiceWorker::serve() {
  for (;;) {
    if (round()) continue;
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return ending_ || !arrivals_.empty(); });
    if (ending_ && arrivals_.empty()) return;
  }
}

void ServiceWorker::end() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  arrived_.notify_one();
}

}  // namespace senet
