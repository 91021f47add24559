// A worker of any game, and who watches it.
#pragma once

#include <cstddef>

#include "engine/lanes/worker_report.hpp"

namespace senet {

/// Watches a worker at work, on the worker's thread.
class WorkerObserver {
 public:
  virtual ~WorkerObserver() = default;
  /// The turn of this lane begins.
  virtual void turn(std::size_t lane) = 0;
  virtual void forward_begins(std::size_t rows) = 0;
  /// `report` is the worker's, for what the observer counts.
  virtual void forward_ended(WorkerReport& report) = 0;
};

/// A worker of any game.
class AnyWorker {
 public:
  virtual ~AnyWorker() = default;
  /// Shows what it does to `observer`, which outlives it; null: to none. On its thread.
  void observe(WorkerObserver* observer) { observer_ = observer; }

 protected:
  WorkerObserver* observer_ = nullptr;
};

}  // namespace senet
