// A game that is defined at run time, by a host or a shared object: adapts a table of functions to
// the Game concept.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "senet/game.hpp"
#include "senet/game_defaults.hpp"
#include "senet/game_table.h"

namespace senet {

/// A copy of a host's table with its own name. Fields that the host left 0 get their defaults:
/// three ways to end, and a logit for each action.
struct GameTable {
  explicit GameTable(const senet_game_table& table);

  std::string name;
  senet_game_table functions;  // without its `name`
  std::array<float, SENET_MOST_MOVES_LEFT + 1> outcome_values{};
  std::array<std::uint8_t, SENET_MOST_MOVES_LEFT + 1> outcome_mirror{};
  float value_range = 0;
};

/// Checks the table's numbers, then plays some random games, always the same ones, with
/// senet/check_game.hpp. Detects functions that write out of bounds. SENET_BAD_ARGUMENT names the
/// first contradiction, its function and its position.
Result<void> check_table(const GameTable& table);

/// Maximum bytes of a position's or a move's text.
inline constexpr std::size_t kMaxTableText = std::size_t{1} << 16;

/// A state of up to kBytes bytes with its table. A wide game has many legal moves, or several
/// logits per action, and its searches need more memory. Of wide games with large states there may
/// be one player, whose moves left need more outcomes. The table's functions are trusted,
/// except that numbers out of range are dropped for memory safety. If kIsAudited, these and all
/// other violations of senet/game_table.h throw a std::runtime_error that names the function.
template <std::size_t kBytes, bool kIsWide, bool kIsAudited = false>
class TableGame {
 public:
  static constexpr std::string_view kName = "a host's game";
  static constexpr std::size_t kMaxLegal = kIsWide ? SENET_MOST_LEGAL : 1024;
  static constexpr std::size_t kMaxPlies = 0xffff;
  static constexpr std::size_t kMaxChance = SENET_MOST_CHANCE;
  static constexpr std::size_t kFeatures = SENET_MOST_FEATURES;
  static constexpr std::size_t kMaxActive = SENET_MOST_FEATURES;
  static constexpr std::size_t kPolicyLogits = SENET_MOST_FEATURES;
  static constexpr std::size_t kLogitsPerAction = kIsWide ? SENET_MOST_LOGITS : 1;
  static constexpr bool kIsLargest = kIsWide && kBytes == SENET_MOST_STATE;
  static constexpr std::size_t kMaxOutcomes =
      kIsLargest ? SENET_MOST_MOVES_LEFT + 1 : SENET_MOST_OUTCOMES;
  static constexpr bool kHasAfterstates = true;

  /// Whether the table keeps to this type's limits.
  static bool has_room_for(const GameTable& table) {
    return table.functions.state_size <= kBytes && table.functions.most_legal <= kMaxLegal &&
           table.functions.logits_per_action <= kLogitsPerAction &&
           (kIsLargest || table.functions.player_count == 2);
  }

  /// A state without a game, which can only be assigned to.
  TableGame() = default;
  /// The start. `table` keeps to this type's limits and outlives all states.
  explicit TableGame(const GameTable& table) : table_(&table) {
    // Bytes that start() leaves are part of the default text.
    bytes_.fill(kIsAudited ? kUntouched : std::byte{0});
    functions().start(user(), bytes_.data());
    check_size("start");
  }

  std::span<const float> outcome_values() const {
    return {table_->outcome_values.data(), functions().outcomes};
  }
  std::span<const std::uint8_t> outcome_mirror() const {
    return {table_->outcome_mirror.data(), functions().outcomes};
  }
  float value_range() const { return table_->value_range; }
  int player_count() const requires kIsLargest {
    return static_cast<int>(functions().player_count);
  }
  std::string_view name() const { return table_->name; }
  std::size_t features() const { return functions().features; }
  std::size_t policy_logits() const { return functions().policy_logits; }
  std::size_t most_active() const { return functions().most_active; }
  std::size_t most_legal() const { return functions().most_legal; }
  std::size_t most_chance() const { return functions().most_chance; }
  bool has_dice() const { return functions().most_chance > 0; }
  bool has_afterstates() const { return functions().has_afterstates != 0; }
  bool has_mirror() const { return functions().mirror != nullptr; }
  bool has_sound_moves() const { return functions().sound != nullptr; }
  bool has_scrambles() const { return functions().solved != nullptr; }
  bool has_feature_bits() const { return functions().feature_bits != nullptr; }

