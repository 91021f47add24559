// How a worker plays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>

#include "games/settings.hpp"
#include "nn/evaluator.hpp"
#include "search/settings.hpp"

namespace senet {

/// Builds an evaluator for batches of up to `max_rows` rows and loads `weights`. Called on the
/// thread that will use it.
using EvaluatorMaker =
    std::function<Result<std::unique_ptr<Evaluator>>(const Weights& weights, std::size_t max_rows)>;

struct WorkerSettings {
  std::size_t lanes = 64;                           // games played at once by one worker
  std::size_t batch_rows = 64;                      // rows of one forward pass at most
  EvaluatorKind evaluator = EvaluatorKind::kFused;  // the same bits for any batch
  bool exact = false;                               // see make_evaluator
  EvaluatorMaker own_evaluator = {};  // a host's own, instead of the named one, when set
  std::size_t cache_mib = 0;          // MiB in which this worker remembers evaluations; 0: none
  SearchSettings search;
  std::uint32_t visits = 100;  // the trees have room for searches of this many visits
};

/// The search's settings have a list of their own.
constexpr auto settings_of(std::type_identity<WorkerSettings>) {
  using S = WorkerSettings;
  return std::tuple{
      setting("evaluator", &S::evaluator,
              "the forward pass: fused, onednn, auto (the faster of both), reference or hash"),
      setting("lanes", &S::lanes, "games played at once by each worker",
              {.least = 1, .most = 4096}),
      setting("batch", &S::batch_rows, "most rows of one forward pass", {.least = 1, .most = 4096}),
      setting("cache", &S::cache_mib, "MiB in which each worker remembers evaluations; 0: none",
              {.least = 0, .most = 1'000'000, .unit = "MiB"}),
  };
}

}  // namespace senet
