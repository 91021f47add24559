// What one game needs in a service: a pool for each worker, and its sessions.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/host/held_network.hpp"
#include "engine/host/host_table.hpp"
#include "engine/host/row_team.hpp"
#include "engine/host/search_pool.hpp"
#include "engine/host/service.hpp"
#include "engine/host/session_of.hpp"
#include "nn/cached_evaluator.hpp"

namespace senet {

/// What has to be known of a game before its room is made.
template <Game G>
struct GamePlan {
  NetworkSpec spec;
  std::size_t most_active = G::kMaxActive;  // features of a position that are not 0
  G start{};
};

/// What the network of a game is asked about, if the service's mode makes sense for it.
template <Game G>
Result<Evaluates> asked_about(const GamePlan<G>& plan, const ServiceSettings& settings) {
  return asked_about(plan.spec, has_afterstates(plan.start), settings.evaluates);
}

/// How searches of a game are made, whose mode makes sense.
template <Game G>
SearchSettings search_settings(const GamePlan<G>& plan, const ServiceSettings& settings) {
  SearchSettings search = settings.search;
  search.evaluates = *asked_about(plan, settings);
  return search;
}

/// How large the sessions of G are; no visits when a tree has not even room for one.
template <Game G>
SessionRoom session_room(const GamePlan<G>& plan, const ServiceSettings& settings) {
  const Evaluates evaluates = search_settings(plan, settings).evaluates;
  const std::size_t edges = most_edges(plan.start);
  if (settings.tree == 0) {
    return {limits_for(plan.start, settings.visits, evaluates), settings.visits, settings.lines,
            edges};
  }
  constexpr std::uint32_t kMost = 1u << 24;
  const std::uint32_t visits = largest_that_fits(kMost, [&](std::uint32_t tried) {
    return Tree<G>::bytes(limits_for(plan.start, tried, evaluates)) <= settings.tree;
  });
  return {limits_for(plan.start, visits, evaluates), visits == 0 ? 0 : UINT32_MAX, settings.lines,
          edges};
}

template <Game G>
class RoomOf final : public GameRoom {
 public:
  /// Pools for networks of this shape, one for each member of the team, which outlives them.
  /// `evaluators`, one for each, have `weights` loaded. The memory of it all has been promised.
  RoomOf(const GamePlan<G>& plan, const Weights& weights, const ServiceSettings& settings,
         Ledger& ledger, RowTeam& team, std::vector<std::unique_ptr<Evaluator>> evaluators,
         Charge memory)
      : settings_(settings),
        plan_(plan),
        ledger_(ledger),
        memory_(std::move(memory)),
        evaluators_(std::move(evaluators)) {
    for (std::size_t i = 0; i < evaluators_.size(); ++i) {
      std::unique_ptr<Evaluator> evaluator =
          std::make_unique<TeamEvaluator>(team, i, weights, evaluators_);
      if (settings.cache > 0) {
        evaluator =
            std::make_unique<CachedEvaluator>(std::move(evaluator), weights, settings.batch_rows,
                                              cache(plan, settings), *settings.heap);
      }
      pools_.push_back(std::make_unique<SearchPool<G>>(pool_settings(plan, settings), weights_,
                                                       std::move(evaluator), *settings.heap));
    }
  }

  /// What the constructor takes, the evaluators and the weights at work included.
  static std::size_t bytes(const GamePlan<G>& plan, const ServiceSettings& settings) {
    const std::size_t cached =
        settings.cache > 0
            ? CachedEvaluator::bytes(plan.spec, settings.batch_rows, cache(plan, settings))
            : 0;
    return sizeof(RoomOf) +
           WeightsAtWork::kMost *
               (shared_bytes(settings.evaluator, plan.spec) + sizeof(Weights) + 64) +
           drivers(settings) *
               (SearchPool<G>::bytes(pool_settings(plan, settings)) + sizeof(TeamEvaluator) +
                evaluator_bytes(settings.evaluator, plan.spec, settings.batch_rows) + cached + 64);
  }
  static std::size_t session_bytes(const GamePlan<G>& plan, const ServiceSettings& settings) {
    return SessionOf<G>::bytes(session_room(plan, settings));
  }

