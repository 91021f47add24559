// Which code an input reaches, when the build can tell (SENET_FUZZ_COVERAGE).
#pragma once

namespace senet {

/// Forgets what was reached since the last call. For the main thread; other threads' code counts
/// too, whenever it runs.
void begin_reaching();

/// Whether code was reached since begin_reaching() that no input had reached before, or more often
/// than any had, by powers of two. Always false in a build without coverage.
bool reached_new_code();

/// How many places of the code were ever reached; 0 in a build without coverage.
unsigned places_reached();

}  // namespace senet
