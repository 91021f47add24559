// Checks a game: plays it at random and compares what its functions say with what senet/game.hpp
// asks of them. For the tests of a game, and for what takes games of others.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "senet/game.hpp"
#include "senet/result.hpp"

namespace senet {

/// How much check_game() plays. The defaults take milliseconds for an ordinary board game.
struct GameCheck {
  std::uint64_t games = 8;
  std::size_t plies = 200;    // after which a game is left, chance turns counted
  std::size_t actions = 16;   // of each state, drawn, that are played, written and read back
  std::size_t nonsense = 50;  // texts that are no position or no move, or should not be
  std::uint64_t seed = 1;     // draws all of this
};

/// What check_game() has met, for tests that want to know whether it met everything.
struct GameCoverage {
  std::size_t states = 0, distinct_states = 0, chance_turns = 0;
  std::size_t unsound = 0;            // legal actions that sound() left out
  std::vector<std::size_t> outcomes;  // how often each way to end
  std::vector<bool> features;         // whether each was ever set
};

namespace check_game_detail {

/// Thrown and caught in this header alone, as are exceptions of the game.
[[noreturn]] inline void contradict(const std::string& what) { throw std::runtime_error(what); }
inline void require(bool holds, const char* what) {
  if (!holds) contradict(what);
}

/// A stream of random numbers.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(mix(seed)) {}
  /// Below `bound`, which is at least 1, each as likely but for less than one part in 2^32.
  std::size_t below(std::size_t bound) {
    state_ = mix(state_);
    return static_cast<std::size_t>((state_ >> 32) * bound >> 32);
  }

 private:
  std::uint64_t state_;
};

/// A state with bytes around it that no function of the game may write.
template <class G>
struct Guarded {
  explicit Guarded(const G& start) : state(start) {
    before.fill(kUntouched);
    after.fill(kUntouched);
  }
  void check(const char* function) const {
    for (const auto& guard : {before, after}) {
      if (std::count(guard.begin(), guard.end(), kUntouched) < kBytes) {
        contradict(std::string(function) + ": writes outside of the state");
      }
    }
  }

  static constexpr std::byte kUntouched{0xa5};
  static constexpr std::ptrdiff_t kBytes = 64;
  alignas(G) std::array<std::byte, kBytes> before;
  G state;
  std::array<std::byte, kBytes> after;
};

template <Game G>
class Checker {
 public:
  Checker(const G& start, const GameCheck& check, GameCoverage& seen)
      : start_(start), check_(check), seen_(seen) {
    seen_.outcomes.resize(outcome_values(start_).size());
    seen_.features.resize(G::kFeatures);
    index_.resize(G::kMaxActive + kSlack);
    value_.resize(index_.size());
  }

  Result<void> run() {
    std::string where = "constants";
    try {
      check_constants();
      where = "the start";
      check_start();
      for (std::uint64_t game = 0; game < check_.games; ++game) {
        Draws draws(mix(check_.seed) + game);
        Guarded<G> board(start_);
        std::size_t decisions = 0;
        for (std::size_t ply = 0;; ++ply) {
          where = position(board.state) + ", game " + std::to_string(game) + ", ply " +
                  std::to_string(ply);
          check_state(board, draws);
          const Turn turn = board.state.turn();
          if (turn == Turn::kOver || ply == check_.plies) break;
          if (is_decision(turn)) {
            require(++decisions <= G::kMaxPlies, "play: the game goes on for more than kMaxPlies");
          }
          board.state.play(edges_[draws.below(edges_.size())]);
          board.check("play");
        }
      }
      where = "nonsense";
      check_nonsense();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      return fail(std::string(error.what()) + " (" + where + ")");
    }
    return {};
  }

 private:
  static constexpr std::size_t kSlack = 64;  // so that what overflows is seen and not undefined

  static std::string position(const G& state) { return "in " + state.text(); }

