// HostTable::of: a service's functions for a game of type G.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/host/search_pool.hpp"
#include "search/network_alone.hpp"

namespace senet {

template <Game G>
constexpr HostTable HostTable::of() {
  HostTable table{};
  table.game = AnyGame::rules_of<G>();
  table.plan = [](const HostTable& host, const NetworkSpec& spec,
                  const ServiceSettings& settings) -> Result<ServedGamePlan> {
    const AnyGame& rules = host.game;
    const auto asked = resolve_evaluates(spec, modes_of(rules), settings.evaluates);
    if (!asked) return fail(SENET_BAD_ARGUMENT, asked.error().reason());
    const AnyState any(rules);
    const G& start = any.as<G>();
    const auto limits = [&](std::uint32_t visits) { return limits_for(start, visits, *asked); };
    ServedGamePlan planned{.host = host,
                           .spec = spec,
                           .settings = settings,
                           .tree = {},
                           .visits = settings.visits,
                           .edges = most_edges(start),
                           .cache = cache_settings(start, settings.cache, *asked),
                           .row = row_size(start)};
    planned.settings.search.evaluates = *asked;
    if (const auto checked = check_search(planned.settings.search); !checked) {
      return fail(SENET_BAD_ARGUMENT, checked.error().reason());
    }
    if (settings.search.plies.ply > 0) {
      planned.tree = limits(1);
      planned.visits = UINT32_MAX;
    } else if (settings.tree == 0) {
      planned.tree = limits(settings.visits);
    } else {
      const std::uint32_t visits = largest_that_fits(1u << 24, [&](std::uint32_t tried) {
        return Tree<G>::bytes(limits(tried)) <= settings.tree;
      });
      planned.tree = limits(visits);
      planned.visits = visits == 0 ? 0 : UINT32_MAX;
    }
    const EvaluatorKind kind = settings.evaluation.kind;
    const std::size_t rows = settings.evaluation.batch_rows;
    const std::size_t cached =
        settings.cache > 0 ? CachedEvaluator::bytes(spec, rows, planned.cache) : 0;
    const std::size_t weights = shared_bytes(kind, spec) + sizeof(Weights) + 64;
    const std::size_t driver = SearchPool<G>::bytes(planned) + sizeof(TeamEvaluator) + cached + 64;
    planned.game_bytes = sizeof(ServedGame) + WeightsInUse::kMost * weights +
                         drivers(settings) * driver +
                         evaluating_threads(settings) * evaluator_bytes(kind, spec, rows) +
                         (settings.tablebases ? rules.tablebase.bytes : 0);
    const std::size_t options =
        rules.most_legal * sizeof(Action) + rules.most_chance * sizeof(float);
    const std::size_t played = Session::kMostUndone * sizeof(Action);
    planned.session_bytes = 2 * options + played + SessionOf<G>::bytes(planned) + 1024;
    planned.evaluating_bytes = evaluator_bytes(kind, spec, rows) + Batch::bytes(rows, planned.row) +
                               NetworkAlone<G>::bytes(rows, planned.settings.search.evaluates) +
                               rows * (sizeof(AnyState) + sizeof(Outcomes<G>)) + 1024;
    return planned;
  };
  table.make_pool = [](const ServedGamePlan& planned, ServiceWorker& worker, WeightsInUse& weights,
                       std::unique_ptr<Evaluator> evaluator) -> std::unique_ptr<AnySearchPool> {
    return std::make_unique<SearchPool<G>>(planned, worker, weights, std::move(evaluator));
  };
  table.make_session = [](ServedGame& served, Service& service, std::uint64_t number,
                          MemoryBudget::Reservation memory) -> OnHeap<Session> {
    return make_on_heap<SessionOf<G>>(*served.plan.settings.heap, served, service, number,
                                      std::move(memory));
  };
  table.evaluate = [](const ServedGame& served, Evaluator& evaluator, Batch& batch,
                      std::span<const AnyState> positions,
                      const std::function<void(std::size_t, const Expectation&)>& expected) {
    const G& any = positions.front().as<G>();
    Heap& heap = *served.plan.settings.heap;
    NetworkAlone<G> alone(any, served.plan.settings.search.evaluates, evaluator, batch,
                          Tablebase<G>(served.tablebase.bytes()), heap);
    std::pmr::vector<Outcomes<G>> outcomes(positions.size(), &heap);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      alone.add(positions[i].as<G>(), outcomes[i]);
    }
    alone.finish();
    for (std::size_t i = 0; i < positions.size(); ++i) {
      expected(i, {.viewer = positions[i].viewer(),
                   .value = mean_value(any, outcomes[i]),
                   .outcomes = std::span(outcomes[i]).first(outcome_values(any).size())});
    }
  };
  return table;
}

}  // namespace senet
