// What one game needs in a service: a pool for each worker, and its sessions.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/host/held_network.hpp"
#include "engine/host/host_table.hpp"
#include "engine/host/service.hpp"

namespace senet {

/// What has to be known of a game before its room is made.
template <Game G>
struct GamePlan {
  NetworkSpec spec;
  std::size_t most_active = G::kMaxActive;  // features of a position that are not 0
  G start{};
};

inline SearchSettings search_settings(const NetworkSpec& spec) {
  return {.evaluates = spec.evaluates.value_or(Evaluates::kPosition),
          .policy_temperature = kPlayersPolicyTemperature};
}

template <Game G>
class RoomOf final : public GameRoom {
 public:
  /// Pools for networks of this shape, one for each member of the team, which outlives them. Their
  /// memory has been promised.
  RoomOf(const GamePlan<G>& plan, const ServiceSettings& settings, Ledger& ledger, RowTeam& team,
         Charge memory)
      : settings_(settings),
        spec_(plan.spec),
        start_(plan.start),
        ledger_(ledger),
        memory_(std::move(memory)) {
    scratches_.reserve(drivers(settings));
    for (std::size_t i = 0; i < drivers(settings); ++i) {
      scratches_.emplace_back(plan.spec, *settings.heap);
    }
    for (std::size_t i = 0; i < drivers(settings); ++i) {
      pools_.push_back(std::make_unique<SearchPool<G>>(
          pool_settings(plan, settings), models_, TeamPlace{team, i, scratches_}, *settings.heap));
    }
  }

  /// What the constructor takes.
  static std::size_t bytes(const GamePlan<G>& plan, const ServiceSettings& settings) {
    return sizeof(RoomOf) +
           drivers(settings) * (SearchPool<G>::bytes(pool_settings(plan, settings), plan.spec) +
                                EvaluatorScratch::bytes(plan.spec));
  }
  static std::size_t session_bytes(const ServiceSettings& settings, const NetworkSpec& spec) {
    return SessionOf<G>::bytes(settings.visits, search_settings(spec).evaluates);
  }

  AnySearchPool& pool(std::size_t worker) override { return *pools_[worker]; }

  Result<Charge> reserve_session() override {
    const std::size_t bytes = session_bytes(settings_, spec_);
    Charge memory(ledger_, bytes);
    if (!memory) return no_memory("one more session", ledger_, bytes);
    return memory;
  }
  OnHeap<Session> open_session(std::uint64_t number, Charge memory) override {
    return make_on_heap<SessionOf<G>>(*settings_.heap, start_, search_settings(spec_),
                                      settings_.visits, settings_.seed, number, std::move(memory),
                                      *settings_.heap);
  }

  Result<void> use(SharedNetwork network) override {
    const NetworkSpec& spec = network->spec();
    if (!(spec == spec_)) {
      return fail(SENET_MODEL_MISMATCH,
                  "the weights have another shape, or were taught another mode, than those that "
                  "this engine began to play " +
                      spec_.game + " with");
    }
    models_.use(std::move(network));
    return {};
  }

 private:
  static PoolSettings pool_settings(const GamePlan<G>& plan, const ServiceSettings& settings) {
    return {search_settings(plan.spec), settings.sessions, settings.visits, settings.batch_rows,
            plan.most_active};
  }

  const ServiceSettings& settings_;
  const NetworkSpec spec_;
  const G start_;
  Ledger& ledger_;
  const Charge memory_;
  ModelSlot models_;
  std::vector<EvaluatorScratch> scratches_;  // the members', for this game's networks
  std::vector<std::unique_ptr<SearchPool<G>>> pools_;
};

/// The room, if there is memory for it.
template <Game G>
Result<std::unique_ptr<GameRoom>> make_room(const GamePlan<G>& plan,
                                            const ServiceSettings& settings, Ledger& ledger,
                                            RowTeam& team) {
  const std::size_t bytes = RoomOf<G>::bytes(plan, settings);
  Charge memory(ledger, bytes);
  if (!memory) return no_memory("batches and evaluators of " + plan.spec.game, ledger, bytes);
  return std::make_unique<RoomOf<G>>(plan, settings, ledger, team, std::move(memory));
}

template <Game G>
constexpr HostTable HostTable::of() {
  return {
      .reference_spec = &senet::reference_spec<G>,
      .make_room =
          [](const NetworkSpec& spec, const ServiceSettings& settings, Ledger& ledger,
             RowTeam& team) { return senet::make_room(GamePlan<G>{spec}, settings, ledger, team); },
      .room_bytes =
          [](const NetworkSpec& spec, const ServiceSettings& settings) {
            return RoomOf<G>::bytes(GamePlan<G>{spec}, settings);
          },
      .session_bytes =
          [](const NetworkSpec& spec, const ServiceSettings& settings) {
            return RoomOf<G>::session_bytes(settings, spec);
          }};
}

}  // namespace senet
