// A session between two streams of bytes.
#pragma once

#include "senet/result.hpp"
#include "tools/protocol/options.hpp"

namespace senet::protocol {

/// Reads commands from the file `input` on a thread of its own and carries them out on the calling
/// thread, each answer line written to the file `output` as it is made, until quit or the end of
/// input. Fails before the first line when the options ask for what is not there (`is_ready` stays
/// false), or at the end when answers could not be written.
Result<void> serve(const Options& options, int input, int output, bool& is_ready);

}  // namespace senet::protocol
