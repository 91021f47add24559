// How much the longest tests do.
#pragma once

#include <algorithm>

namespace senet {

/// `full`, or a twentieth of it where an emulator runs the tests (tests/aarch64.cmake), many times
/// slower than the processor.
template <class Count>
constexpr Count effort(Count full) {
#ifdef SENET_EMULATED
  return std::max<Count>(full / 20, 1);
#else
  return full;
#endif
}

}  // namespace senet
