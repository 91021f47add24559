#include "engine/host/service_worker.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "engine/host/host_table.hpp"

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

void ServiceWorker::take(Session& session) noexcept {
  searches_.fetch_add(1, std::memory_order_relaxed);
  session.next_arrival = arrivals_.load();
  while (!arrivals_.compare_exchange_weak(session.next_arrival, &session)) {
  }
  team_.leave(number_);
}

bool ServiceWorker::round() noexcept {
  Session* first = nullptr;
  for (Session* taken = arrivals_.exchange(nullptr); taken != nullptr;) {
    // What came first is first again.
    std::swap(first, taken->next_arrival);
    std::swap(first, taken);
  }
  while (first != nullptr) admit(*std::exchange(first, first->next_arrival));
  std::erase_if(busy_, [this](AnySearchPool* pool) { return !round_of(*pool); });
  return !busy_.empty() || arrivals_.load() != nullptr;  // a callback may have begun a search
}

void ServiceWorker::admit(Session& session) noexcept {
  AnySearchPool& pool = session.pool();
  try {
    if (std::ranges::find(busy_, &pool) == busy_.end()) busy_.push_back(&pool);
    pool.admit(session);
  } catch (...) {
    session.hand_back(thrown());
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

void ServiceWorker::call(const std::function<void()>& callback) noexcept {
  calling_.store(std::this_thread::get_id());
  try {
    callback();
  } catch (...) {  // a host's business, and it ends here
    service_.say("a callback threw something");
  }
  calling_.store({});
}

void ServiceWorker::serve() noexcept {
  for (;;) {
    if (round()) continue;
    if (ending_.load() && arrivals_.load() == nullptr) return;
    team_.help(number_);  // until something arrives, or the end
  }
}

void ServiceWorker::end() {
  ending_.store(true);
  team_.leave(number_);
}

}  // namespace senet
