// A program without oneDNN: its evaluator cannot be made.
#include "nn/evaluator.hpp"

namespace senet {

Result<std::unique_ptr<Evaluator>> make_onednn(const Weights&, std::size_t, bool) {
  return fail("this library was built without oneDNN (-DSENET_ONEDNN=ON)");
}

}  // namespace senet
