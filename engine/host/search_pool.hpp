// One worker's searches of one game: they share batches, scratches and packed networks.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "engine/host/model_slot.hpp"
#include "engine/host/row_team.hpp"
#include "engine/host/session_of.hpp"

namespace senet {

/// Searches of any game. Belongs to one thread at a time.
class AnySearchPool {
 public:
  virtual ~AnySearchPool() = default;
  /// Takes a search in, which its session has begun. The session is of this pool's game.
  virtual void admit(Session& session) = 0;
  /// One forward pass, more or less, and the visits that it takes. False when no search is left.
  virtual bool round() = 0;
  /// Something was thrown: ends all searches with this failure.
  virtual void fail_all(senet_status status) noexcept = 0;

  /// A session was told to stop. Any thread.
  void look() { look_.store(true); }

 protected:
  std::atomic<bool> look_{false};
};

struct PoolSettings {
  SearchSettings search;
  std::uint32_t sessions;   // at most
  std::uint32_t visits;     // the trees have room for
  std::size_t batch_rows;   // of a forward pass at most
  std::size_t most_active;  // features of a row
};

/// Who runs a pool's forward passes.
struct TeamPlace {
  RowTeam& team;
  std::size_t member;                     // whose thread this pool is driven by
  std::span<EvaluatorScratch> scratches;  // of all members
};

/// A search begins on the newest weights and ends on them. So while weights are exchanged there are
/// two packed networks. While both are older than the newest weights and still at work, searches
/// begin on the newer of them: nobody waits for others to end, and the older one gets no newcomers,
/// so that it makes room.
template <Game G>
class SearchPool final : public AnySearchPool {
 public:
  SearchPool(const PoolSettings& settings, const ModelSlot& models, const TeamPlace& place,
             Heap& heap)
      : models_(models),
        place_(place),
        heap_(heap),
        batch_(settings.batch_rows, settings.most_active, heap),
        spare_(std::make_unique<Tree<G>>(limits_for<G>(settings.visits, settings.search.evaluates),
                                         heap)) {
    asked_.reserve(settings.batch_rows + 1);
    free_.reserve(settings.batch_rows + 1);
    // One for each search that may have a row in the batch, and one for the search at work.
    for (std::size_t i = 0; i <= settings.batch_rows; ++i) {
      scratches_.push_back(make_on_heap<SearchScratch<G>>(heap));
      free_.push_back(scratches_.back().get());
    }
  }

  /// Memory of one, with two networks of this shape.
  static std::size_t bytes(const PoolSettings& settings, const NetworkSpec& spec) {
    const std::size_t row = settings.most_active * 6 + sizeof(RowAnswer) + 2;
    const std::size_t lists = settings.sessions * (kSeats + 1) * 2 * sizeof(void*);
    constexpr std::size_t kDraw = kMaxEdges<G> * sizeof(float);  // of an action, by its visits
    return sizeof(SearchPool) + lists + kDraw +
           (settings.batch_rows + 1) * (sizeof(SearchScratch<G>) + row + 64) +
           Tree<G>::bytes(limits_for<G>(settings.visits, settings.search.evaluates)) +
           kSeats * PackedNetwork::bytes(spec);
  }

  void admit(Session& session) override {
    waiting_.push_back(static_cast<SessionOf<G>*>(&session));
  }

  bool round() override {
    seat_waiting();
    for (Seat& seat : seats_) fill_batch(seat);
    while (seats_.size() > 1 && empty(seats_.front())) seats_.pop_front();
    return !std::ranges::all_of(seats_, empty);
  }

  void fail_all(senet_status status) noexcept override {
    batch_.clear();
    asked_.clear();
    free_.clear();
    for (const auto& scratch : scratches_) free_.push_back(scratch.get());
    const auto end = [&](SessionOf<G>* session) {
      if (session == nullptr) return;
      session->search_.forget();
      session->search_.lend(nullptr);
      session->end_failed(status);
    };
    while (!seats_.empty()) {
      const std::vector<SessionOf<G>*> searches = std::move(seats_.front().searches);
      seats_.pop_front();
      std::ranges::for_each(searches, end);
    }
    const std::vector<SessionOf<G>*> waiting = std::exchange(waiting_, {});
    std::ranges::for_each(waiting, end);
  }

 private:
  static constexpr std::size_t kSeats = 2;

  // Weights, and the searches that began on them. They take turns: a cursor goes round and round,
  // and in the round of turn t those make a visit whose next turn is t or earlier.
  struct Seat {
    std::uint64_t model;  // its id: the unpacked network is not needed any more
    std::uint64_t generation;
    std::unique_ptr<const PackedNetwork> network;
    std::vector<SessionOf<G>*> searches;  // null: has ended
    std::size_t cursor = 0;
    std::uint64_t turn = 0;
  };
  static bool empty(const Seat& seat) {
    return std::ranges::all_of(seat.searches, [](const auto* session) { return !session; });
  }

  void seat_waiting() {
    if (waiting_.empty()) return;
    if (seats_.empty() || seats_.back().generation != models_.generation()) {
      std::erase_if(seats_, empty);
      if (seats_.size() < kSeats) {
        auto [network, generation] = models_.newest();
        auto packed = std::make_unique<const PackedNetwork>(*network, best_kernels(), heap_);
        seats_.push_back({network->id(), generation, std::move(packed), {}});
      }
    }
    seats_.back().searches.reserve(seats_.back().searches.size() + waiting_.size());
    for (SessionOf<G>*& session : waiting_) sit_down(session);
    waiting_.clear();
  }

