// Drives searches that share one batch: searches run in turns, and one forward pass answers all.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include "nn/batch.hpp"
#include "search/search.hpp"

namespace senet {

/// The callbacks of Rounds for searches `S`. Only Rounds::round() calls them.
///
///   next()          the search to continue, which does not wait (Search::waits()); null if none
///                   can continue before the batch is answered
///   absorbed(search)  the search took the answers to a leaf, or paused (Step::kPaused); it
///                   continues when next() returns it again
///   over(search)    the search has spent its budget: decision() is its result. It continues if
///                   it is granted more visits or restarted, and next() returns it
///   answer(batch)   one forward pass: writes the answers of all rows
template <class T, class S>
concept TurnsOf = requires(T& turns, S& search, Batch& batch) {
  { turns.next() } -> std::same_as<S*>;
  turns.absorbed(search);
  turns.over(search);
  turns.answer(batch);
};

/// The batch of searches `S` (a Search<G>), from gathering to answers. The caller's turns (TurnsOf)
/// choose the search to continue, end searches and run the forward pass. Belongs to one thread at a
/// time; allocates only in the constructor.
///
///   next -> gather -> rows in the batch, until it is full or no search can continue
///        -> answer -> each search with rows absorbs -> absorbed
///
/// At most `batch_rows` leaves have rows in the batch when next() is called.
template <class S>
class Rounds {
 public:
  /// A batch of `batch_rows` rows (at least 1), in `heap`.
  Rounds(std::size_t batch_rows, const RowSize& row, Heap& heap = default_heap())
      : batch_(batch_rows, row, heap) {
    asked_.reserve(batch_rows);
  }

  /// Runs searches up to the next forward pass or pause. Between calls the caller may check the
  /// clock, end searches that have no leaf in flight and start others. Rows stay in the batch
  /// across a pause: a pass runs when the batch is full or no search can continue. Returns false
  /// when no search can continue and the batch is empty.
  ///
  /// Exceptions from a game's functions or from `turns` propagate; call clear() afterwards.
  template <TurnsOf<S> Turns>
  bool round(Turns& turns) {
    while (S* const search = next(turns)) {
      switch (search->gather(batch_)) {
        case Step::kWaiting:
          asked_.push_back(search);
          break;
        case Step::kBatchFull:
          unfinished_ = search;
          answer(turns);
          return true;
        case Step::kBlocked:
          break;
        case Step::kPaused:
          turns.absorbed(*search);
          return true;
        case Step::kDone:
          turns.over(*search);
          break;
      }
    }
    if (batch_.size() == 0) return false;
    answer(turns);
    return true;
  }

  /// Drops all rows. Restart or forget() the searches that had a leaf in flight.
  void clear() {
    batch_.clear();
    asked_.clear();
    unfinished_ = nullptr;
  }

 private:
  // Continues first with a search whose leaf did not fit into the last batch: its answers should
  // not wait longer than those of others.
  template <class Turns>
  S* next(Turns& turns) {
    return unfinished_ != nullptr ? std::exchange(unfinished_, nullptr) : turns.next();
  }

  template <class Turns>
  void answer(Turns& turns) {
    turns.answer(batch_);
    batch_.clear();
    for (S* const search : asked_) {
      search->absorb();
      turns.absorbed(*search);
    }
    asked_.clear();
  }

  Batch batch_;
  std::vector<S*> asked_;    // for each leaf whose last rows are in the batch, its search
  S* unfinished_ = nullptr;  // search with rows that did not fit
};

/// Round-robin turns for searches of equal priority: each continues once before any continues
/// again.
class RoundRobin {
 public:
  /// The search of the next of `places`; null if that one waits for answers. `search_at(place)`
  /// returns the search there, which it may start, or null if the place has none.
  template <class SearchAt>
  auto next(std::size_t places, SearchAt&& search_at) -> decltype(search_at(places)) {
    for (std::size_t tried = 0; tried < places; ++tried) {
      if (next_ >= places) next_ = 0;
      const auto search = search_at(next_);
      if (search != nullptr && search->waits()) return nullptr;  // it needs the answers
      at_ = next_++;
      if (search != nullptr) return search;
    }
    return nullptr;
  }
  /// The place of the search that next() returned last.
  std::size_t at() const { return at_; }
  /// Makes next() try the same place again.
  void stay() { next_ = at_; }

 private:
  std::size_t at_ = 0, next_ = 0;
};

}  // namespace senet
