// When a search on a clock may stop.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine/host/session.hpp"
#include "tools/play/protocol/words.hpp"

namespace senet::protocol {

/// Watches one search. It is enough at the usual time, or earlier if the best move's lead in visits
/// cannot be caught up by then; but while the best move is new, the search gets more time.
class Clock {
 public:
  /// Without a time, or with an exact one, the limits alone end the search. In a search by plies
  /// visits are no lead, because the next ply can change everything.
  Clock(std::optional<ThinkingTime> time, ServiceClock::time_point began, bool by_plies = false)
      : time_(time && !time->is_exact ? time : std::nullopt), began_(began), by_plies_(by_plies) {}

  /// How often to call see().
  std::chrono::milliseconds interval() const {
    return std::chrono::milliseconds(time_ ? 10 : 1000);
  }
  /// Takes the result so far.
  void see(const SessionResult& so_far, ServiceClock::time_point now = ServiceClock::now()) {
    if (!time_ || so_far.choices.empty()) return;
    using Seconds = std::chrono::duration<double>;
    const Seconds past = now - began_, usual = time_->usual;
    const Choice& best = so_far.choices.front();
    if (best_ && *best_ != best.action) changed_ = past;
    best_ = best.action;
    if (past - changed_ < kSettledShare * usual) return;
    const std::uint32_t second = so_far.choices.size() > 1 ? so_far.choices[1].visits : 0;
    const double speed = (so_far.visits - so_far.kept) / std::max(past.count(), 1e-6);
    const double to_come = speed * (usual - past).count();  // negative after the usual time
    const bool leads = !by_plies_ && best.visits > second && best.visits - second > to_come;
    is_enough_ = to_come <= 0 || leads;
  }
  bool is_enough() const { return is_enough_; }

  /// Whether the result that see() would take is to be reported: about one each second.
  bool is_info_due(ServiceClock::time_point now = ServiceClock::now()) {
    if (time_ && now - informed_ < std::chrono::seconds(1)) return false;
    informed_ = now;
    return true;
  }

 private:
  // Of the usual time: how long a move has to be the best one.
  static constexpr double kSettledShare = 0.25;

  const std::optional<ThinkingTime> time_;
  const ServiceClock::time_point began_;
  const bool by_plies_;
  ServiceClock::time_point informed_ = began_;
  std::optional<Action> best_;
  std::chrono::duration<double> changed_{0};
  bool is_enough_ = false;
};

}  // namespace senet::protocol
