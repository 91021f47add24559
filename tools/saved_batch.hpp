// A training batch in a file, for other programs that learn from the same.
#pragma once

#include <filesystem>

#include "senet/result.hpp"
#include "train_bridge/train_batch.hpp"

namespace senet {

/// Writes a safetensors file of four f32 tensors, rows as in the batch:
///
///   features  [rows, features]                      written out, most are 0
///   outcomes  [rows, outcomes]                      the value's target
///   targets   [rows, most actions]                  the policy's; 0 behind a row's last action
///   logits    [rows, most actions, logits_per_action]  numbers of the logits that an action's
///   logit
///                                                   is the sum of; -1 pads
///
/// Replaces the file, or says why not.
Result<void> save_batch(const TrainBatch& batch, std::size_t features,
                        const std::filesystem::path& file);

}  // namespace senet
