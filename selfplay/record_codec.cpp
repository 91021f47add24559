#include "selfplay/record_codec.hpp"

#include <fmt/core.h>

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
constexpr std::uint8_t kUnusedBits = 0x80;

constexpr std::uint64_t kMaxAction = 0xffff;

/// Appends numbers in the order of the format.
class PayloadWriter {
 public:
  explicit PayloadWriter(std::vector<std::byte>& out) : out_(out) { out_.clear(); }

  void byte(std::uint8_t value) { out_.push_back(std::byte{value}); }

  template <class T>
  void fixed(T value) {
    value = boost::endian::native_to_little(value);
    const auto bytes = std::as_bytes(std::span(&value, 1));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }

  void text(std::string_view text) {
    varint(text.size());
    const auto bytes = std::as_bytes(std::span(text));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

  void outcomes(std::span<const std::uint16_t> list) {
    for (const std::uint16_t probability : list) fixed(probability);
  }

 private:
  std::vector<std::byte>& out_;
};

/// Takes numbers off a payload. After the first failure everything reads as zero, so that callers
/// need only ask in loops and at the end.
class PayloadReader {
 public:
  explicit PayloadReader(std::span<const std::byte> payload) : payload_(payload) {}

  bool ok() const { return problem_.empty(); }
  std::size_t left() const { return payload_.size() - at_; }
  const std::string& problem() const { return problem_; }

  void fail(std::string_view field, std::string_view what) {
    if (ok()) problem_ = fmt::format("record payload, byte {}: {} {}", at_, field, what);
    at_ = payload_.size();
  }

  std::uint8_t byte(std::string_view field) { return fixed<std::uint8_t>(field); }

  template <class T>
  T fixed(std::string_view field) {
    T value = 0;
    if (left() < sizeof(T)) {
      fail(field, "is cut off");
      return value;
    }
    std::memcpy(&value, payload_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return boost::endian::little_to_native(value);
  }

  /// A varint of at most `limit`, in its shortest form.
  std::uint64_t varint(std::uint64_t limit, std::string_view field) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte(field);
      if (!ok()) return 0;
      if (shift == 63 && next > 1) break;  // beyond 64 bits
      value |= std::uint64_t{next & 0x7fu} << shift;
      if (next >= 0x80) continue;
      if (next == 0 && shift > 0) break;  // longer than needed
      if (value > limit) break;
      return value;
    }
    fail(field, "is too large or not in its shortest form");
    return 0;
  }

  void text(std::string& out, std::string_view field) {
    const std::size_t size = varint(GameRecord::kMaxText, field);
    if (size > left()) return fail(field, "is cut off");
    const auto* first = reinterpret_cast<const char*>(payload_.data() + at_);
    out.assign(first, size);
    at_ += size;
  }

  void outcomes(std::size_t count, std::vector<std::uint16_t>& out, std::string_view field) {
    for (std::size_t i = 0; i < count && ok(); ++i) out.push_back(fixed<std::uint16_t>(field));
  }

 private:
  std::span<const std::byte> payload_;
  std::size_t at_ = 0;
  std::string problem_;
};

void write_turn(const GameRecord& record, const RecordedTurn& turn, PayloadWriter& to) {
  const auto flag = [](bool set, std::uint8_t bit) { return set ? bit : std::uint8_t{0}; };
  to.byte(static_cast<std::uint8_t>(
      static_cast<std::uint8_t>(turn.kind) | flag(turn.player == 1, kPlayerBit) |
      flag(turn.has_root, kRootBit) | flag(turn.has_chosen, kChosenBit) |
      flag(turn.visit_count > 0, kVisitsBit)));
  to.varint(turn.action);
  if (turn.kind == TurnKind::kChance) return;
  to.varint(turn.model == kNoModel ? 0u : turn.model + 1u);
  if (turn.has_root) to.fixed(std::bit_cast<std::uint32_t>(turn.root_value));
  to.outcomes(record.root_outcomes(turn));
  to.outcomes(record.chosen_outcomes(turn));
  if (turn.visit_count == 0) return;
  to.varint(turn.visit_count);
  std::uint32_t next = 0;  // the smallest action that can follow
  for (const VisitCount& count : record.visits(turn)) {
    to.varint(count.action - next);
    to.varint(count.visits);
    next = count.action + 1u;
  }
}

