#include "engine/host/service_worker.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "engine/host/search_pool.hpp"
#include "engine/host/service.hpp"

namespace senet {

// Inside a handler: what was thrown, as a status. The log hears of it.
senet_status ServiceWorker::thrown() const noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    service_.say("searches ended: the system has no more memory");
    return SENET_NO_MEMORY;
  } catch (const std::exception& error) {
    service_.say("searches ended by an error, which says:");
    service_.say(error.what());
  } catch (...) {
    service_.say("searches ended by an error of no known kind");
  }
  return SENET_INTERNAL;
}

void ServiceWorker::take(SessionSearch& search) noexcept {
  searches_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    search.next_arrival = std::exchange(arrivals_, &search);
  }
  team_.leave(number_);
}

bool ServiceWorker::round() noexcept {
  SessionSearch* taken = nullptr;
  {
    const std::lock_guard lock(mutex_);
    taken = std::exchange(arrivals_, nullptr);
  }
  SessionSearch* first = nullptr;
  while (taken != nullptr) {  // what came first is first again
    SessionSearch* const rest = taken->next_arrival;
    taken->next_arrival = std::exchange(first, taken);
    taken = rest;
  }
  while (first != nullptr) admit(*std::exchange(first, first->next_arrival));
  std::erase_if(busy_, [this](AnySearchPool* pool) { return !round_of(*pool); });
  if (!busy_.empty()) return true;
  const std::lock_guard lock(mutex_);  // a callback may have begun the next search
  return arrivals_ != nullptr;
}

void ServiceWorker::admit(SessionSearch& search) noexcept {
  AnySearchPool& pool = search.pool();
  try {
    if (std::ranges::find(busy_, &pool) == busy_.end()) busy_.push_back(&pool);
    pool.admit(search);
  } catch (...) {
    search.hand_back(thrown());
  }
}

bool ServiceWorker::round_of(AnySearchPool& pool) noexcept {
  try {
    return pool.round();
  } catch (...) {
    pool.fail_all(thrown());
    return false;
  }
}

void ServiceWorker::serve() noexcept {
  for (;;) {
    if (round()) continue;
    {
      const std::lock_guard lock(mutex_);
      if (ending_ && arrivals_ == nullptr) return;
    }
    team_.help(number_);  // until something arrives, or the end
  }
}

void ServiceWorker::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  team_.leave(number_);
}

}  // namespace senet
