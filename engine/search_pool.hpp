// One worker's searches of one game: they share batches, scratches and evaluators.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "engine/model_slot.hpp"
#include "engine/session_of.hpp"
#include "nn/fused_evaluator.hpp"

namespace senet {

/// Searches of any game. Belongs to one thread at a time.
class AnySearchPool {
 public:
  virtual ~AnySearchPool() = default;
  /// Takes a search in, which its session has begun. The session is of this pool's game.
  virtual void admit(Session& session) = 0;
  /// One visit for each search, more or less: see Priority. False when there is none left.
  virtual bool round() = 0;
};

struct PoolSettings {
  SearchSettings search;
  std::uint32_t visits;    // the trees have room for
  std::size_t batch_rows;  // of a forward pass at most
};

/// A search begins on the newest weights and ends on them. So while weights are exchanged there are
/// two evaluators; searches that begin while two older ones are still at work wait for one of them
/// to go, for as long as they can.
template <Game G>
class SearchPool final : public AnySearchPool {
 public:
  SearchPool(const PoolSettings& settings, const ModelSlot& models)
      : models_(models),
        batch_(settings.batch_rows, G::kMaxActive),
        spare_(
            std::make_unique<Tree<G>>(limits_for<G>(settings.visits, settings.search.evaluates))) {
    // One for each search that may have a row in the batch, and one for the search at work.
    for (std::size_t i = 0; i <= settings.batch_rows; ++i) {
      scratches_.push_back(std::make_unique<SearchScratch<G>>());
      free_.push_back(scratches_.back().get());
    }
  }

  /// Memory of one with two evaluators of this shape.
  static std::size_t bytes(const PoolSettings& settings, const NetworkSpec& spec) {
    const std::size_t row = G::kMaxActive * 6 + sizeof(RowAnswer) + 2;
    return sizeof(SearchPool) + (settings.batch_rows + 1) * (sizeof(SearchScratch<G>) + row + 64) +
           tree_bytes<G, EpochTable>(limits_for<G>(settings.visits, settings.search.evaluates)) +
           kSeats * fused_evaluator_bytes(spec);
  }

  void admit(Session& session) override {
    waiting_.push_back(static_cast<SessionOf<G>*>(&session));
  }

  bool round() override {
    seat_waiting();
    for (Seat& seat : seats_) visit_all(seat);
    while (seats_.size() > 1 && seats_.front().searches.empty()) seats_.pop_front();
    ++rounds_;
    return !waiting_.empty() ||
           std::ranges::any_of(seats_, [](const Seat& seat) { return !seat.searches.empty(); });
  }

 private:
  static constexpr std::size_t kSeats = 2;

  // Weights, and the searches that began on them.
  struct Seat {
    SharedNetwork network;
    std::uint64_t generation;
    std::unique_ptr<Evaluator> evaluator;
    std::vector<SessionOf<G>*> searches;
  };

  void seat_waiting() {
    if (waiting_.empty()) return;
    if (seats_.empty() || seats_.back().generation != models_.generation()) {
      std::erase_if(seats_, [](const Seat& seat) { return seat.searches.empty(); });
      if (seats_.size() == kSeats) {
        seat_the_late();
        return;
      }
      auto [network, generation] = models_.newest();
      auto evaluator = std::make_unique<FusedEvaluator>(*network);
      seats_.push_back({std::move(network), generation, std::move(evaluator), {}});
    }
    for (SessionOf<G>* const session : waiting_) sit_down(*session);
    waiting_.clear();
  }

  // There are no seats for the newest weights yet. Who has no time to wait for them, or was told to
  // stop, makes do with the newest there are.
  void seat_the_late() {
    const auto now = ServiceClock::now();
    std::erase_if(waiting_, [&](SessionOf<G>* session) {
      if (!session->has_to_end(now)) return false;
      sit_down(*session);
      return true;
    });
  }

  void sit_down(SessionOf<G>& session) {
    Seat& seat = seats_.back();
    session.start(seat.network->id(), spare_);
    seat.searches.push_back(&session);
  }

  // Each search whose turn it is makes a visit; those that are over leave.
  void visit_all(Seat& seat) {
    std::vector<SessionOf<G>*>& searches = seat.searches;
    const bool crowded = searches.size() > batch_.capacity();
    auto now = ServiceClock::now();
    asked_.clear();
    std::size_t kept = 0;
    for (SessionOf<G>* const session : searches) {
      searches[kept] = session;
      if (crowded && !has_turn(session->limits_.priority)) {
        ++kept;
        continue;
      }
      session->search_.lend(take_scratch());
      Step step = session->advance(batch_, now);
      while (step == Step::kBatchFull || session->search_.wants_more_rows()) {
        forward(seat);
        now = ServiceClock::now();
        step = session->advance(batch_, now);
      }
      if (step == Step::kWaiting) {
        asked_.push_back(session);
        ++kept;
      } else {
        SessionResult result = session->result();
        give_back_scratch(*session);
        session->end(std::move(result));
      }
    }
    searches.resize(kept);
    if (batch_.size() > 0) forward(seat);
  }

  // When there are more searches than a batch has rows, low priority is in every fourth round,
  // normal in every second.
  bool has_turn(Priority priority) const {
    return rounds_ % (std::size_t{4} >> static_cast<unsigned>(priority)) == 0;
  }

  // Answers all rows: those of the searches that asked, whose leaves are complete, and some of the
  // one at work, if its leaf has more rows than there was room for.
  void forward(Seat& seat) {
    seat.evaluator->forward(batch_);
    batch_.clear();
    for (SessionOf<G>* const session : asked_) {
      session->search_.absorb();
      give_back_scratch(*session);
    }
    asked_.clear();
  }

  SearchScratch<G>* take_scratch() {
    SearchScratch<G>* const scratch = free_.back();
    free_.pop_back();
    return scratch;
  }
  void give_back_scratch(SessionOf<G>& session) { free_.push_back(session.search_.lend(nullptr)); }

  const ModelSlot& models_;
  Batch batch_;
  std::unique_ptr<Tree<G>> spare_;  // the other half of every session's tree, for one at a time
  std::vector<std::unique_ptr<SearchScratch<G>>> scratches_;
  std::vector<SearchScratch<G>*> free_;  // those that nobody has
  std::vector<SessionOf<G>*> waiting_;
  std::vector<SessionOf<G>*> asked_;  // have rows in the batch
  std::deque<Seat> seats_;            // the newest weights last
  std::size_t rounds_ = 0;
};

}  // namespace senet
