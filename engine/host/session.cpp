#include "engine/host/session.hpp"

#include <algorithm>
#include <utility>

#include "engine/host/host_table.hpp"

namespace senet {
namespace {

Error busy() { return fail(SENET_BUSY, "the session is searching"); }
Error not_legal(const AnyState& state, Action action) {
  return fail(SENET_BAD_ACTION,
              "action " + std::to_string(action) + " is not legal in " + state.text());
}

}  // namespace

Session::Session(Service& service, ServedGame& served, MemoryBudget::Reservation memory)
    : service_(service),
      served_(served),
      memory_(std::move(memory)),
      state_(served.plan.host.game),
      base_(state_) {
  played_.reserve(kMostUndone);
  for (Options* const options : {&here_, &next_}) {
    options->legal.reserve(state_.game().most_legal);
    options->chance.reserve(state_.game().most_chance);
  }
  move_to(state_);
}

template <class Function>
auto Session::locked(Function&& function) const -> decltype(function()) {
  const KeepAlive alive(*this);
  const std::lock_guard lock(mutex_);
  return function();
}

template <class Function>
auto Session::when_idle(Function&& function) const -> decltype(function()) {
  return locked([&]() -> decltype(function()) {
    if (searching_) return busy();
    return function();
  });
}

Result<AnyState> Session::position_from_text(const AnyGame& game, std::string_view text) {
  Result<AnyState> state = text.empty() ? AnyState(game) : AnyState::from_text(game, text);
  return state ? state : fail(SENET_BAD_ARGUMENT, state.error().reason());
}

Result<void> Session::set(std::string_view text, std::span<const Action> actions) {
  return when_idle([&]() -> Result<void> {
    const Result<AnyState> base = position_from_text(state_.game(), text);
    if (!base) return base.error();
    AnyState reached = *base;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      next_.find(reached);
      if (!next_.has(actions[i])) {
        return fail(SENET_BAD_ACTION, "action " + std::to_string(i + 1) + " of " +
                                          std::to_string(actions.size()) + " is not legal in " +
                                          reached.text());
      }
      reached.play(actions[i]);
    }
    move_to(reached);
    base_ = *base;
    played_.clear();
    for (const Action action : actions) note_played(action);
    return {};
  });
}

Result<void> Session::set_position(const AnyState& state) {
  return when_idle([&]() -> Result<void> {
    move_to(state);
    base_ = state;
    played_.clear();
    return {};
  });
}

Result<void> Session::set_as(const Session& other) {
  struct Game {
    AnyState base, state;
    std::vector<Action> played;
  };
  const Game game = other.locked([&] { return Game{other.base_, other.state_, other.played_}; });
  return when_idle([&]() -> Result<void> {
    move_to(game.state);
    base_ = game.base;
    played_ = game.played;
    return {};
  });
}

Result<void> Session::play(Action action) {
  return when_idle([&]() -> Result<void> {
    if (!here_.has(action)) return not_legal(state_, action);
    AnyState next = state_;
    next.play(action);
    move_to(next);
    note_played(action);
    return {};
  });
}

void Session::note_played(Action action) {
  if (played_.size() == kMostUndone) {
    base_.play(played_.front());
    played_.erase(played_.begin());
  }
  played_.push_back(action);
}

Result<void> Session::undo() {
  return when_idle([&]() -> Result<void> {
    if (played_.empty()) return fail(SENET_BAD_STATE, "there is no action to take back");
    AnyState before = base_;
    for (std::size_t i = 0; i + 1 < played_.size(); ++i) before.play(played_[i]);
    move_to(before);
    played_.pop_back();
    return {};
  });
}

void Session::move_to(const AnyState& state) {
  next_.find(state);
  std::swap(here_, next_);
  state_ = state;
  found_ = SENET_BAD_STATE;
}

void Session::Options::find(const AnyState& state) {
  state.legal(legal);
  state.chance(chance);
}
bool Session::Options::has(Action action) const {
  return action < chance.size() || std::ranges::binary_search(legal, action);
}

AnyState Session::position() const {
  return locked([&] { return state_; });
}
Result<std::string> Session::text() const {
  const KeepAlive alive(*this);
  return or_logged(position().try_text());
}
Turn Session::turn() const {
  return locked([&] { return state_.turn(); });
}
std::vector<Action> Session::legal() const {
  return locked([&] { return here_.legal; });
}
std::vector<float> Session::chance() const {
  return locked([&] { return here_.chance; });
}
Result<std::string> Session::action_text(Action action) const {
  const KeepAlive alive(*this);
  std::unique_lock lock(mutex_);
  const bool legal = here_.has(action);
  const AnyState state = state_;
  lock.unlock();
  return legal ? or_logged(state.try_action_text(action)) : not_legal(state, action);
}
Result<Action> Session::action_from_text(std::string_view text) const {
  const KeepAlive alive(*this);
  Result<Action> action = position().action_from_text(text);
  return action ? action : fail(SENET_BAD_ACTION, action.error().reason());
}
Result<std::uint8_t> Session::outcome() const {
  return locked([&]() -> Result<std::uint8_t> {
    if (state_.turn() != Turn::kOver) return fail(SENET_BAD_STATE, "the game is not over");
    return state_.outcome();
  });
}

