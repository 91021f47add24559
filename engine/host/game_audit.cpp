#include "engine/host/game_audit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "games/random.hpp"

namespace senet {
namespace {

constexpr int kGames = 8, kPlies = 200;
constexpr std::byte kUntouched{0xa5};

/// What the table is asked, in memory that has room for more than it says, and shows whether more
/// is written.
class Auditor {
 public:
  explicit Auditor(const GameTable& table)
      : game_(table.functions),
        state_(fresh_state()),
        other_(state_),
        actions_(SENET_MOST_LEGAL + 1),
        feature_(SENET_MOST_ACTIVE + 1),
        value_(SENET_MOST_ACTIVE + 1) {}

  /// Plays games at random; what is wrong, if anything.
  std::optional<std::string> trouble() {
    for (int game = 0; game < kGames; ++game) {
      Random draw(1, static_cast<std::uint64_t>(game), 0, Purpose::kTest);
      game_.start(game_.user, state_.data());
      for (int ply = 0; ply < kPlies && turn() != SENET_OVER; ++ply) {
        if (auto wrong = wrong_here()) return "after " + std::to_string(ply) + " moves: " + *wrong;
        const std::uint64_t before = key(state_);
        game_.play(game_.user, state_.data(), actions_[draw.below(legal_)]);
        if (overwritten(state_)) return "play: writes behind state_size";
        if (key(state_) == before) return "play: the key stays the same";
      }
      if (turn() == SENET_OVER && game_.outcome(game_.user, state_.data()) > 2) {
        return "outcome: 0, 1 or 2";
      }
    }
    return std::nullopt;
  }

 private:
  struct Bytes {
    alignas(16) std::array<std::byte, SENET_MOST_STATE + 16> bytes;
    std::byte* data() { return bytes.data(); }
    const std::byte* data() const { return bytes.data(); }
  };
  static Bytes fresh_state() {
    Bytes state;
    state.bytes.fill(kUntouched);
    return state;
  }
  bool overwritten(const Bytes& state) const {
    return std::ranges::any_of(std::span(state.bytes).subspan(game_.state_size),
                               [](std::byte byte) { return byte != kUntouched; });
  }
  senet_turn turn() const { return game_.turn(game_.user, state_.data()); }
  std::uint64_t key(const Bytes& state) const { return game_.key(game_.user, state.data()); }

  std::optional<std::string> wrong_here() {
    if (overwritten(state_)) return "start: writes behind state_size";
    if (turn() != SENET_PLAYER_0 && turn() != SENET_PLAYER_1) return "turn: 0, 1 or 3";
    if (auto wrong = wrong_moves()) return "legal: " + *wrong;
    if (auto wrong = wrong_features()) return "encode: " + *wrong;
    if (auto wrong = wrong_texts()) return wrong;
    return std::nullopt;
  }

  std::optional<std::string> wrong_moves() {
    actions_[game_.most_legal] = 0xa5a5;
    legal_ = game_.legal(game_.user, state_.data(), actions_.data());
    if (legal_ == 0) return "no move at all";
    if (legal_ > game_.most_legal) return "more than most_legal";
    if (actions_[game_.most_legal] != 0xa5a5) return "writes behind most_legal";
    const std::span<const senet_action> moves(actions_.data(), legal_);
    if (std::ranges::adjacent_find(moves, std::greater_equal()) != moves.end()) {
      return "not ascending";
    }
    if (moves.back() >= game_.actions)
      return std::to_string(moves.back()) + " is not below actions";
    return std::nullopt;
  }

  std::optional<std::string> wrong_features() {
    const std::uint32_t count =
        game_.encode(game_.user, state_.data(), feature_.data(), value_.data());
    if (count > game_.most_active) return "more than most_active";
    std::vector<std::uint16_t> sorted(feature_.begin(), feature_.begin() + count);
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) return "a feature twice";
    if (count > 0 && sorted.back() >= game_.features) {
      return std::to_string(sorted.back()) + " is not below features";
    }
    if (!std::all_of(value_.begin(), value_.begin() + count,
                     [](float value) { return std::isfinite(value); })) {
      return "a value that is not finite";
    }
    return std::nullopt;
  }

  std::optional<std::string> wrong_texts() {
    std::string text(kMostTableText, '\0');
    std::size_t size = game_.text(game_.user, state_.data(), text.data(), text.size());
    if (size == 0 || size > text.size()) return "text: none, or endless";
    std::memcpy(other_.data(), state_.data(), game_.state_size);
    if (!game_.read(game_.user, {text.data(), size}, other_.data())) {
      return "read: does not read \"" + text.substr(0, size) + "\"";
    }
    if (overwritten(other_)) return "read: writes behind state_size";
    if (key(other_) != key(state_)) {
      return "read: \"" + text.substr(0, size) + "\" becomes another position";
    }
    for (std::uint32_t i = 0; i < legal_; ++i) {
      size = game_.action_text(game_.user, state_.data(), actions_[i], text.data(), text.size());
      if (size == 0 || size > text.size()) return "action_text: none, or endless";
      senet_action read = 0;
      if (!game_.read_action(game_.user, state_.data(), {text.data(), size}, &read) ||
          read != actions_[i]) {
        return "read_action: \"" + text.substr(0, size) + "\" is not read as " +
               std::to_string(actions_[i]);
      }
    }
    return std::nullopt;
  }

  const senet_game_table& game_;
  Bytes state_, other_;
  std::vector<senet_action> actions_;
  std::vector<std::uint16_t> feature_;
  std::vector<float> value_;
  std::uint32_t legal_ = 0;
};

}  // namespace

Result<void> check_table(const GameTable& table) {
  const auto bad = [&](const std::string& what) {
    return fail(SENET_BAD_ARGUMENT,
                (table.name.empty() ? "a game without a name" : table.name) + ": " + what);
  };
  const senet_game_table& game = table.functions;
  if (!(game.start && game.turn && game.legal && game.play && game.outcome && game.key &&
        game.encode && game.text && game.action_text && game.read && game.read_action)) {
    return bad("a function is NULL");
  }
  if (game.state_size < 1 || game.state_size > SENET_MOST_STATE)
    return bad("state_size: 1 to 1008");
  if (game.most_active < 1 || game.most_active > SENET_MOST_ACTIVE) {
    return bad("most_active: 1 to 2048");
  }
  if (game.most_legal < 1 || game.most_legal > SENET_MOST_LEGAL)
    return bad("most_legal: 1 to 1024");
  if (const auto shape = check_spec(table.spec()); !shape) return bad(shape.error().reason());
  if (auto trouble = Auditor(table).trouble()) return bad(*trouble);
  return {};
}

}  // namespace senet
