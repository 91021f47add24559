#include "selfplay/record_codec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

namespace senet {
namespace {

// The first byte of a turn: its kind in the low three bits, then one bit each.
constexpr std::uint8_t kKindMask = 0x07;
constexpr std::uint8_t kPlayerBit = 0x08;
constexpr std::uint8_t kRootBit = 0x10;
constexpr std::uint8_t kChosenBit = 0x20;
constexpr std::uint8_t kVisitsBit = 0x40;
constexpr std::uint8_t kVisitedBit = 0x80;  // in version 2

constexpr std::uint64_t kMaxAction = 0xffff;

/// The first error in a payload and its position, if any.
class Problem {
 public:
  bool ok() const { return problem_.empty(); }

 protected:
  Result<void> outcome() const { return ok() ? Result<void>() : senet::fail(problem_); }
  void note(std::size_t at, std::string_view field, std::string_view what) {
    if (ok()) problem_ = fmt::format("record payload, byte {}: {} {}", at, field, what);
  }

 private:
  std::string problem_;
};

/// Appends numbers in the order of the format. A failure is sticky, so callers need to check for it
/// only in loops and at the end.
class PayloadWriter : public Problem {
 public:
  static constexpr bool kReads = false;
  using Record = const GameRecord;

  explicit PayloadWriter(std::vector<std::byte>& out) : out_(out) { out_.clear(); }

  Result<void> result() const { return outcome(); }
  void fail(std::string_view field, std::string_view what) { note(out_.size(), field, what); }

  template <class T>
  void fixed(T value, std::string_view /*field*/) {
    value = boost::endian::native_to_little(value);
    append(std::as_bytes(std::span(&value, 1)));
  }
  void varint(std::uint64_t value, std::uint64_t limit, std::string_view field) {
    if (value > limit) return fail(field, "is too large");
    for (; value >= 0x80; value >>= 7) fixed(static_cast<std::uint8_t>(value | 0x80), field);
    fixed(static_cast<std::uint8_t>(value), field);
  }
  void text(const std::string& text, std::string_view field) {
    varint(text.size(), GameRecord::kMaxText, field);
    append(std::as_bytes(std::span(text)));
  }
  /// Calls use(item) for `count` items of a list, starting at `first`.
  template <class Item, class Use>
  void items(const std::vector<Item>& list, std::size_t first, std::size_t count, Use&& use) {
    for (std::size_t i = 0; i < count && ok(); ++i) use(list[first + i]);
    if (out_.size() > kMaxPayload) fail("the record", "is too long");
  }

 private:
  void append(std::span<const std::byte> bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

  std::vector<std::byte>& out_;
};

/// Reads numbers from a payload. After the first failure every read gives zero.
class PayloadReader : public Problem {
 public:
  static constexpr bool kReads = true;
  using Record = GameRecord;

  explicit PayloadReader(std::span<const std::byte> payload) : payload_(payload) {}

  Result<void> result() {
    if (at_ < payload_.size()) fail("the record", "is followed by extra bytes");
    return outcome();
  }
  void fail(std::string_view field, std::string_view what) {
    note(at_, field, what);
    at_ = payload_.size();
  }

  template <class T>
  void fixed(T& value, std::string_view field) {
    value = 0;
    if (payload_.size() - at_ < sizeof(T)) return fail(field, "is cut off");
    std::memcpy(&value, payload_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    value = boost::endian::little_to_native(value);
  }
  /// A varint of at most `limit`, in its shortest form.
  template <class T>
  void varint(T& to, std::uint64_t limit, std::string_view field) {
    std::uint64_t value = 0;
    to = 0;
    for (unsigned shift = 0;; shift += 7) {
      std::uint8_t next = 0;
      fixed(next, field);
      if (!ok()) return;
      if (shift == 63 && next > 1) break;  // beyond 64 bits
      value |= std::uint64_t{next & 0x7fu} << shift;
      if (next >= 0x80) continue;
      if (next == 0 && shift > 0) break;  // longer than needed
      if (value > limit) break;
      to = static_cast<T>(value);
      return;
    }
    fail(field, "is too large or not in its shortest form");
  }
  void text(std::string& out, std::string_view field) {
    std::size_t size = 0;
    varint(size, GameRecord::kMaxText, field);
    if (size > payload_.size() - at_) return fail(field, "is cut off");
    out.assign(reinterpret_cast<const char*>(payload_.data() + at_), size);
    at_ += size;
  }
  /// Appends `count` items to a list, each filled in by use(item); stops at the end of the payload.
  template <class Item, class Use>
  void items(std::vector<Item>& list, std::size_t /*first*/, std::size_t count, Use&& use) {
    for (std::size_t i = 0; i < count && ok(); ++i) {
      Item item{};
      use(item);
      list.push_back(item);
    }
  }

 private:
  std::span<const std::byte> payload_;
  std::size_t at_ = 0;
};

}  // namespace

/// The format of a payload, written once for both directions.
template <class Io>
class RecordPayload {
 public:
  RecordPayload(Io io, typename Io::Record& record) : io_(io), record_(record) {}

