// Which of the fast evaluators to use on this machine for this network: the one that is faster.
#pragma once

#include "nn/evaluator.hpp"

namespace senet {

/// Builds the fused and the oneDNN evaluator and times both in turns for a few milliseconds on
/// rows of random features, on a thread of its own. kOneDnn if it can be built and is at least a
/// twentieth faster; else kFused, whose answers do not depend on the batch.
EvaluatorKind faster_kind(const Network& network, std::size_t max_rows, bool exact);

}  // namespace senet