  Turn turn() const {
    const senet_turn turn = functions().turn(user(), bytes_.data());
    require(turn != SENET_CHANCE || has_dice(), "turn",
            "SENET_CHANCE in a game whose most_chance is 0");
    require(turn >= SENET_PLAYER_0 && turn <= SENET_OVER, "turn", static_cast<int>(turn),
            " is not a senet_turn");
    if (turn == SENET_PLAYER_0) return Turn::kPlayer0;
    if (turn == SENET_PLAYER_1) return Turn::kPlayer1;
    return turn == SENET_CHANCE && has_dice() ? Turn::kChance : Turn::kOver;
  }
  Player viewer() const {
    const Turn now = turn();
    if (now != Turn::kChance) return now == Turn::kPlayer1 ? 1 : 0;
    const std::uint32_t player = functions().viewer(user(), bytes_.data());
    require(player <= 1, "viewer", "neither 0 nor 1");
    return player == 1 ? 1 : 0;
  }
  void legal(ActionList<kMaxLegal>& out) const { list("legal", functions().legal, out); }
  void sound(ActionList<kMaxLegal>& out) const { list("sound", functions().sound, out); }
  /// Falls back to equal probabilities if one of the host's is not above 0 and at most 1.
  std::size_t chance(std::span<float> probability) const {
    std::array<float, kMaxChance> said{};
    const std::uint32_t written =
        fill("chance", "most_chance", said.data(), functions().most_chance,
             [&](float* to) { return functions().chance(user(), bytes_.data(), to); });
    const std::uint32_t count = std::clamp(written, 1u, functions().most_chance);
    const bool are_positive =
        std::all_of(said.begin(), said.begin() + count, [](float p) { return p > 0 && p <= 1; });
    require(written > 0, "chance", "no outcome");
    require(are_positive, "chance", "a probability that is not above 0 and at most 1");
    for (std::uint32_t i = 0; i < count; ++i) {
      probability[i] = are_positive ? said[i] : 1 / static_cast<float>(count);
    }
    return count;
  }
  void play(Action action) {
    functions().play(user(), bytes_.data(), action);
    check_size("play");
  }
  TableGame mirrored() const {
    TableGame mirror = *this;
    functions().mirror(user(), mirror.bytes_.data());
    mirror.check_size("mirror");
    return mirror;
  }
  TableGame solved() const {
    TableGame end(*table_);
    functions().solved(user(), end.bytes_.data());
    end.check_size("solved");
    return end;
  }
  TableGame as_start() const {
    TableGame first = *this;
    functions().as_start(user(), first.bytes_.data());
    first.check_size("as_start");
    return first;
  }
  Action mirrored(Action action) const {
    const Action image = functions().mirror_action(user(), action);
    require(image < functions().actions, "mirror_action", image, " is not below actions");
    return image < functions().actions ? image : action;
  }
  std::uint8_t outcome() const {
    const std::uint32_t outcome = functions().outcome(user(), bytes_.data());
    require(outcome < functions().outcomes, "outcome", outcome, " is not below ",
            functions().outcomes, ", the number of ways to end");
    return static_cast<std::uint8_t>(std::min(outcome, functions().outcomes - 1));
  }
  std::uint64_t key() const { return functions().key(user(), bytes_.data()); }
  void encode(FeatureRow& row) const {
    std::array<std::uint16_t, kActiveRoom> feature;
    std::array<float, kActiveRoom> value;
    const std::uint32_t most = functions().most_active;
    // Entries that the host counts but does not write are not features.
    std::fill_n(feature.begin(), most, std::uint16_t{SENET_MOST_FEATURES});
    const std::uint32_t count =
        fill("encode", "most_active", feature.data(), most, [&](std::uint16_t* features) {
          return fill("encode", "most_active", value.data(), most, [&](float* values) {
            return functions().encode(user(), bytes_.data(), features, values);
          });
        });
    for (std::uint32_t i = 0; i < std::min(count, most); ++i) {
      const bool is_known = feature[i] < functions().features, is_finite = std::isfinite(value[i]);
      require(is_known, "encode", feature[i], " is not below features");
      require(is_finite, "encode", "a value that is not finite");
      if (is_known && is_finite) row.add(feature[i], value[i]);
    }
  }
  /// Writes the set of features, [(features() + 63) / 64]; only if has_feature_bits().
  void feature_bits(std::span<std::uint64_t> words) const {
    fill("feature_bits", "the words of features", words.data(), words.size(),
         [&](std::uint64_t* to) {
           functions().feature_bits(user(), bytes_.data(), to);
           return static_cast<std::uint32_t>(words.size());
         });
  }
  FeatureBits<kFeatures> feature_bits() const {
    FeatureBits<kFeatures> bits{};
    feature_bits(std::span(bits).first((features() + 63) / 64));
    return bits;
  }
  std::array<std::uint16_t, kLogitsPerAction> logits_of(Action action) const {
    std::array<std::uint16_t, kLogitsPerAction> logits;
    logits.fill(kNoLogit);
    if (functions().logits_of == nullptr) {
      logits[0] = action;
      return logits;
    }
    const std::uint32_t most = functions().logits_per_action;
    fill("logits_of", "logits_per_action", logits.data(), most, [&](std::uint16_t* to) {
      functions().logits_of(user(), action, to);
      return most;
    });
    require(logits[0] != kNoLogit, "logits_of", "no logit");
    bool is_padded = false;
    for (std::uint16_t& logit : logits) {
      require(!is_padded || logit == kNoLogit, "logits_of", "a logit after SENET_NO_LOGIT");
      is_padded = logit == kNoLogit;
      require(is_padded || logit < functions().policy_logits, "logits_of", logit,
              " is not below policy_logits");
      if (logit >= functions().policy_logits) logit = kNoLogit;
    }
    if (logits[0] == kNoLogit) logits[0] = 0;
    return logits;
  }

