// Which of the fast evaluators to use on this machine for this network: the one that is faster.
#pragma once

#include <memory>

#include "nn/evaluator.hpp"

namespace senet {

/// Builds the fused and the oneDNN evaluator, times both for a few milliseconds on rows of random
/// features (on a thread of its own, so that it leaves no trace in the caller's), keeps the faster
/// one and drops the other. The choice may differ from run to run where they are close: record its
/// name and ask for it to reproduce a result. Falls back to the fused one where oneDNN fails.
Result<std::unique_ptr<Evaluator>> faster_evaluator(const Network& network, std::size_t max_rows,
                                                    bool exact);

}  // namespace senet
