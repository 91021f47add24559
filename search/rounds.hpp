// Drives searches that share one batch: each goes on in its turn, one forward pass answers all.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include "nn/batch.hpp"
#include "search/search.hpp"

namespace senet {

/// What differs between the drivers of searches `S`. All calls come from within Rounds::round().
///   next()          the search that goes on now, without a leaf in flight; null when none can
///                   before the batch is answered
///   rested(search)  the search took its answers, or paused (Step::kPaused): it has no leaf in
///                   flight, and goes on when next() names it again
///   over(search)    the search has spent its budget: decision() is its result. It goes on if it is
///                   granted more visits or started again, and next() names it
///   answer(batch)   one forward pass: writes the answers of all rows
template <class T, class S>
concept TurnsOf = requires(T& turns, S& search, const Batch& batch) {
  { turns.next() } -> std::same_as<S*>;
  turns.rested(search);
  turns.over(search);
  turns.answer(batch);
};

/// The batch of searches `S` (a Search<G>) and its whole life. Which search goes on, what ends one
/// and what answers is up to the caller's turns (TurnsOf). Belongs to one thread at a time;
/// allocates nothing after construction.
///
///   next -> gather -> rows in the batch, until it is full or no search can go on
///        -> answer -> each search that asked absorbs -> rested
///
/// A search needs a scratch (Search::lend) from next() to the rested() or over() that follows. At
/// most `batch_rows` searches have a leaf in flight when next() is called.
template <class S>
class Rounds {
 public:
  /// A batch of `batch_rows` rows (at least 1) with at most `most_active` features each, in `heap`.
  Rounds(std::size_t batch_rows, std::size_t most_active, Heap& heap = default_heap())
      : batch_(batch_rows, most_active, heap) {
    asked_.reserve(batch_rows);
  }

  /// Lets searches go on up to the next forward pass or pause, after which the caller may look at
  /// the clock, end searches that have no leaf in flight and begin others. Rows stay in the batch
  /// over a pause: a pass is made when the batch is full or no search can go on. False when no
  /// search can go on and no row waits.
  ///
  /// What a game's functions or `turns` throw passes through; call clear() then.
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
        case Step::kPaused:
          turns.rested(*search);
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

  /// Drops all rows. Searches that had a leaf in flight must be started again or forgotten.
  void clear() {
    batch_.clear();
    asked_.clear();
    unfinished_ = nullptr;
  }

 private:
  // A search whose leaf has more rows than the batch had room for comes first: the pass has made
  // room, and its answers must not wait longer than those of others.
  template <class Turns>
  S* next(Turns& turns) {
    return unfinished_ != nullptr ? std::exchange(unfinished_, nullptr) : turns.next();
  }

  template <class Turns>
  void answer(Turns& turns) {
    turns.answer(std::as_const(batch_));
    batch_.clear();
    for (S* const search : asked_) {
      search->absorb();
      turns.rested(*search);
    }
    asked_.clear();
  }

  Batch batch_;
  std::vector<S*> asked_;    // the last rows of their leaves are in the batch
  S* unfinished_ = nullptr;  // its leaf has rows that did not fit
};

/// Turns in a circle of places, for searches that all count the same: each goes on once before any
/// goes on again.
class Circle {
 public:
  /// The search of the next of `places` that can go on; null when those that could have asked.
  /// `search_at(place)` is the search there, which it may begin, or null when the place has none.
  template <class SearchAt>
  auto next(std::size_t places, SearchAt&& search_at) -> decltype(search_at(places)) {
    for (std::size_t tried = 0; tried < places; ++tried) {
      if (next_ >= places) next_ = 0;
      const auto search = search_at(next_);
      if (search != nullptr && search->has_leaf()) return nullptr;  // once round
      at_ = next_++;
      if (search != nullptr) return search;
    }
    return nullptr;
  }
  /// The place of the search that goes on: the one named last.
  std::size_t at() const { return at_; }
  /// The same place comes next.
  void stay() { next_ = at_; }

 private:
  std::size_t at_ = 0, next_ = 0;
};

}  // namespace senet