  /// Fails if the text is longer than kMaxTableText, or grows on every call.
  Result<std::string> try_text() const {
    if (functions().text == nullptr) return text_of_bytes(state_bytes());
    return written("text", [&](char* text, std::size_t room) {
      return functions().text(user(), bytes_.data(), text, room);
    });
  }
  Result<std::string> try_action_text(Action action) const {
    if (functions().action_text == nullptr) return text_of_action(action);
    return written("action_text", [&](char* text, std::size_t room) {
      return functions().action_text(user(), bytes_.data(), action, text, room);
    });
  }
  /// The same for people, with the reason of an error in place of the text.
  std::string text() const { return or_reason(try_text()); }
  std::string action_text(Action action) const { return or_reason(try_action_text(action)); }
  Result<Action> action_from_text(std::string_view text) const {
    if (functions().read_action == nullptr) {
      const Result<Action> action = read_action_number(text);
      if (action && has(*action)) return action;
    } else {
      Action action = 0;
      if (functions().read_action(user(), bytes_.data(), {text.data(), text.size()}, &action)) {
        return action;
      }
    }
    return fail(std::string(1, '"').append(text) + "\" is not a move of " + table_->name + " here");
  }
  /// Always fails, because a text alone does not name the game: see other_from_text.
  static Result<TableGame> from_text(std::string_view) { return fail("the game is unknown"); }
  Result<TableGame> other_from_text(std::string_view text) const {
    TableGame other(*table_);
    const bool is_read =
        functions().read == nullptr
            ? read_bytes(text, std::span(other.bytes_).first(functions().state_size))
            : functions().read(user(), {text.data(), text.size()}, other.bytes_.data()) != 0;
    other.check_size("read");
    if (is_read) return other;
    return fail(std::string(1, '"').append(text) + "\" is not a position of " + table_->name);
  }

 private:
  static constexpr std::size_t kActiveRoom = SENET_MOST_ACTIVE;

