#include "tools/stop_signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace senet {
namespace {

// Where the handler writes: a handler is told nothing but the signal's number, so this must be
// static. (Blocking the signals and waiting for them needs no handler, but every thread would have
// to block them, and libraries start threads of their own before main does.)
std::atomic<int> signal_pipe{-1};
static_assert(std::atomic<int>::is_always_lock_free);

void note(int) {
  const int before = errno;
  const int pipe = signal_pipe.load();
  // A full pipe has been told often enough.
  [[maybe_unused]] const ssize_t written = pipe >= 0 ? ::write(pipe, "", 1) : 0;
  errno = before;
}

}  // namespace

StopSignals::StopSignals(Mode mode) {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0) {
    pipe_ = ends[0];
    signal_pipe = ends[1];
  }
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
}

StopSignals::~StopSignals() {
  ::signal(SIGXFSZ, file_size_before_);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  const int writing = signal_pipe.exchange(-1);
  if (writing >= 0) ::close(writing);
  if (pipe_ >= 0) ::close(pipe_);
}

bool StopSignals::wait(std::chrono::milliseconds time) {
  pollfd stream{pipe_, POLLIN, 0};
  ::poll(&stream, 1, static_cast<int>(time.count()));
  char byte;
  return ::read(pipe_, &byte, 1) == 1;
}

bool StopSignals::has_come() {
  if (!has_come_ && wait(std::chrono::milliseconds(0))) has_come_ = true;
  return has_come_;
}

}  // namespace senet
