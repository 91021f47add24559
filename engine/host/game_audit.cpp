#include "engine/host/game_audit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "senet/check_game.hpp"

namespace senet {
namespace {

/// `function` broke its promise; check_game() adds the position.
[[noreturn]] void broken(const char* function, const std::string& what) {
  throw std::runtime_error(std::string(function) + ": " + what);
}
void require(bool holds, const char* function, const char* what) {
  if (!holds) broken(function, what);
}

/// Memory that a function of the table writes, with entries behind it that it may not.
///
///   [size + kSlack] T, the last kSlack of them kUntouched in all bytes
template <class T>
class Room {
 public:
  explicit Room(std::size_t size) : size_(size), list_(size + kSlack) {
    std::memset(list_.data(), kUntouched, list_.size() * sizeof(T));
  }
  T* data() { return list_.data(); }
  /// Hands on what `function` wrote, if `bound`, which is the room's size, allows it.
  std::span<const T> hand_on(const char* function, const char* bound, std::size_t count,
                             T* to) const {
    const auto* const behind = reinterpret_cast<const unsigned char*>(list_.data() + size_);
    if (!std::all_of(behind, behind + kSlack * sizeof(T),
                     [](unsigned char byte) { return byte == kUntouched; })) {
      broken(function, std::string("writes behind ") + bound);
    }
    if (count > size_) broken(function, std::string("more than ") + bound);
    std::copy_n(list_.begin(), count, to);
    return {to, count};
  }