  Result<void> pass() {
    header();
    end();
    std::size_t turns = record_.turns_.size();
    io_.varint(turns, GameRecord::kMaxTurns, "turn count");
    io_.items(record_.turns_, 0, turns, [this](auto& turn) { this->turn(turn); });
    if (io_.ok() && version_ != version_of(record_)) io_.fail("version", "is higher than needed");
    return io_.result();
  }

 private:
  void header() {
    if constexpr (!Io::kReads) version_ = version_of(record_);
    io_.fixed(version_, "version");
    if (io_.ok() && (version_ == 0 || version_ > kPayloadVersion)) {
      return io_.fail("version", fmt::format("{} is not 1 to {}", version_, kPayloadVersion));
    }
    auto outcomes = static_cast<std::uint8_t>(record_.outcomes);
    io_.fixed(outcomes, "outcomes");
    if constexpr (Io::kReads) record_.outcomes = outcomes;
    if (io_.ok() && (outcomes == 0 || record_.outcomes > GameRecord::kMaxOutcomes)) {
      return io_.fail("outcomes", fmt::format("are {}, not 1 to {}", record_.outcomes,
                                              GameRecord::kMaxOutcomes));
    }
    io_.fixed(record_.seed, "seed");
    io_.varint(record_.game_number, GameRecord::kMaxGameNumber, "game number");
    io_.text(record_.game, "game");
    io_.text(record_.start, "start");
    io_.text(record_.evaluator, "evaluator");
    io_.text(record_.settings, "settings");
    std::size_t models = record_.models.size();
    io_.varint(models, GameRecord::kMaxModels, "model count");
    io_.items(record_.models, 0, models, [this](auto& id) { io_.fixed(id, "model id"); });
  }

  void end() {
    auto kind = static_cast<std::uint8_t>(record_.end_);
    io_.fixed(kind, "end");
    if (!io_.ok()) return;
    if constexpr (Io::kReads) record_.end_ = static_cast<EndKind>(kind);
    switch (record_.end_) {
      case EndKind::kCut:
        if (!Io::kReads && record_.cut_outcomes_.size() != record_.outcomes) {
          return io_.fail("cut outcomes", "do not have the width of the game");
        }
        return outcomes(record_.cut_outcomes_, 0, record_.outcomes, "cut outcomes");
      case EndKind::kResigned:
        io_.fixed(record_.resigned_by_, "resigning player");
        if (record_.resigned_by_ > 1) return io_.fail("resigning player", "is not 0 or 1");
        [[fallthrough]];
      case EndKind::kPlayed:
        io_.fixed(record_.final_outcome_, "final outcome");
        if (record_.final_outcome_ >= record_.outcomes) io_.fail("final outcome", "is unknown");
        return;
      case EndKind::kNone:
        return;
    }
    io_.fail("end", fmt::format("{} is unknown", kind));
  }

  template <class List>
  void outcomes(List& list, std::size_t first, std::size_t count, std::string_view field) {
    io_.items(list, first, count, [&](auto& probability) { io_.fixed(probability, field); });
  }

  static std::uint8_t head_of(const RecordedTurn& turn) {
    const auto flag = [](bool set, std::uint8_t bit) { return set ? bit : std::uint8_t{0}; };
    return static_cast<std::uint8_t>(
        static_cast<std::uint8_t>(turn.kind) | flag(turn.player == 1, kPlayerBit) |
        flag(turn.has_root, kRootBit) | flag(turn.has_chosen, kChosenBit) |
        flag(turn.visit_count > 0, kVisitsBit) | flag(turn.has_visited, kVisitedBit));
  }

