// One worker's searches of one game. They share batches, scratches and weights.
#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>
#include <vector>

#include "engine/host/session_of.hpp"
#include "nn/evaluator.hpp"
#include "search/rounds.hpp"

namespace senet {

/// See AnySearchPool, and WeightsInUse for the weights that a search uses.
template <Game G>
class SearchPool final : public AnySearchPool {
  using SearchOf = SessionOf<G>;

 public:
  /// The evaluator takes batches of plan.settings.evaluation.batch_rows rows. The pool outlives its
  /// searches.
  SearchPool(const ServedGamePlan& plan, ServiceWorker& worker, WeightsInUse& weights,
             std::unique_ptr<Evaluator> evaluator)
      : AnySearchPool(worker),
        weights_(weights),
        evaluator_(std::move(evaluator)),
        rounds_(plan.settings.evaluation.batch_rows, plan.row, *plan.settings.heap),
        scratches_(scratches(plan.settings), *plan.settings.heap) {
    Heap& heap = *plan.settings.heap;
    if (plan.settings.search.reuse_tree) spare_ = std::make_unique<Tree<G>>(plan.tree, heap);
    generations_.reserve(WeightsInUse::kMost);
  }

  /// Bytes of a pool, without its evaluator.
  static std::size_t bytes(const ServedGamePlan& plan) {
    const ServiceSettings& settings = plan.settings;
    const std::size_t lists = settings.sessions * (WeightsInUse::kMost + 1) * 2 * sizeof(Place);
    const std::size_t rows = settings.evaluation.batch_rows;
    const std::size_t batch = Batch::bytes(rows, plan.row) + rows * sizeof(void*);
    const std::size_t tree = settings.search.reuse_tree ? Tree<G>::bytes(plan.tree) : 0;
    return sizeof(SearchPool) + lists + batch + WeightsInUse::kMost * sizeof(Generation) +
           ScratchPool<G>::bytes(scratches(settings)) + tree;
  }

  void admit(Session& session) override { waiting_.push_back(static_cast<SearchOf*>(&session)); }

  bool round() override {
    begin_waiting();
    for (Generation& generation : generations_) {
      Turns turns{*this, generation};
      rounds_.round(turns);
      look_around();
      // The other generation uses other weights, so it needs an empty batch.
      turns.are_over = generations_.size() > 1;
      while (turns.are_over && rounds_.round(turns)) look_around();
    }
    std::erase_if(generations_, [](const Generation& generation) { return !generation.weights; });
    return !generations_.empty();
  }

  void fail_all(senet_status status) noexcept override {
    rounds_.clear();
    const auto hand_back = [&](SearchOf* search) {
      if (search == nullptr) return;
      search->give_up();
      search->hand_back(status);
    };
    while (!generations_.empty()) {
      const std::vector<Place> places = std::move(generations_.back().places);
      weights_.end(std::move(generations_.back().weights));
      generations_.pop_back();
      for (const Place& place : places) hand_back(place.search);
    }
    const std::vector<SearchOf*> waiting = std::exchange(waiting_, {});
    std::ranges::for_each(waiting, hand_back);
  }

 private:
  static constexpr auto kNever = ServiceClock::time_point::max();

  /// A search and its next turn.
  struct Place {
    SearchOf* search;         // null: it has ended
    std::uint64_t next_turn;  // see Generation
    ServiceClock::time_point next_progress;
  };
  /// Weights, and the searches that use them. A cursor goes round the searches; in turn t, each
  /// search whose next turn is t or earlier makes a visit.
  struct Generation {
    SharedWeights weights;      // null when all of its searches have ended
    std::vector<Place> places;  // of each search, at SessionOf::place
    std::size_t searches = 0;   // places with a search
    std::size_t cursor = 0;
    std::uint64_t turn = 0;
  };

  /// See TurnsOf.
  struct Turns {
    SearchPool& pool;
    Generation& generation;
    bool are_over = false;  // only a search whose leaf did not fit into the batch continues

    SearchOf* next() { return are_over ? nullptr : pool.next_search(generation); }
    void absorbed(SearchOf& search) {
      if (search.is_complete()) pool.end(generation, search);  // now instead of on its next turn
    }
    void over(SearchOf& search) {
      search.record_done();
      pool.end(generation, search);
    }
    void answer(Batch& batch) {
      pool.evaluator_->load(*generation.weights);
      pool.evaluator_->forward(batch);
    }
  };