/// What decode() would find wrong with a turn that add_decision() took.
Result<void> check_turn(const GameRecord& record, const RecordedTurn& turn, std::size_t index) {
  if (!std::isfinite(turn.root_value)) {
    return fail(fmt::format("turn {}: the root value is not finite", index));
  }
  if (turn.model != kNoModel && turn.model >= record.models.size()) {
    return fail(fmt::format("turn {}: model {} is not in the record's list", index, turn.model));
  }
  const auto visits = record.visits(turn);
  for (std::size_t i = 1; i < visits.size(); ++i) {
    if (visits[i].action == visits[i - 1].action) {
      return fail(fmt::format("turn {}: action {} is counted twice", index, visits[i].action));
    }
  }
  return {};
}

Result<void> check_header(const GameRecord& record) {
  for (const std::string* text :
       {&record.game, &record.start, &record.evaluator, &record.settings}) {
    if (text->size() > GameRecord::kMaxText) {
      return fail(fmt::format("a text of the record has {} bytes, more than {}", text->size(),
                              GameRecord::kMaxText));
    }
  }
  if (record.outcomes < 1 || record.outcomes > GameRecord::kMaxOutcomes) {
    return fail(
        fmt::format("{} outcomes are not 1 to {}", record.outcomes, GameRecord::kMaxOutcomes));
  }
  if (record.models.size() > GameRecord::kMaxModels) {
    return fail(fmt::format("{} models in one game, more than {}", record.models.size(),
                            GameRecord::kMaxModels));
  }
  if (record.turns().size() > GameRecord::kMaxTurns) {
    return fail(fmt::format("{} turns in one game, more than {}", record.turns().size(),
                            GameRecord::kMaxTurns));
  }
  if (record.end() == EndKind::kNone) return fail("the game has no end");
  if (record.end() == EndKind::kCut && record.cut_outcomes().size() != record.outcomes) {
    return fail(fmt::format("{} outcomes for the cut game, not {}", record.cut_outcomes().size(),
                            record.outcomes));
  }
  if (record.end() != EndKind::kCut && record.final_outcome() >= record.outcomes) {
    return fail(fmt::format("final outcome {} of {}", record.final_outcome(), record.outcomes));
  }
  return {};
}

}  // namespace

/// Fills a record from a payload; the only one who writes into a record's lists from outside.
class RecordParser {
 public:
  RecordParser(std::span<const std::byte> payload, GameRecord& record)
      : from_(payload), record_(record) {}

  Result<void> parse() {
    record_.clear();
    header();
    end();
    const std::size_t turns = from_.varint(GameRecord::kMaxTurns, "turn count");
    for (std::size_t i = 0; i < turns && from_.ok(); ++i) turn();
    if (from_.ok() && from_.left() > 0) from_.fail("the record", "is followed by more bytes");
    if (from_.ok()) return {};
    record_.clear();
    return fail(from_.problem());
  }

 private:
  void header() {
    const std::uint8_t version = from_.byte("version");
    if (from_.ok() && version != kPayloadVersion) {
      return from_.fail("version", fmt::format("{} is not {}", version, kPayloadVersion));
    }
    record_.outcomes = from_.byte("outcomes");
    if (from_.ok() && record_.outcomes == 0) return from_.fail("outcomes", "are none");
    record_.seed = from_.fixed<std::uint64_t>("seed");
    record_.game_number = from_.varint(~std::uint64_t{0}, "game number");
    from_.text(record_.game, "game");
    from_.text(record_.start, "start");
    from_.text(record_.evaluator, "evaluator");
    from_.text(record_.settings, "settings");
    const std::size_t models = from_.varint(GameRecord::kMaxModels, "model count");
    for (std::size_t i = 0; i < models && from_.ok(); ++i) {
      record_.models.push_back(from_.fixed<std::uint64_t>("model id"));
    }
  }

  void end() {
    const std::uint8_t kind = from_.byte("end");
    if (!from_.ok()) return;
    record_.end_ = static_cast<EndKind>(kind);
    switch (record_.end_) {
      case EndKind::kCut:
        return from_.outcomes(record_.outcomes, record_.cut_outcomes_, "cut outcomes");
      case EndKind::kResigned:
        record_.resigned_by_ = from_.byte("resigning player");
        if (record_.resigned_by_ > 1) return from_.fail("resigning player", "is not 0 or 1");
        [[fallthrough]];
      case EndKind::kPlayed:
        record_.final_outcome_ = from_.byte("final outcome");
        if (record_.final_outcome_ >= record_.outcomes) from_.fail("final outcome", "is unknown");
        return;
      case EndKind::kNone:
        break;
    }
    from_.fail("end", fmt::format("{} is unknown", kind));
  }

