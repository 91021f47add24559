#include "tools/stop_signals.hpp"

#include <atomic>

namespace senet {
namespace {

// Static because a signal handler receives only the signal's number. (Blocking the signals and
// waiting for them would need no handler, but every thread would have to block them, and libraries
// start threads before main runs.)
std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free);

void note(int) { ++noted; }

}  // namespace

StopSignals::StopSignals(Mode mode) : mode_(mode) {
  noted = 0;
  struct sigaction noting {};
  noting.sa_handler = note;
  noting.sa_flags = SA_RESTART;
  if (mode == Mode::kFirstOnly) noting.sa_flags |= static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    const bool stays = kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (!stays) ::sigaction(kSignals[i], &noting, nullptr);
  }
  file_size_before_ = ::signal(SIGXFSZ, SIG_IGN);
  if (mode == Mode::kEach) pipe_before_ = ::signal(SIGPIPE, SIG_IGN);
}

StopSignals::~StopSignals() {
  if (mode_ == Mode::kEach) ::signal(SIGPIPE, pipe_before_);
  ::signal(SIGXFSZ, file_size_before_);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
}

int StopSignals::count() const { return noted; }

}  // namespace senet