  // One for each leaf in flight, and one for the search that makes a visit. A search's only leaf in
  // flight has rows in the batch; of several, some may be answered already.
  static std::size_t scratches(const ServiceSettings& settings) {
    const std::size_t leaves = std::size_t{settings.sessions} * settings.search.leaves;
    if (settings.search.leaves > 1) return leaves + 1;
    return std::min<std::size_t>(leaves, settings.evaluation.batch_rows) + 1;
  }

  void begin_waiting() {
    if (waiting_.empty()) return;
    SharedWeights weights = weights_.begin();
    if (generations_.empty() || generations_.back().weights != weights) {
      generations_.push_back({std::move(weights), {}});
      evaluator_->load(*generations_.back().weights);  // packs them, unless another pool has
    }
    Generation& generation = generations_.back();
    generation.places.reserve(generation.places.size() + waiting_.size());
    now_ = ServiceClock::now();
    // Move each search to the other list before anything can throw, such as a host's function:
    // fail_all() would hand back a search that is in both lists twice.
    for (SearchOf*& waiting : waiting_) {
      SearchOf& search = *std::exchange(waiting, nullptr);
      search.place = generation.places.size();
      Place& place = generation.places.emplace_back(Place{&search, generation.turn, kNever});
      ++generation.searches;
      if (search.limits().progress) place.next_progress = now_ + search.limits().progress_every;
      search.share_scratches(scratches_);
      search.start(generation.weights->id(), spare_ ? &spare_ : nullptr);
      note_next_look(place);
    }
    waiting_.clear();
  }

  // The search whose turn it is; null if none can continue before a forward pass.
  SearchOf* next_search(Generation& generation) {
    std::vector<Place>& places = generation.places;
    for (;; ++generation.cursor) {
      if (generation.cursor == places.size()) {
        close_gaps(places);
        generation.cursor = 0;
        if (places.empty()) return nullptr;
        generation.turn = std::ranges::min(places, {}, &Place::next_turn).next_turn;
      }
      Place& place = places[generation.cursor];
      if (place.search == nullptr || place.next_turn > generation.turn) continue;
      SearchOf& search = *place.search;
      if (search.is_late(now_)) {
        end(generation, search);
        continue;
      }
      if (search.waits()) return nullptr;  // it needs the answers
      // High priority gets every turn, normal every second, low every fourth.
      place.next_turn =
          generation.turn + (std::uint64_t{4} >> static_cast<unsigned>(search.limits().priority));
      ++generation.cursor;
      return &search;
    }
  }

  static void close_gaps(std::vector<Place>& places) {
    std::erase_if(places, [](const Place& place) { return place.search == nullptr; });
    for (std::size_t i = 0; i < places.size(); ++i) places[i].search->place = i;
  }

  // The last search of a generation releases the weights before its session is handed back, so that
  // a search begun in the callback finds room for newer weights.
  void end(Generation& generation, SearchOf& search) {
    search.record_result();
    generation.places[search.place].search = nullptr;
    if (--generation.searches == 0) weights_.end(std::move(generation.weights));
    search.hand_back(SENET_OK);
  }

  void look_around() {
    now_ = ServiceClock::now();
    if (now_ < next_look_ && !look_.exchange(false)) return;
    next_look_ = kNever;
    for (Generation& generation : generations_) {
      for (Place& place : generation.places) {
        if (place.search != nullptr) look_at(generation, place);
      }
    }
  }

  // Ends a search that is past its deadline or was asked to stop, even if it is not its turn, and
  // reports progress. A search that has made no visit yet, or is in the middle of one, is checked
  // again after the next forward pass.
  void look_at(Generation& generation, Place& place) {
    SearchOf& search = *place.search;
    if (search.is_late(now_)) {
      end(generation, search);
      return;
    }
    if (now_ >= place.next_progress && search.can_show()) {
      search.record_result();
      place.next_progress = now_ + search.limits().progress_every;
      search.show_progress();
    }
    note_next_look(place);
  }
  void note_next_look(const Place& place) {
    const auto due = std::min(place.search->deadline(), place.next_progress);
    next_look_ = std::min(next_look_, place.search->is_stopped() ? now_ : due);
  }

  WeightsInUse& weights_;
  const std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<Tree<G>> spare_;  // second half of every session's tree, used by one at a time
  Rounds<SearchOf> rounds_;
  ScratchPool<G> scratches_;
  std::vector<SearchOf*> waiting_;
  std::vector<Generation> generations_;  // the newest weights last
  ServiceClock::time_point now_;         // when the last forward pass ended
  ServiceClock::time_point next_look_ = kNever;
};

}  // namespace senet