  AnySearchPool& pool(std::size_t worker) override { return *pools_[worker]; }

  Result<Charge> reserve_session() override {
    const std::size_t bytes = session_bytes(plan_, settings_);
    Charge memory(ledger_, bytes);
    if (!memory) return no_memory("one more session", ledger_, bytes);
    return memory;
  }
  OnHeap<Session> open_session(Service& service, std::uint64_t number, Charge memory) override {
    return make_on_heap<SessionOf<G>>(
        *settings_.heap, service, *this, plan_.start, search_settings(plan_, settings_),
        session_room(plan_, settings_), settings_.seed, number, std::move(memory), *settings_.heap);
  }

  Result<void> use(SharedWeights weights) override {
    if (!(weights->spec() == plan_.spec)) {
      return fail(SENET_MODEL_MISMATCH,
                  "the weights have another shape, or were taught another mode, than those that "
                  "this engine began to play " +
                      plan_.spec.game + " with");
    }
    weights_.publish(std::move(weights));
    return {};
  }

 private:
  static PoolSettings pool_settings(const GamePlan<G>& plan, const ServiceSettings& settings) {
    return {search_settings(plan, settings), settings.sessions, session_room(plan, settings).tree,
            settings.batch_rows, plan.most_active};
  }
  static CacheSettings cache(const GamePlan<G>& plan, const ServiceSettings& settings) {
    return cache_settings<G>(settings.cache, search_settings(plan, settings).evaluates,
                             plan.most_active);
  }

  const ServiceSettings settings_;
  const GamePlan<G> plan_;
  Ledger& ledger_;
  const Charge memory_;
  WeightsAtWork weights_;
  const std::vector<std::unique_ptr<Evaluator>> evaluators_;  // the members', for this game
  std::vector<std::unique_ptr<SearchPool<G>>> pools_;
};

/// The room, if there is memory for it, with evaluators for weights of this spec.
template <Game G>
Result<std::unique_ptr<GameRoom>> make_room(const GamePlan<G>& plan, const Weights& weights,
                                            const ServiceSettings& settings, Ledger& ledger,
                                            RowTeam& team) {
  const auto bad = [](std::string what) { return fail(SENET_BAD_ARGUMENT, std::move(what)); };
  const Result<Evaluates> asked = asked_about(plan, settings);
  if (!asked) return bad("mode: " + asked.error().reason());
  if (session_room(plan, settings).visits == 0) {
    return bad("tree: too small for a single visit");
  }
  const std::size_t bytes = RoomOf<G>::bytes(plan, settings);
  Charge memory(ledger, bytes);
  if (!memory) return no_memory("batches and evaluators of " + plan.spec.game, ledger, bytes);
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  for (std::size_t i = 0; i < drivers(settings); ++i) {
    auto evaluator = make_evaluator(settings.evaluator, weights, settings.batch_rows,
                                    /*exact=*/false, *settings.heap);
    if (!evaluator) return bad("evaluator: " + evaluator.error().reason());
    evaluators.push_back(std::move(*evaluator));
  }
  return std::make_unique<RoomOf<G>>(plan, weights, settings, ledger, team, std::move(evaluators),
                                     std::move(memory));
}

template <Game G>
constexpr HostTable HostTable::of() {
  return {.reference_spec = &senet::reference_spec<G>,
          .has_afterstates = G::kHasAfterstates,
          .make_room =
              [](const Weights& weights, const ServiceSettings& settings, Ledger& ledger,
                 RowTeam& team) {
                return senet::make_room(GamePlan<G>{weights.spec()}, weights, settings, ledger,
                                        team);
              },
          .room_bytes =
              [](const NetworkSpec& spec, const ServiceSettings& settings) {
                return RoomOf<G>::bytes(GamePlan<G>{spec}, settings);
              },
          .session_bytes =
              [](const NetworkSpec& spec, const ServiceSettings& settings) {
                return RoomOf<G>::session_bytes(GamePlan<G>{spec}, settings);
              }};
}

}  // namespace senet
