// The networks that a run has saved: numbered files that get sparser with age, and the newest one
// under a name of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "nn/network.hpp"

namespace senet {

/// Saves `network` as <folder>/<iteration, six digits>.safetensors and as
/// <folder>/latest.safetensors. When more than `most` numbered files are there (0: no limit), every
/// second one of the older half goes; the first and the newest always stay, so that a run of any
/// length leaves its whole history behind, coarser the older it is. The folder exists.
Result<void> save_to_weights_folder(const Network& network, std::uint64_t iteration,
                                    const std::filesystem::path& folder, std::size_t most);

}  // namespace senet
