// Operator new that fails when a test wants it to, in the program it is linked into.
#pragma once

namespace senet {

/// Of the calls of operator new from now on, on all threads, the one after `good` others fails, and
/// `bad` - 1 behind it.
void fail_allocations(long good, long bad);
/// None fails any more. True when one has failed.
bool allow_allocations();

}  // namespace senet