bool Session::wait(std::chrono::microseconds time) const {
  std::unique_lock lock(mutex_);
  return became_idle_.wait_for(lock, time, [&] { return !searching_ && calling_ == 0; });
}

Result<SessionResult> Session::result() const {
  Result<SessionResult> result;
  const auto there = read_result([&](const SessionResult& found) { result = found; });
  return there ? result : there.error();
}

Result<void> Session::has_result() const {
  if (shows_) return {};
  if (searching_) return busy();
  if (found_ == SENET_OK) return {};
  return fail(found_, found_ == SENET_BAD_STATE   ? "this position has not been searched"
                      : found_ == SENET_NO_MEMORY ? "the search failed: the system is out of memory"
                                                  : "the search failed with an internal error");
}

Result<std::string> Session::or_logged(Result<std::string> text) const {
  if (text) return std::move(*text);
  service_.say(text.error().reason());
  return fail(SENET_BAD_ARGUMENT, text.error().reason());
}

void Session::stop() {
  const KeepAlive alive(*this);
  ask_to_end();
}

void Session::ask_to_end() {
  stop_.store(true);
  if (AnySearchPool* const pool = pool_.load()) pool->look();
}

Result<void> Session::begin(SessionLimits limits, Done done, AnySearchPool& pool) {
  const std::lock_guard lock(mutex_);
  if (searching_) return busy();
  if (closing_) return fail(SENET_STOPPED, "the session is being closed");
  const Turn turn = state_.turn();
  if (turn == Turn::kOver) return fail(SENET_BAD_STATE, "the game is over");
  if (turn == Turn::kChance) {
    return fail(SENET_BAD_STATE, "it is chance's turn: play a chance outcome first");
  }
  std::vector<Action> wanted = limits.actions;
  std::ranges::sort(wanted);
  if (std::ranges::adjacent_find(wanted) != wanted.end() ||
      !std::ranges::all_of(wanted, [&](Action action) { return here_.has(action); })) {
    return fail(SENET_BAD_ACTION, "the actions to choose from must be legal, each once");
  }
  set_root(state_);
  limits_ = std::move(limits);
  // Adding a very long time would overflow; a year or more means no limit.
  const bool is_timed = limits_.time.count() > 0 && limits_.time < std::chrono::hours(24 * 365);
  deadline_ = is_timed ? ServiceClock::now() + limits_.time : ServiceClock::time_point::max();
  stop_.store(false);
  pool_.store(&pool);
  done_ = std::move(done);
  searching_ = true;
  return {};
}

void Session::show_progress() noexcept {
  {
    const std::lock_guard lock(mutex_);
    shows_ = true;
  }
  pool().worker().call([this] { limits_.progress(result_); });
  const std::lock_guard lock(mutex_);
  shows_ = false;
}

void Session::hand_back(senet_status status) noexcept {
  ServiceWorker& worker = pool().worker();  // before the callback, which may begin another search
  worker.count_ended();
  std::unique_lock lock(mutex_);
  found_ = status;
  searching_ = false;
  const Done done = std::exchange(done_, nullptr);
  const SessionLimits limits = std::exchange(limits_, {});  // destroyed outside the lock
  ++calling_;
  lock.unlock();
  if (done) worker.call(done);
  lock.lock();
  --calling_;
  finish_use(lock);
}

// Called when a callback or a KeepAlive ends. May free the session.
void Session::finish_use(std::unique_lock<std::mutex>& lock) const {
  const bool goes = frees_itself_ && !is_used();
  became_idle_.notify_all();
  lock.unlock();
  if (goes) service_.release(this);
}

void Session::mark_closed() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  ask_to_end();
}

bool Session::may_destroy() {
  const std::lock_guard lock(mutex_);
  frees_itself_ = is_used();
  return !frees_itself_;
}

Session::KeepAlive::KeepAlive(const Session& session) : session_(session) { ++session.users_; }

Session::KeepAlive::~KeepAlive() {
  std::unique_lock lock(session_.mutex_);
  --session_.users_;
  session_.finish_use(lock);
}

void Session::wait_for_users() const {
  std::unique_lock lock(mutex_);
  became_idle_.wait(lock, [&] { return users_ == 0; });
}

}  // namespace senet
