#include "engine/session.hpp"

#include <algorithm>
#include <utility>

#include "engine/service.hpp"

namespace senet {
namespace {

tl::unexpected<Failure> busy() { return refuse(Status::kBusy, "the session is searching"); }

}  // namespace

template <class Function>
auto Session::when_idle(Function&& function) const -> decltype(function()) {
  const std::lock_guard lock(mutex_);
  if (searching_) return busy();
  return function();
}

Outcome<void> Session::set(std::string_view text, std::span<const Action> actions) {
  return when_idle([&]() -> Outcome<void> {
    if (auto done = set_position(text, actions); !done) return done;
    has_result_ = false;
    return {};
  });
}

Outcome<void> Session::play(Action action) {
  return when_idle([&]() -> Outcome<void> {
    if (auto done = play_action(action); !done) return done;
    has_result_ = false;
    return {};
  });
}

Outcome<std::string> Session::text() const {
  return when_idle([&]() -> Outcome<std::string> { return position_text(); });
}
Outcome<Turn> Session::turn() const {
  return when_idle([&]() -> Outcome<Turn> { return turn_now(); });
}
Outcome<std::vector<Action>> Session::legal() const {
  return when_idle([&]() -> Outcome<std::vector<Action>> { return legal_now(); });
}
Outcome<std::string> Session::action_text(Action action) const {
  return when_idle([&]() -> Outcome<std::string> { return text_of(action); });
}
Outcome<Action> Session::action_from_text(std::string_view text) const {
  return when_idle([&] { return action_of(text); });
}
Outcome<std::uint8_t> Session::outcome() const {
  return when_idle([&]() -> Outcome<std::uint8_t> {
    if (turn_now() != Turn::kOver) return refuse(Status::kBadState, "the game is not over");
    return outcome_now();
  });
}

bool Session::wait(std::chrono::microseconds time) const {
  std::unique_lock lock(mutex_);
  return became_idle_.wait_for(lock, time, [&] { return !searching_; });
}

Outcome<SessionResult> Session::result() const {
  return when_idle([&]() -> Outcome<SessionResult> {
    if (!has_result_) return refuse(Status::kBadState, "this position has not been searched");
    return result_;
  });
}

Outcome<void> Session::begin(const SessionLimits& limits, Done done) {
  const std::lock_guard lock(mutex_);
  if (searching_) return busy();
  if (closing_) return refuse(Status::kStopped, "the session is being closed");
  const Turn turn = turn_now();
  if (turn == Turn::kOver) return refuse(Status::kBadState, "the game is over");
  if (turn == Turn::kChance) {
    return refuse(Status::kBadState, "it is the turn of chance: play one of its outcomes first");
  }
  const auto now = ServiceClock::now();
  limits_ = limits;
  // Centuries are no limit, and would overflow.
  const bool timed = limits.time.count() > 0 && limits.time < std::chrono::hours(24 * 365);
  deadline_ = timed ? now + limits.time : ServiceClock::time_point::max();
  done_ = std::move(done);
  stop_.store(false, std::memory_order_relaxed);
  searching_ = true;
  return {};
}

void Session::end(SessionResult result) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    has_result_ = true;
    searching_ = false;
    done = std::exchange(done_, nullptr);
    tellers_.push_back(std::this_thread::get_id());
    became_idle_.notify_all();
  }
  if (done) {
    const Tellers::Telling telling(service_->tellers_);
    done();
  }
  std::function<void()> release;
  {
    const std::lock_guard lock(mutex_);
    tellers_.erase(std::ranges::find(tellers_, std::this_thread::get_id()));
    if (tellers_.empty()) release = std::exchange(release_, nullptr);
    became_idle_.notify_all();
  }
  if (release) release();
}

bool Session::close(std::function<void()> release) {
  std::unique_lock lock(mutex_);
  closing_ = true;
  stop();
  became_idle_.wait(lock, [&] { return !searching_; });
  if (std::ranges::find(tellers_, std::this_thread::get_id()) != tellers_.end()) {
    release_ = std::move(release);
    return false;
  }
  became_idle_.wait(lock, [&] { return tellers_.empty(); });
  return true;
}

}  // namespace senet
