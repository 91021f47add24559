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
#include "engine/host/session.hpp"
#include "nn/cached_evaluator.hpp"

namespace senet {

template <Game G>
class RoomOf;

/// What the room of a game takes, for networks of this shape.
template <Game G>
struct RoomPlan {
  /// The service's mode makes sense for them: see asked_about().
  RoomPlan(const AnyGame& of, const NetworkSpec& shape, const ServiceSettings& service)
      : game(of), spec(shape), settings(service), search(service.search) {
    search.evaluates = *asked_about(spec, game.has_afterstates, settings.evaluates);
    const AnyState any(game);
    const G& start = any.as<G>();
    const auto limits = [&](std::uint32_t visits) {
      return limits_for(start, visits, search.evaluates);
    };
    session = {limits(settings.visits), settings.visits, settings.lines, most_edges(start)};
    if (settings.tree > 0) {
      const std::uint32_t visits = largest_that_fits(1u << 24, [&](std::uint32_t tried) {
        return Tree<G>::bytes(limits(tried)) <= settings.tree;
      });
      session.tree = limits(visits);
      session.visits = visits == 0 ? 0 : UINT32_MAX;
    }
    pool = {search, settings.sessions, session.tree, settings.batch_rows, game.most_active};
    cache = cache_settings<G>(settings.cache, search.evaluates, game.most_active);
  }

  /// Evaluators and the weights at work included.
  RoomBytes bytes() const {
    const std::size_t cached =
        settings.cache > 0 ? CachedEvaluator::bytes(spec, settings.batch_rows, cache) : 0;
    const std::size_t weights = shared_bytes(settings.evaluator, spec) + sizeof(Weights) + 64;
    const std::size_t driver = SearchPool<G>::bytes(pool) + sizeof(TeamEvaluator) + cached + 64 +
                               evaluator_bytes(settings.evaluator, spec, settings.batch_rows);
    const std::size_t options = game.most_legal * sizeof(Action) + game.most_chance * sizeof(float);
    return {sizeof(RoomOf<G>) + WeightsAtWork::kMost * weights + drivers(settings) * driver,
            sizeof(Session) + 2 * options + SessionSearchOf<G>::bytes(session) + 1024};
  }

  const AnyGame& game;
  NetworkSpec spec;
  ServiceSettings settings;
  SearchSettings search;
  SessionRoom session;  // no visits when a tree has not even room for one
  PoolSettings pool;
  CacheSettings cache;
};

template <Game G>
class RoomOf final : public GameRoom {
 public:
  /// A pool for each member of the team, which outlives them. `evaluators`, one for each, have
  /// `weights` loaded. `memory` is that of the room.
  RoomOf(const RoomPlan<G>& plan, const Weights& weights, RowTeam& team,
         std::vector<std::unique_ptr<Evaluator>> evaluators, Charge memory)
      : GameRoom(plan.game, plan.bytes().session),
        plan_(plan),
        memory_(std::move(memory)),
        evaluators_(std::move(evaluators)) {
    const ServiceSettings& settings = plan_.settings;
    for (std::size_t i = 0; i < evaluators_.size(); ++i) {
      std::unique_ptr<Evaluator> evaluator =
          std::make_unique<TeamEvaluator>(team, i, weights, evaluators_);
      if (settings.cache > 0) {
        evaluator = std::make_unique<CachedEvaluator>(
            std::move(evaluator), weights, settings.batch_rows, plan_.cache, *settings.heap);
      }
      pools_.push_back(std::make_unique<SearchPool<G>>(plan_.pool, weights_, std::move(evaluator),
                                                       *settings.heap));
    }
  }

  AnySearchPool& pool(std::size_t worker) override { return *pools_[worker]; }

  OnHeap<SessionSearch> make_search(Session& owner, std::uint64_t number) override {
    const ServiceSettings& settings = plan_.settings;
    return make_on_heap<SessionSearchOf<G>>(*settings.heap, owner, plan_.search, plan_.session,
                                            settings.seed, number, *settings.heap);
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
  const RoomPlan<G> plan_;
  const Charge memory_;
  WeightsAtWork weights_;
  const std::vector<std::unique_ptr<Evaluator>> evaluators_;  // the members', for this game
  std::vector<std::unique_ptr<SearchPool<G>>> pools_;
};

template <Game G>
constexpr HostTable HostTable::of() {
  HostTable table{};
  table.game = AnyGame::rules_of<G>();
  table.bytes = [](const AnyGame& game, const NetworkSpec& spec, const ServiceSettings& settings) {
    return RoomPlan<G>(game, spec, settings).bytes();
  };
  table.make_room = [](const AnyGame& game, const Weights& weights, const ServiceSettings& settings,
                       Ledger& ledger, RowTeam& team) -> Result<std::unique_ptr<GameRoom>> {
    const auto bad = [](std::string what) { return fail(SENET_BAD_ARGUMENT, std::move(what)); };
    const auto asked = asked_about(weights.spec(), game.has_afterstates, settings.evaluates);
    if (!asked) return bad("mode: " + asked.error().reason());
    const RoomPlan<G> plan(game, weights.spec(), settings);
    if (plan.session.visits == 0) return bad("tree: too small for a single visit");
    const std::size_t bytes = plan.bytes().room;
    Charge memory(ledger, bytes);
    if (!memory) return no_memory("batches and evaluators of " + plan.spec.game, ledger, bytes);
    std::vector<std::unique_ptr<Evaluator>> evaluators;
    for (std::size_t i = 0; i < drivers(settings); ++i) {
      auto evaluator = make_evaluator(settings.evaluator, weights, settings.batch_rows,
                                      /*exact=*/false, *settings.heap);
      if (!evaluator) return bad("evaluator: " + evaluator.error().reason());
      evaluators.push_back(std::move(*evaluator));
    }
    return std::make_unique<RoomOf<G>>(plan, weights, team, std::move(evaluators),
                                       std::move(memory));
  };
  return table;
}

}  // namespace senet