  void check_constants() const {
    static_assert(G::kMaxLegal >= 1 && G::kLogitsPerAction >= 1 && G::kMaxPlies >= 1);
    static_assert(G::kFeatures >= 1 && G::kFeatures <= 0xffff && G::kMaxActive <= G::kFeatures);
    static_assert(G::kPolicyLogits >= 1 && G::kPolicyLogits <= kNoLogit);
    const std::string_view name = G::kName;
    require(!name.empty() && name.size() <= 64, "kName: 1 to 64 characters");
    require(std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; }),
            "kName: a character that cannot be printed");
    const auto values = outcome_values(start_);
    const auto mirror = outcome_mirror(start_);
    const float range = value_range(start_);
    require(values.size() >= 2, "outcome_values: fewer than two ways to end");
    require(values.size() <= kOutcomes<G>, "outcome_values: more than kMostOutcomes");
    require(mirror.size() == values.size(), "outcome_mirror: not as long as outcome_values");
    for (const float value : values) {
      require(value == std::trunc(value) && std::abs(value) <= 7,
              "outcome_values: a value that is not a whole number from -7 to 7");
      require(std::abs(value) <= range, "outcome_values: a value beyond value_range");
    }
    require(std::any_of(values.begin(), values.end(), [](float value) { return value > 0; }),
            "outcome_values: none is above 0");
    require(range <= 7 && range == std::trunc(range),
            "value_range: not a whole number from 1 to 7");
    for (std::size_t i = 0; i < values.size(); ++i) {
      require(mirror[i] < values.size() && mirror[mirror[i]] == i,
              "outcome_mirror: seen from the other side twice, an outcome is not itself");
      require(values[mirror[i]] == -values[i],
              "outcome_mirror: what one player wins is not what the other loses");
    }
  }

  void check_start() {
    require(start_.turn() != Turn::kOver, "turn: the game is over at its start");
    G again = start_;
    require(again.key() == start_.key(), "key: differs for a copy");
    list_edges(again);
    again.play(edges_.front());
    require(again.key() != start_.key(), "play: the key stays the same");
  }

  /// Everything about one state. Fills edges_ with what can be done in it.
  void check_state(Guarded<G>& board, Draws& draws) {
    ++seen_.states;
    G& state = board.state;
    const Turn turn = state.turn();
    require(turn == Turn::kPlayer0 || turn == Turn::kPlayer1 || turn == Turn::kChance ||
                turn == Turn::kOver,
            "turn: none of the four");
    require(has_dice(start_) || turn != Turn::kChance, "turn: chance, in a game without dice");
    const Player viewer = state.viewer();
    require(viewer <= 1, "viewer: neither 0 nor 1");
    require(turn != Turn::kPlayer0 || viewer == 0, "viewer: 1 where player 0 is to move");
    require(turn != Turn::kPlayer1 || viewer == 1, "viewer: 0 where player 1 is to move");
    const std::string text = state.text();
    const std::uint64_t key = state.key();
    require(!text.empty() && text.find('\n') == std::string::npos, "text: not one line of text");
    check_identity(text, key);
    if (turn == Turn::kOver) {
      check_end(state);
    } else {
      seen_.chance_turns += turn == Turn::kChance;
      list_edges(state);
      check_edges(board, text, key, draws);
      check_features(state);
    }
    check_reading(state, text, key);
    if constexpr (MirrorGame<G>) check_mirror(state, text, key);
    board.check("a function that reads the state");
    require(state.key() == key && state.text() == text,
            "key, text: not the same when they are asked again");
  }

  /// Equal states have equal keys, and different ones different keys, among those that were met.
  void check_identity(const std::string& text, std::uint64_t key) {
    const std::size_t hash = std::hash<std::string>{}(text);
    const auto [by_text, is_new_text] = key_of_.try_emplace(hash, key);
    require(by_text->second == key, "key: another key than the same text had before");
    const auto [by_key, is_new_key] = text_of_.try_emplace(key, Met{hash, text.substr(0, 80)});
    if (by_key->second.hash != hash) contradict("key: the same as of " + by_key->second.text);
    seen_.distinct_states = key_of_.size();
  }

  void check_end(const G& state) {
    const std::uint8_t outcome = state.outcome();
    require(outcome < outcome_values(state).size(), "outcome: beyond the game's ways to end");
    require(final_value(state, 0) == -final_value(state, 1),
            "outcome: what one player wins is not what the other loses");
    ++seen_.outcomes[outcome];
  }

  /// What can be done in a state that is not over, chance outcomes included, into edges_.
  void list_edges(const G& state) {
    edges_.clear();
    if constexpr (StochasticGame<G>) {
      if (state.turn() == Turn::kChance) {
        std::array<float, G::kMaxChance + kSlack> probabilities;
        const std::size_t count = state.chance(probabilities);
        require(count >= 1 && count <= G::kMaxChance, "chance: none, or more than kMaxChance");
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
          require(probabilities[i] > 0, "chance: an outcome whose probability is not above 0");
          sum += probabilities[i];
          edges_.push_back(static_cast<Action>(i));
        }
        require(std::abs(sum - 1) < 1e-6, "chance: the probabilities do not add up to 1");
        return;
      }
    }
    ActionList<G::kMaxLegal> legal;
    try {
      state.legal(legal);
    } catch (const std::length_error&) {
      contradict("legal: more actions than kMaxLegal");
    }
    require(!legal.empty(), "legal: no action at all");
    edges_.assign(legal.begin(), legal.end());
    for (std::size_t i = 1; i < edges_.size(); ++i) {
      if (edges_[i - 1] >= edges_[i]) {
        contradict("legal: " + std::to_string(edges_[i]) + " stands behind " +
                   std::to_string(edges_[i - 1]));
      }
    }
  }

  /// Some of the edges: they lead elsewhere, leave the state they began in alone, and have texts
  /// and logits.
  void check_edges(Guarded<G>& board, const std::string& text, std::uint64_t key, Draws& draws) {
    const G& state = board.state;
    const std::vector<Action> all = edges_;
    list_edges(state);
    require(edges_ == all, "legal: not the same when it is asked again");
    const std::size_t step =
        std::max<std::size_t>(1, all.size() / std::max<std::size_t>(1, check_.actions));
    for (std::size_t i = draws.below(step); i < all.size(); i += step) {
      const Action action = all[i];
      Guarded<G> child(state);
      child.state.play(action);
      child.check("play");
      if (child.state.key() == key) {
        contradict("play: the key stays the same after " + state.action_text(action));
      }
      const std::string words = state.action_text(action);
      require(!words.empty() && words.find('\n') == std::string::npos,
              "action_text: not one line of text");
      const Result<Action> again = state.action_from_text(words);
      if (!again) {
        contradict("action_from_text: does not read \"" + words + "\": " + again.error().reason());
      }
      if (*again != action)
        contradict("action_from_text: \"" + words + "\" becomes another action");
      if (is_decision(state.turn())) check_logits(state, action);
    }
    require(state.key() == key && state.text() == text,
            "play: on a copy it changes the original too");
    if constexpr (SoundMovesGame<G>) {
      if (is_decision(state.turn()) && has_sound_moves(state)) check_sound(state, all);
    }
  }

  static void check_logits(const G& state, Action action) {
    const auto logits = state.logits_of(action);
    bool is_padded = false;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const bool is_padding = logits[i] == kNoLogit;
      require(is_padding || logits[i] < G::kPolicyLogits, "logits_of: beyond kPolicyLogits");
      require(!(i == 0 && is_padding), "logits_of: no logit at all");
      require(!is_padded || is_padding, "logits_of: a logit behind kNoLogit");
      is_padded = is_padding;
    }
  }

  void check_features(const G& state) {
    FeatureRow row(index_.data(), value_.data(), index_.size());
    state.encode(row);
    require(row.count() <= G::kMaxActive, "encode: more features than kMaxActive");
    used_.assign(index_.begin(), index_.begin() + static_cast<std::ptrdiff_t>(row.count()));
    for (std::size_t i = 0; i < used_.size(); ++i) {
      require(used_[i] < G::kFeatures, "encode: a feature beyond kFeatures");
      require(std::isfinite(value_[i]), "encode: a value that is not finite");
      seen_.features[used_[i]] = true;
    }
    std::sort(used_.begin(), used_.end());
    require(std::adjacent_find(used_.begin(), used_.end()) == used_.end(),
            "encode: a feature twice");
  }

  /// The text is read as the same state.
  void check_reading(const G& state, const std::string& text, std::uint64_t key) {
    const Result<G> again = read_state(start_, text);
    if (!again) contradict("from_text: does not read its own text: " + again.error().reason());
    require(again->key() == key && again->text() == text && again->turn() == state.turn() &&
                again->viewer() == state.viewer(),
            "from_text: its own text becomes another state");
    if (state.turn() == Turn::kOver) {
      require(again->outcome() == state.outcome(), "from_text: another outcome than the state's");
    } else {
      const std::vector<Action> all = edges_;
      list_edges(*again);
      require(edges_ == all, "from_text: the state has other actions than that of the same text");
    }
  }

  /// The most that `player` can still reach, looking so many moves ahead.
  static float promise(const G& state, Player player, int moves) {
    if (state.turn() == Turn::kOver) return final_value(state, player);
    const float range = value_range(state);
    if (moves == 0 || !is_decision(state.turn())) return range;
    const bool is_own = state.viewer() == player;
    float best = is_own ? -range : range;
    ActionList<G::kMaxLegal> legal;
    state.legal(legal);
    for (const Action action : legal) {
      G after = state;
      after.play(action);
      const float value = promise(after, player, moves - 1);
      best = is_own ? std::max(best, value) : std::min(best, value);
    }
    return best;
  }

  /// The sound actions of a state, some of the legal ones.
  static ActionList<G::kMaxLegal> sound_of(const G& state) requires SoundMovesGame<G> {
    ActionList<G::kMaxLegal> legal, sound;
    state.legal(legal);
    state.sound(sound);
    require(!sound.empty(), "sound: no action at all");
    require(std::adjacent_find(sound.begin(), sound.end(), std::greater_equal<>()) == sound.end(),
            "sound: not ascending");
    require(std::includes(legal.begin(), legal.end(), sound.begin(), sound.end()),
            "sound: an action that is not legal");
    return sound;
  }

  /// What is left out is refuted by the next move, or something that stays wins at once.
  void check_sound(const G& state, const std::vector<Action>& legal) requires SoundMovesGame<G> {
    const ActionList<G::kMaxLegal> sound = sound_of(state);
    const Player mover = state.viewer();
    const auto after = [&](Action action) {
      G next = state;
      next.play(action);
      return next;
    };
    const auto wins = [&](Action action) {
      const G next = after(action);
      return next.turn() == Turn::kOver && final_value(next, mover) == value_range(next);
    };
    seen_.unsound += legal.size() - sound.size();
    check_forced(state);
    if (std::any_of(sound.begin(), sound.end(), wins)) return;
    const auto loses = [&](Action action) {
      return promise(after(action), mover, 1) == -value_range(state);
    };
    const bool all_lose = std::all_of(legal.begin(), legal.end(), loses);
    for (const Action action : legal) {
      const bool is_sound = std::binary_search(sound.begin(), sound.end(), action);
      require(is_sound || loses(action), "sound: leaves out a move that no reply refutes");
      require(!is_sound || all_lose || !loses(action),
              "sound: keeps a move that the next one refutes, beside better ones");
    }
  }

  /// Forced moves come to an end.
  static void check_forced(G state) requires SoundMovesGame<G> {
    for (std::size_t forced = 0; is_decision(state.turn()); ++forced) {
      const ActionList<G::kMaxLegal> sound = sound_of(state);
      if (sound.size() != 1) return;
      require(forced < G::kMaxPlies, "sound: moves that are the only sound ones go in circles");
      state.play(sound.front());
    }
  }

  void check_mirror(const G& state, const std::string& text,
                    std::uint64_t key) requires MirrorGame<G> {
    const G mirror = state.mirrored();
    require(mirror.mirrored().key() == key && mirror.mirrored().text() == text,
            "mirrored: the mirror image of the mirror image is another state");
    require(mirror.turn() == state.turn(), "mirrored: another player's turn");
    if (state.turn() == Turn::kOver) {
      require(mirror.outcome() == state.outcome(), "mirrored: another outcome");
      return;
    }
    const std::vector<Action> all = edges_;
    std::vector<Action> images;
    for (const Action action : all) {
      const Action image = G::mirrored(action);
      require(G::mirrored(image) == action,
              "mirrored: the mirror image of an action's mirror image is another action");
      images.push_back(image);
    }
    std::sort(images.begin(), images.end());
    list_edges(mirror);
    require(edges_ == images, "mirrored: the mirror image has other actions");
    edges_ = all;
    for (const Action action : all) {
      G child = state, mirror_child = mirror;
      child.play(action);
      mirror_child.play(G::mirrored(action));
      require(child.mirrored().key() == mirror_child.key(),
              "mirrored: an action and its mirror image lead to states that are none");
    }
  }

  /// Texts with mistakes are refused with a reason, or mean a state or an action like any other.
  void check_nonsense() {
    constexpr std::string_view kAlphabet = "0123456789abcXO/:-+ =AZ\n\xff";
    Draws draws(check_.seed);
    list_edges(start_);
    const std::vector<Action> at_start = edges_;
    for (std::size_t i = 0; i < check_.nonsense; ++i) {
      // The start with some of its characters replaced or others put between them, or noise.
      std::string text = i % 2 == 0 ? start_.text() : std::string();
      for (std::size_t edits = 1 + draws.below(4); edits > 0; --edits) {
        const std::size_t at = draws.below(text.size() + 1);
        const char c = kAlphabet[draws.below(kAlphabet.size())];
        if (at < text.size() && draws.below(2) == 0) {
          text[at] = c;
        } else {
          text.insert(at, 1, c);
        }
      }
      const std::string quoted = "\"" + text + "\"";
      if (const Result<G> state = read_state(start_, text)) {
        const Result<G> again = read_state(start_, state->text());
        if (!again || again->key() != state->key()) {
          contradict("from_text: takes " + quoted + " and does not read the text of that");
        }
        if (state->turn() != Turn::kOver) list_edges(*state);
      } else if (state.error().reason().empty()) {
        contradict("from_text: refuses " + quoted + " without a reason");
      }
      if (const Result<Action> action = start_.action_from_text(text)) {
        if (std::find(at_start.begin(), at_start.end(), *action) == at_start.end()) {
          contradict("action_from_text: takes " + quoted + " for an action that is not legal");
        }
      } else if (action.error().reason().empty()) {
        contradict("action_from_text: refuses " + quoted + " without a reason");
      }
    }
  }

  const G start_;
  const GameCheck check_;
  GameCoverage& seen_;
  std::vector<Action> edges_;  // of the state that is being checked
  std::vector<std::uint16_t> index_, used_;
  std::vector<float> value_;
  struct Met {
    std::size_t hash;  // of its text
    std::string text;  // the beginning
  };
  std::unordered_map<std::size_t, std::uint64_t> key_of_;  // by the text's hash
  std::unordered_map<std::uint64_t, Met> text_of_;         // by the key
};

}  // namespace check_game_detail

/// Plays `check.games` games from `start` at random, chance outcomes all as likely, and looks at
/// each state. Nothing when the game keeps every promise of senet/game.hpp as far as was seen;
/// else the first contradiction, which begins with the function that it is about and ends with the
/// position: "legal: 3 stands behind 5 (in 3/1X1/O2, game 0, ply 2)". Exceptions of the game become
/// such reasons too. `seen`, if any, is filled with what was met. What it keeps of each state is
/// less than 200 bytes, so that memory grows with the number of plies.
template <Game G>
Result<void> check_game(const GameCheck& check = {}, const G& start = G{},
                        GameCoverage* seen = nullptr) {
  GameCoverage own;
  return check_game_detail::Checker<G>(start, check, seen != nullptr ? *seen : own).run();
}

}  // namespace senet
