// senet.Network: a network in Python.
#pragma once

#include "nn/weights.hpp"

namespace senet::python {

/// Immutable weights, shared with the evaluators of searches that run.
struct PythonNetwork {
  SharedWeights weights;
};

}  // namespace senet::python
