// Counts every allocation of the program and of the libraries it has loaded.
#pragma once

namespace senet::testing {

/// Calls so far of malloc and its relatives, and so of operator new, from any code in this process;
/// or -1 where a sanitizer's own allocator stands in the way.
long allocations();

}  // namespace senet::testing
