// How much the longest tests do.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace senet {

/// `full`, or a share of it where a test runs many times slower: a twentieth under an emulator
/// (tests/aarch64.cmake), a tenth under a sanitizer (tests/CMakeLists.txt).
template <class Count>
constexpr Count effort(Count full) {
#if defined(SENET_EMULATED)
  constexpr Count kSlower = 20;
#elif defined(SENET_SANITIZED)
  constexpr Count kSlower = 10;
#else
  constexpr Count kSlower = 1;
#endif
  return std::max<Count>(full / kSlower, 1);
}

/// The number in an environment variable, by which a script asks for the long form of a test; else
/// `usual`.
inline double asked(const char* variable, double usual) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? usual : std::strtod(text, nullptr);
}

}  // namespace senet
