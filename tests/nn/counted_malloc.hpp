// Counts every allocation of the program and of its shared libraries.
#pragma once

namespace senet {

/// Number of calls so far of malloc and related functions, and so of operator new, from any code in
/// this process; -1 where a sanitizer replaces the allocator.
long allocations();

}  // namespace senet
