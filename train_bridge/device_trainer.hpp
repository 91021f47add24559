// A trainer on a device that can be lost, and the trainer that outlives it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "train_bridge/trainer.hpp"

namespace senet {

/// A trainer that may fail at any call; after a failure it is of no more use. A step may answer
/// with the report of the step before, and fail when that one did.
class DeviceTrainer : public TrainerOf<Result> {
 public:
  /// From now on keeps the samples of a replay of this size; before warm_up(). A reason when the
  /// device cannot: that is no failure, it is of as much use as before.
  virtual Result<void> keep_replay(const ReplayRoom& /*room*/) {
    return fail("this device keeps no samples");
  }
};

/// A trainer that goes on on the CPU when its device fails, from the state it last fetched:
/// at most `steps_at_risk` steps are lost, no more than resuming from a checkpoint would lose.
/// Samples that were kept on the device are lost with it; the replay has them all.
/// `lost` is told the reason, once. `make_spare` makes the CPU trainer for a state.
std::unique_ptr<Trainer> make_lasting_trainer(std::unique_ptr<DeviceTrainer> device,
                                              const Network& start, std::size_t steps_at_risk,
                                              std::function<std::unique_ptr<Trainer>()> make_spare,
                                              std::function<void(const std::string& reason)> lost);

}  // namespace senet