 private:
  static constexpr std::size_t kSlack = 64;
  static constexpr unsigned char kUntouched = 0xa5;
  const std::size_t size_;
  std::vector<T> list_;
};

/// A host's table behind functions that compare what it answers and what it writes with its
/// numbers. They throw what is wrong.
class Watched {
 public:
  explicit Watched(const GameTable& table) : game_(table.functions), table_(table) {
    senet_game_table& watched = table_.functions;
    watched.user = this;
    watched.start = &call<&Watched::start>;
    watched.turn = &call<&Watched::turn>;
    watched.legal = &call<&Watched::legal>;
    watched.play = &call<&Watched::play>;
    watched.outcome = &call<&Watched::outcome>;
    watched.key = &call<&Watched::key>;
    watched.encode = &call<&Watched::encode>;
    watched.text = &call<&Watched::text>;
    watched.action_text = &call<&Watched::action_text>;
    watched.read = &call<&Watched::read>;
    watched.read_action = &call<&Watched::read_action>;
    watched.chance = &call<&Watched::chance>;
    watched.viewer = &call<&Watched::viewer>;
    if (game_.logits_of != nullptr) watched.logits_of = &call<&Watched::logits_of>;
    if (game_.sound != nullptr) watched.sound = &call<&Watched::sound>;
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  const GameTable& table() const { return table_; }

 private:
  /// A function of the table that is a member of the object behind `user`.
  template <auto kMember, class Answer, class... Arguments>
  static Answer call(void* user, Arguments... arguments) {
    return (static_cast<const Watched*>(user)->*kMember)(arguments...);
  }
  void* host() const { return game_.user; }

  /// Memory for a state, aligned to 16, with bytes behind it.
  struct Bytes {
    explicit Bytes(const void* state, std::size_t size) {
      bytes.fill(std::byte{0xa5});
      std::memcpy(bytes.data(), state, size);
    }
    alignas(16) std::array<std::byte, SENET_MOST_STATE + 64> bytes;
  };
  /// Has function(state) change a state, and no byte behind it.
  template <class Function>
  void changing(const char* name, void* state, Function&& function) const {
    Bytes copy(state, game_.state_size);
    function(copy.bytes.data());
    require(std::all_of(copy.bytes.begin() + game_.state_size, copy.bytes.end(),
                        [](std::byte byte) { return byte == std::byte{0xa5}; }),
            name, "writes behind state_size");
    std::memcpy(state, copy.bytes.data(), game_.state_size);
  }
  void start(void* state) const {
    changing("start", state, [&](void* s) { game_.start(host(), s); });
  }
  void play(void* state, senet_action action) const {
    changing("play", state, [&](void* s) { game_.play(host(), s, action); });
  }
  std::int32_t read(senet_text text, void* state) const {
    std::int32_t known = 0;
    changing("read", state, [&](void* s) { known = game_.read(host(), text, s); });
    return known;
  }
  std::int32_t read_action(const void* state, senet_text text, senet_action* action) const {
    return game_.read_action(host(), state, text, action);
  }
  std::uint64_t key(const void* state) const { return game_.key(host(), state); }
  senet_turn turn(const void* state) const {
    const senet_turn turn = game_.turn(host(), state);
    require(turn != SENET_CHANCE || game_.most_chance > 0, "turn",
            "SENET_CHANCE, in a game whose most_chance is 0");
    if (turn < SENET_PLAYER_0 || turn > SENET_OVER) {
      broken("turn", std::to_string(turn) + " is no senet_turn");
    }
    return turn;
  }
  static void require_below(const char* name, std::span<const std::uint16_t> numbers,
                            std::uint32_t bound, const char* bound_name) {
    for (const std::uint16_t number : numbers) {
      if (number >= bound) broken(name, std::to_string(number) + " is not below " + bound_name);
    }
  }
  std::uint32_t list(const char* name, std::uint32_t (*function)(void*, const void*, senet_action*),
                     const void* state, senet_action* actions) const {
    Room<senet_action> room(game_.most_legal);
    const std::uint32_t count = function(host(), state, room.data());
    require_below(name, room.hand_on(name, "most_legal", count, actions), game_.actions, "actions");
    require(count > 0, name, "no action at all");
    return count;
  }
  std::uint32_t legal(const void* state, senet_action* actions) const {
    return list("legal", game_.legal, state, actions);
  }
  std::uint32_t sound(const void* state, senet_action* actions) const {
    return list("sound", game_.sound, state, actions);
  }
  std::uint32_t outcome(const void* state) const {
    const std::uint32_t outcome = game_.outcome(host(), state);
    if (outcome >= game_.outcomes) {
      broken("outcome", std::to_string(outcome) + " is not below " +
                            std::to_string(game_.outcomes) + ", the number of ways to end");
    }
    return outcome;
  }
  std::uint32_t encode(const void* state, std::uint16_t* feature, float* value) const {
    Room<std::uint16_t> features(game_.most_active);
    Room<float> values(game_.most_active);
    const std::uint32_t count = game_.encode(host(), state, features.data(), values.data());
    require_below("encode", features.hand_on("encode", "most_active", count, feature),
                  game_.features, "features");
    require(std::ranges::all_of(values.hand_on("encode", "most_active", count, value),
                                [](float v) { return std::isfinite(v); }),
            "encode", "a value that is not finite");
    return count;
  }
  template <class Write>
  std::size_t write(const char* name, const void* state, char* text, std::size_t room,
                    Write&& function) const {
    Room<char> written(room);
    const std::size_t size = function(state, written.data());
    written.hand_on(name, "the room that it is given", std::min(size, room), text);
    require(size > 0, name, "no text at all");
    if (size > kMostTableText) {
      broken(name, std::to_string(size) + " bytes, more than " + std::to_string(kMostTableText));
    }
    return size;
  }
  std::size_t text(const void* state, char* text, std::size_t room) const {
    return write("text", state, text, room,
                 [&](const void* s, char* to) { return game_.text(host(), s, to, room); });
  }
  std::size_t action_text(const void* state, senet_action action, char* text,
                          std::size_t room) const {
    return write("action_text", state, text, room, [&](const void* s, char* to) {
      return game_.action_text(host(), s, action, to, room);
    });
  }
  std::uint32_t chance(const void* state, float* probability) const {
    Room<float> room(game_.most_chance);
    const std::uint32_t count = game_.chance(host(), state, room.data());
    require(std::ranges::all_of(room.hand_on("chance", "most_chance", count, probability),
                                [](float p) { return p > 0 && p <= 1; }),
            "chance", "a probability that is not above 0 and at most 1");
    require(count > 0, "chance", "no outcome at all");
    return count;
  }
  std::uint32_t viewer(const void* state) const {
    const std::uint32_t player = game_.viewer(host(), state);
    require(player <= 1, "viewer", "neither 0 nor 1");
    return player;
  }
  void logits_of(senet_action action, std::uint16_t* logits) const {
    Room<std::uint16_t> room(game_.logits_per_action);
    game_.logits_of(host(), action, room.data());
    const auto list =
        room.hand_on("logits_of", "logits_per_action", game_.logits_per_action, logits);
    require(list[0] != SENET_NO_LOGIT, "logits_of", "no logit at all");
    const auto end = std::ranges::find(list, std::uint16_t{SENET_NO_LOGIT});
    require_below("logits_of", {list.begin(), end}, game_.policy_logits, "policy_logits");
    require(std::all_of(end, list.end(), [](std::uint16_t l) { return l == SENET_NO_LOGIT; }),
            "logits_of", "a logit behind SENET_NO_LOGIT");
  }

  const senet_game_table& game_;  // the host's
  GameTable table_;
};

struct Range {
  const char* name;
  std::uint32_t value, least, most;
};

/// What cannot be in the table itself.
Result<void> check_numbers(const GameTable& table) {
  const senet_game_table& game = table.functions;
  if (!(game.start && game.turn && game.legal && game.play && game.outcome && game.key &&
        game.encode && game.text && game.action_text && game.read && game.read_action)) {
    return fail("a function is NULL");
  }
  if (game.most_chance > 0 && !(game.chance && game.viewer)) {
    return fail("chance and viewer: not NULL in a game with dice");
  }
  const bool has_logits = game.logits_of != nullptr;
  for (const Range& range : {
           Range{"state_size", game.state_size, 1, SENET_MOST_STATE},
           Range{"features", game.features, 1, SENET_MOST_FEATURES},
           Range{"most_active", game.most_active, 1, SENET_MOST_ACTIVE},
           Range{"actions", game.actions, 1, has_logits ? 65536u : SENET_MOST_FEATURES},
           Range{"most_legal", game.most_legal, 1, SENET_MOST_LEGAL},
           Range{"most_chance", game.most_chance, 0, SENET_MOST_CHANCE},
           Range{"outcomes", game.outcomes, 2, SENET_MOST_OUTCOMES},
           Range{"policy_logits", game.policy_logits, 1, SENET_MOST_FEATURES},
           Range{"logits_per_action", game.logits_per_action, 1, SENET_MOST_LOGITS},
           Range{"reserved", game.reserved, 0, 0},
       }) {
    if (range.value < range.least || range.value > range.most) {
      return fail(std::string(range.name) + ": " + std::to_string(range.least) +
                  (range.most > range.least ? " to " + std::to_string(range.most) : ""));
    }
  }
  return check_spec(table.spec());
}

/// Plays it. What the concept of a game calls by another name gets the table's.
Result<void> check_functions(const GameTable& table) {
  const Watched watched(table);
  try {
    const Result<void> checked = check_game({}, TableGame<SENET_MOST_STATE, true>(watched.table()));
    if (checked) return {};
    std::string reason = checked.error().reason();
    for (const auto& [name, of_table] :
         {std::pair{"from_text:", "read:"}, std::pair{"action_from_text:", "read_action:"}}) {
      if (reason.starts_with(name)) return fail(of_table + reason.substr(std::strlen(name)));
    }
    return fail(reason);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // of start()
    return fail(error.what());
  }
}

}  // namespace

Result<void> check_table(const GameTable& table) {
  const Result<void> numbers = check_numbers(table);
  const Result<void> checked = numbers ? check_functions(table) : numbers;
  if (checked) return {};
  return fail(SENET_BAD_ARGUMENT, (table.name.empty() ? "a game without a name" : table.name) +
                                      ": " + checked.error().reason());
}

}  // namespace senet
