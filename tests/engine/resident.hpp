// The peak resident memory of this program.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace senet {

/// False under sanitizers, which take memory themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kResidentIsOurs = false;
#else
inline constexpr bool kResidentIsOurs = true;
#endif

/// Peak resident bytes, including code and mapped files.
inline std::size_t resident_peak() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    std::size_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

}  // namespace senet
