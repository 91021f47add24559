// The settings of a self-play worker.
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
  std::size_t lanes = 64;                           // games that the worker plays in parallel
  std::size_t batch_rows = 64;                      // maximum rows of one forward pass
  EvaluatorKind evaluator = EvaluatorKind::kFused;  // the same bits for any batch
  bool exact = false;                               // see make_evaluator
  EvaluatorMaker own_evaluator = {};                // if set, used instead of `evaluator`
  std::size_t cache_mib = 0;                        // evaluation cache in MiB; 0: none
  SearchSettings search;
  std::uint32_t visits = 100;  // that each tree has room for
};

/// Without the search's settings, which have their own list.
constexpr auto settings_of(std::type_identity<WorkerSettings>) {
  using S = WorkerSettings;
  return std::tuple{
      setting("evaluator", &S::evaluator,
              "the forward pass; auto: the faster of fused and onednn; reference and hash are for "
              "tests"),
      setting("lanes", &S::lanes, "games that each worker plays in parallel",
              {.least = 1, .most = 4096}),
      setting("batch", &S::batch_rows, "maximum rows of one forward pass",
              {.least = 1, .most = 4096}),
      setting("cache", &S::cache_mib, "evaluation cache of each worker; 0: none",
              {.least = 0, .most = 1'000'000, .unit = "MiB"}),
  };
}
constexpr std::string_view settings_heading(std::type_identity<WorkerSettings>) {
  return "Workers";
}

}  // namespace senet
