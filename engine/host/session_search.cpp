#include "engine/host/session_search.hpp"

#include <utility>

#include "engine/host/search_pool.hpp"
#include "engine/host/service_worker.hpp"
#include "engine/host/session.hpp"

namespace senet {

void SessionSearch::begin(const AnyState& state, SessionLimits limits, ServiceWorker& worker,
                          AnySearchPool& pool) {
  set_root(state);
  limits_ = std::move(limits);
  // Centuries are no limit, and would overflow.
  const bool is_timed = limits_.time.count() > 0 && limits_.time < std::chrono::hours(24 * 365);
  deadline_ = is_timed ? ServiceClock::now() + limits_.time : ServiceClock::time_point::max();
  worker_ = &worker;
  stop_.store(false);
  pool_.store(&pool);
}

void SessionSearch::stop() {
  stop_.store(true);
  if (AnySearchPool* const pool = pool_.load()) pool->look();
}

void SessionSearch::show_progress() noexcept { owner_.search_goes_on(result_); }

void SessionSearch::hand_back(senet_status status) noexcept {
  worker_->count_ended();
  owner_.search_ended(status);
}

}  // namespace senet
