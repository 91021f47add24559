// Memory use of this process.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace senet {

/// Resident memory of this process in MiB; 0 where /proc does not provide it.
inline double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace senet
