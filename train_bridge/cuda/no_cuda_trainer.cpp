#include "train_bridge/cuda/cuda_trainer.hpp"

namespace senet {

bool built_with_cuda() { return false; }

Result<std::unique_ptr<DeviceTrainer>> make_cuda_trainer(const Network&, const TrainBatch::Shape&,
                                                         const TrainerSettings&, Precision,
                                                         CudaTrainerReport*) {
  return fail("this program was built without CUDA");
}

}  // namespace senet
