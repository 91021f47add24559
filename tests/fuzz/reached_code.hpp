// Measures which code an input reaches, in builds with SENET_FUZZ_COVERAGE.
#pragma once

namespace senet {

/// Starts recording the code reached by one input. Call from the main thread; code of other threads
/// is recorded too.
void begin_reaching();

/// Stops recording. Returns whether the input reached code that no earlier input had reached, or
/// not that often (counted in powers of two). Always false in a build without coverage.
bool reached_new_code();

/// The number of code locations reached so far; 0 in a build without coverage.
unsigned places_reached();

}  // namespace senet
