// make_onednn() for programs built without oneDNN.
#include "nn/evaluator.hpp"

namespace senet {

Result<std::unique_ptr<Evaluator>> make_onednn(const Weights&, std::size_t, bool) {
  return fail("this library was built without oneDNN: rebuild with -DSENET_ONEDNN=ON");
}

}  // namespace senet
