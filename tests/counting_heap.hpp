// Counts every call of operator new in the program that it is linked into.
#pragma once

namespace senet {

/// Calls of operator new since the program started, on all threads.
long heap_allocations();

}  // namespace senet
