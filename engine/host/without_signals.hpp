// Threads that are started meanwhile take no signals: which thread of theirs does is up to hosts.
#pragma once

#include <pthread.h>

#include <csignal>

namespace senet {

/// Blocks all signals on the calling thread for as long as it lives, so that threads started from
/// it begin so. Not those of faults in the code that runs: a host may want to report them.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace senet
