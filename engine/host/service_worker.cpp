#include "engine/host/service_worker.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "engine/host/host_table.hpp"

namespace senet {

// In a catch block: logs the exception and returns its status.
senet_status ServiceWorker::thrown() const noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    service_.say("searches failed: the system is out of memory");
    return SENET_NO_MEMORY;
  } catch (const std::exception& error) {
    service_.say("searches failed with this error:");
    service_.say(error.what());
  } catch (...) {
    service_.say("searches failed with an exception of unknown type");
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
    // Reverses the list, so that the oldest arrival is first.
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
  } catch (...) {
    service_.say("a callback threw an exception");
  }
  calling_.store({});
}

void ServiceWorker::serve() noexcept {
  for (;;) {
    if (round()) continue;
    if (ending_.load() && arrivals_.load() == nullptr) return;
    team_.help(number_);  // until take() or end()
  }
}

void ServiceWorker::end() {
  ending_.store(true);
  team_.leave(number_);
}

}  // namespace senet
