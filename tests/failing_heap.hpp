// Makes operator new fail on request in the program that it is linked into.
#pragma once

namespace senet {

/// From now on, counted over all threads, the first `good` calls of operator new succeed, the next
/// `bad` calls fail, and later ones succeed.
void fail_allocations(long good, long bad);
/// Stops the failures. Returns whether a call has failed since fail_allocations().
bool allow_allocations();

}  // namespace senet