  void turn() {
    const std::uint8_t head = from_.byte("turn");
    RecordedTurn turn{.kind = static_cast<TurnKind>(head & kKindMask),
                      .first_outcome = static_cast<std::uint32_t>(record_.outcome_lists_.size()),
                      .first_visit = static_cast<std::uint32_t>(record_.visit_lists_.size())};
    const bool chance = turn.kind == TurnKind::kChance;
    if (turn.kind > TurnKind::kRandom || (head & kUnusedBits) != 0 || (chance && head != 0)) {
      return from_.fail("turn", fmt::format("starts with unknown bits {:#04x}", head));
    }
    turn.action = static_cast<Action>(from_.varint(kMaxAction, "action"));
    if (!chance) decision(head, turn);
    if (from_.ok()) record_.turns_.push_back(turn);
  }

  void decision(std::uint8_t head, RecordedTurn& turn) {
    turn.player = (head & kPlayerBit) != 0 ? 1 : 0;
    turn.has_root = (head & kRootBit) != 0;
    turn.has_chosen = (head & kChosenBit) != 0;
    const std::uint64_t model = from_.varint(record_.models.size(), "model");
    turn.model = model == 0 ? kNoModel : static_cast<std::uint16_t>(model - 1);
    if (turn.has_root) {
      turn.root_value = std::bit_cast<float>(from_.fixed<std::uint32_t>("root value"));
      if (!std::isfinite(turn.root_value)) return from_.fail("root value", "is not finite");
    }
    const std::size_t vectors = std::size_t{turn.has_root} + std::size_t{turn.has_chosen};
    from_.outcomes(vectors * record_.outcomes, record_.outcome_lists_, "outcomes");
    if ((head & kVisitsBit) != 0) visits(turn);
  }

  void visits(RecordedTurn& turn) {
    const std::uint64_t count = from_.varint(kMaxAction + 1, "visit count");
    if (from_.ok() && count == 0) return from_.fail("visit count", "is none");
    std::uint64_t next = 0;  // the smallest action that can follow
    for (std::uint64_t i = 0; i < count && from_.ok(); ++i) {
      if (next > kMaxAction) return from_.fail("visited action", "is beyond the last");
      const std::uint64_t action = next + from_.varint(kMaxAction - next, "visited action");
      const std::uint64_t visits = from_.varint(0xffffffffu, "visits");
      record_.visit_lists_.push_back(
          {static_cast<Action>(action), static_cast<std::uint32_t>(visits)});
      next = action + 1;
    }
    turn.visit_count = static_cast<std::uint32_t>(count);
  }

  PayloadReader from_;
  GameRecord& record_;
};

Result<void> encode(const GameRecord& record, std::vector<std::byte>& out) {
  out.clear();
  if (auto checked = check_header(record); !checked) return checked;
  PayloadWriter to(out);
  to.byte(kPayloadVersion);
  to.byte(static_cast<std::uint8_t>(record.outcomes));
  to.fixed(record.seed);
  to.varint(record.game_number);
  for (const std::string* text :
       {&record.game, &record.start, &record.evaluator, &record.settings}) {
    to.text(*text);
  }
  to.varint(record.models.size());
  for (const std::uint64_t id : record.models) to.fixed(id);
  to.byte(static_cast<std::uint8_t>(record.end()));
  if (record.end() == EndKind::kResigned) to.byte(record.resigned_by());
  if (record.end() != EndKind::kCut) to.byte(record.final_outcome());
  to.outcomes(record.cut_outcomes());
  to.varint(record.turns().size());
  for (std::size_t i = 0; i < record.turns().size(); ++i) {
    const RecordedTurn& turn = record.turns()[i];
    if (auto checked = check_turn(record, turn, i); !checked) return checked;
    write_turn(record, turn, to);
    if (out.size() > kMaxPayload) {
      return fail(fmt::format("the record has more than {} bytes", kMaxPayload));
    }
  }
  return {};
}

Result<void> decode(std::span<const std::byte> payload, GameRecord& out) {
  if (payload.size() > kMaxPayload) {
    out.clear();
    return fail(
        fmt::format("a record payload of {} bytes, more than {}", payload.size(), kMaxPayload));
  }
  return RecordParser(payload, out).parse();
}

}  // namespace senet