  // From one list to the other before anything can throw, a host's function for instance: a search
  // that stood in both would be ended twice.
  void sit_down(SessionOf<G>*& waiting) {
    Seat& seat = seats_.back();
    SessionOf<G>& session = *std::exchange(waiting, nullptr);
    seat.searches.push_back(&session);
    session.start(seat.model, spare_);
    session.next_turn_ = seat.turn;
    // Told to stop before it stood in a list, it has not been looked at.
    next_deadline_ = std::min(next_deadline_, session.has_to_end(now_) ? now_ : session.deadline_);
  }

  // Lets searches make a visit each until there has been a forward pass. What is in the batch then
  // stays there for the next time, so that batches are full when there are enough searches.
  void fill_batch(Seat& seat) {
    const std::size_t before = passes_;
    for (std::size_t visits = 0; visits < batch_.capacity() && passes_ == before; ++visits) {
      SessionOf<G>** const next = next_search(seat);
      if (next == nullptr) {
        if (batch_.size() > 0) forward(seat);
        break;
      }
      visit(seat, *next);
    }
    if (seats_.size() > 1 && batch_.size() > 0) forward(seat);  // the next seat has other weights
  }

  // Whose turn it is; null when nobody can go on before a forward pass.
  SessionOf<G>** next_search(Seat& seat) {
    for (;;) {
      if (seat.cursor == seat.searches.size()) {
        std::erase(seat.searches, nullptr);
        seat.cursor = 0;
        if (seat.searches.empty()) return nullptr;
        seat.turn = (*std::ranges::min_element(seat.searches, {}, [](const auto* session) {
                      return session->next_turn_;
                    }))->next_turn_;
      }
      SessionOf<G>*& next = seat.searches[seat.cursor];
      if (next != nullptr && next->next_turn_ <= seat.turn) {
        if (next->search_.has_leaf()) return nullptr;  // once round
        ++seat.cursor;
        return &next;
      }
      ++seat.cursor;
    }
  }

  void visit(Seat& seat, SessionOf<G>*& search) {
    SessionOf<G>& session = *search;
    // A high priority has each turn, a normal one every second, a low one every fourth.
    session.next_turn_ =
        seat.turn + (std::uint64_t{4} >> static_cast<unsigned>(session.limits_.priority));
    session.search_.lend(take_scratch());
    Progress progress = session.advance(batch_, now_);
    while (progress == Progress::kNoRoom) {
      forward(seat);
      progress = session.advance(batch_, now_);
    }
    if (progress == Progress::kAsked) {
      asked_.push_back(&session);
      return;
    }
    if (progress == Progress::kOver) {
      end(search);
    } else {
      give_back_scratch(session);
      look_around();
    }
  }

  // Has a scratch.
  void end(SessionOf<G>*& search) {
    search->note_result();
    give_back_scratch(*search);
    std::exchange(search, nullptr)->end();
  }

  // Answers all rows: those of the searches that asked, whose leaves are complete, and some of the
  // one at work, if its leaf has more rows than there was room for.
  void forward(Seat& seat) {
    place_.team.forward(place_.member, *seat.network, batch_, place_.scratches);
    batch_.clear();
    ++passes_;
    for (SessionOf<G>* const session : asked_) {
      session->search_.absorb();
      if (session->is_complete()) {  // told at once, not when it would have its next turn
        end(*std::ranges::find(seat.searches, session));
      } else {
        give_back_scratch(*session);
      }
    }
    asked_.clear();
    look_around();
  }

  void look_around() {
    now_ = ServiceClock::now();
    if (now_ >= next_deadline_ || look_.exchange(false)) end_the_late();
  }

  // All whose time is over or who were told to stop, whether it is their turn or not. Who has not
  // made a visit or is in the middle of one is looked at again after the next forward pass.
  void end_the_late() {
    next_deadline_ = ServiceClock::time_point::max();
    for (Seat& seat : seats_) {
      for (SessionOf<G>*& search : seat.searches) {
        if (search == nullptr) continue;
        if (search->is_late(now_)) {
          search->search_.lend(take_scratch());
          end(search);
        } else {
          next_deadline_ =
              std::min(next_deadline_, search->has_to_end(now_) ? now_ : search->deadline_);
        }
      }
    }
  }

  SearchScratch<G>* take_scratch() {
    SearchScratch<G>* const scratch = free_.back();
    free_.pop_back();
    return scratch;
  }
  void give_back_scratch(SessionOf<G>& session) { free_.push_back(session.search_.lend(nullptr)); }

  const ModelSlot& models_;
  const TeamPlace place_;
  Heap& heap_;
  Batch batch_;
  std::unique_ptr<Tree<G>> spare_;  // the other half of every session's tree, for one at a time
  std::vector<OnHeap<SearchScratch<G>>> scratches_;
  std::vector<SearchScratch<G>*> free_;  // those that nobody has
  std::vector<SessionOf<G>*> waiting_;
  std::vector<SessionOf<G>*> asked_;  // have rows in the batch
  std::deque<Seat> seats_;            // the newest weights last
  std::size_t passes_ = 0;            // forward passes so far
  ServiceClock::time_point now_;      // when the last of them was over
  ServiceClock::time_point next_deadline_ = ServiceClock::time_point::max();
};

}  // namespace senet