  std::span<const std::byte> state_bytes() const {
    return std::span(bytes_).first(functions().state_size);
  }
  /// Whether the action is legal, or an outcome of the chance turn.
  bool has(Action action) const {
    const Turn now = turn();
    if (now == Turn::kChance) {
      std::array<float, kMaxChance> probability;
      return action < chance(probability);
    }
    ActionList<kMaxLegal> actions;
    if (now != Turn::kOver) legal(actions);
    return std::find(actions.begin(), actions.end(), action) != actions.end();
  }
  const senet_game_table& functions() const { return table_->functions; }
  void* user() const { return table_->functions.user; }
  /// The valid actions that the host's function lists; action 0 if there is none.
  void list(const char* name, std::uint32_t (*function)(void*, const void*, senet_action*),
            ActionList<kMaxLegal>& out) const {
    out.resize(functions().most_legal);
    std::fill(out.begin(), out.end(), Action{0});
    const std::uint32_t count =
        fill(name, "most_legal", out.data(), out.size(),
             [&](Action* actions) { return function(user(), bytes_.data(), actions); });
    out.resize(std::min<std::size_t>(count, out.size()));
    require(count > 0, name, "no action");
    for (const Action action : out) {
      require(action < functions().actions, name, action, " is not below actions");
    }
    const auto unknown = [&](Action action) { return action >= functions().actions; };
    out.resize(
        static_cast<std::size_t>(std::remove_if(out.begin(), out.end(), unknown) - out.begin()));
    if (out.empty()) out.push_back(0);
  }
  static std::string or_reason(Result<std::string> text) {
    return text ? std::move(*text) : std::move(text.error().reason());
  }
  template <class Write>
  Result<std::string> written(const char* function, Write&& write) const {
    std::string text(255, '\0');
    for (int tries = 0; tries < 2; ++tries) {
      std::size_t size = 0;
      fill(function, "the end of its buffer", text.data(), text.size(), [&](char* to) {
        size = write(to, text.size());
        return static_cast<std::uint32_t>(std::min(size, text.size()));
      });
      const bool fits = size <= text.size();
      require(size > 0, function, "no text");
      require(size <= kMaxTableText, function, size, " bytes, more than ", kMaxTableText);
      if (!fits && size > kMaxTableText) {
        return fail(table_->name + ": " + function + ": " + std::to_string(size) +
                    " bytes, more than " + std::to_string(kMaxTableText));
      }
      text.resize(size);
      if (fits) return text;
    }
    return fail(table_->name + ": " + function + ": grows on every call");
  }

  // For audits; the functions below check nothing unless kIsAudited.

  static constexpr std::size_t kSlack = kIsAudited ? 64 : 0;  // entries that must stay untouched
  static constexpr std::byte kUntouched{0xa5};

  static std::string words(const char* text) { return text; }
  template <std::integral Number>
  static std::string words(Number number) {
    return std::to_string(number);
  }
  template <class... What>
  static void require([[maybe_unused]] bool holds, [[maybe_unused]] const char* function,
                      [[maybe_unused]] const What&... what) {
    if constexpr (kIsAudited) {
      if (!holds) throw std::runtime_error(function + (": " + ... + words(what)));
    }
  }
  static bool is_untouched(std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == kUntouched; });
  }
  /// Calls write(to), which writes up to `size` values (the bound called `bound`) and returns their
  /// number. An audit checks both.
  template <class T, class Write>
  static std::uint32_t fill([[maybe_unused]] const char* function,
                            [[maybe_unused]] const char* bound, T* to,
                            [[maybe_unused]] std::size_t size, Write&& write) {
    if constexpr (!kIsAudited) return write(to);
    std::vector<T> room(size + kSlack);
    std::memset(room.data(), std::to_integer<int>(kUntouched), room.size() * sizeof(T));
    const std::uint32_t count = write(room.data());
    require(is_untouched(std::as_bytes(std::span(room).subspan(size))), function, "writes past ",
            bound);
    require(count <= size, function, "more than ", bound);
    std::copy_n(room.begin(), count, to);
    return count;
  }
  /// Checks that the function wrote nothing past the state.
  void check_size([[maybe_unused]] const char* function) const {
    require(!kIsAudited || is_untouched(std::span(bytes_).subspan(functions().state_size)),
            function, "writes past state_size");
  }

  alignas(16) std::array<std::byte, kBytes + kSlack> bytes_;
  const GameTable* table_ = nullptr;
};

inline constexpr std::size_t kSmallState = 112;

/// Calls use(std::type_identity<G>()) with the first of four types whose limits the table keeps to.
template <class Use>
decltype(auto) with_type_of(const GameTable& table, Use&& use) {
  if (TableGame<kSmallState, false>::has_room_for(table)) {
    return use(std::type_identity<TableGame<kSmallState, false>>());
  }
  if (TableGame<SENET_MOST_STATE, false>::has_room_for(table)) {
    return use(std::type_identity<TableGame<SENET_MOST_STATE, false>>());
  }
  if (TableGame<kSmallState, true>::has_room_for(table)) {
    return use(std::type_identity<TableGame<kSmallState, true>>());
  }
  return use(std::type_identity<TableGame<SENET_MOST_STATE, true>>());
}

static_assert(sizeof(TableGame<kSmallState, false>) == 128);
static_assert(BinaryFeaturesGame<TableGame<kSmallState, false>> &&
              StochasticGame<TableGame<kSmallState, false>> &&
              MirrorGame<TableGame<kSmallState, false>> &&
              SoundMovesGame<TableGame<SENET_MOST_STATE, true>>);

}  // namespace senet