  template <class Turn>  // RecordedTurn, const or not
  void turn(Turn& turn) {
    std::uint8_t head = head_of(turn);
    io_.fixed(head, "turn");
    if constexpr (Io::kReads) {
      turn.kind = static_cast<TurnKind>(head & kKindMask);
      turn.player = (head & kPlayerBit) != 0 ? 1 : 0;
      turn.has_root = (head & kRootBit) != 0;
      turn.has_chosen = (head & kChosenBit) != 0;
      turn.has_visited = (head & kVisitedBit) != 0;
      turn.first_outcome = static_cast<std::uint32_t>(record_.outcome_lists_.size());
      turn.first_visit = static_cast<std::uint32_t>(record_.visit_lists_.size());
    }
    const bool chance = turn.kind == TurnKind::kChance;
    const bool visited_fits = version_ >= 2 && (head & kVisitsBit) != 0;
    if (turn.kind > TurnKind::kRandom || (turn.has_visited && !visited_fits) ||
        (chance && head != 0)) {
      return io_.fail("turn", fmt::format("starts with unknown bits {:#04x}", head));
    }
    io_.varint(turn.action, kMaxAction, "action");
    if (chance) return;
    std::uint32_t model = turn.model == kNoModel ? 0u : turn.model + 1u;
    io_.varint(model, record_.models.size(), "model");
    std::uint32_t root_value = std::bit_cast<std::uint32_t>(turn.root_value);
    if (turn.has_root) io_.fixed(root_value, "root value");
    if constexpr (Io::kReads) {
      turn.model = model == 0 ? kNoModel : static_cast<std::uint16_t>(model - 1);
      turn.root_value = std::bit_cast<float>(root_value);
    }
    if (!std::isfinite(turn.root_value)) return io_.fail("root value", "is not finite");
    const std::size_t vectors = std::size_t{turn.has_root} + std::size_t{turn.has_chosen};
    outcomes(record_.outcome_lists_, turn.first_outcome, vectors * record_.outcomes, "outcomes");
    if ((head & kVisitsBit) != 0) visits(turn);
    if (turn.has_visited) {
      outcomes(record_.outcome_lists_, turn.first_outcome + vectors * record_.outcomes,
               turn.visit_count * record_.outcomes, "visited outcomes");
    }
  }

  template <class Turn>
  void visits(Turn& turn) {
    std::uint32_t count = turn.visit_count;
    io_.varint(count, kMaxAction + 1, "visit count");
    if (io_.ok() && count == 0) return io_.fail("visit count", "is 0");
    std::uint64_t next = 0;  // the smallest action that can follow
    io_.items(record_.visit_lists_, turn.first_visit, count, [&](auto& visited) {
      if (next > kMaxAction) return io_.fail("visited action", "is out of range");
      std::uint64_t step = visited.action - next;  // a repeated action wraps beyond any limit
      io_.varint(step, kMaxAction - next, "visited action");
      if constexpr (Io::kReads) visited.action = static_cast<Action>(next + step);
      io_.varint(visited.visits, 0xffffffffu, "visits");
      next = std::uint64_t{visited.action} + 1;
    });
    if constexpr (Io::kReads) turn.visit_count = count;
  }

  // The lowest version that can hold the record.
  static std::uint8_t version_of(const GameRecord& record) {
    return std::ranges::any_of(record.turns_, &RecordedTurn::has_visited) ? 2 : 1;
  }

  Io io_;
  typename Io::Record& record_;
  std::uint8_t version_ = 0;
};

Result<void> encode(const GameRecord& record, std::vector<std::byte>& out) {
  return RecordPayload(PayloadWriter(out), record).pass();
}

Result<void> decode(std::span<const std::byte> payload, GameRecord& out) {
  out.clear();
  if (payload.size() > kMaxPayload) {
    return fail(fmt::format("the record payload has {} bytes: at most {} are allowed",
                            payload.size(), kMaxPayload));
  }
  auto read = RecordPayload(PayloadReader(payload), out).pass();
  if (!read) out.clear();
  return read;
}

}  // namespace senet
