// Checks a game: plays it at random and checks that its functions fulfil the contract in
// senet/game.hpp. For tests of a game, and for programs that accept games from others.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
  std::size_t plies = 200;    // maximum length of a game, chance turns included
  std::size_t actions = 16;   // random actions per state to play, write and read back
  std::size_t nonsense = 50;  // random texts, mostly invalid, to read as positions and actions
  std::uint64_t seed = 1;     // of all random draws
};

/// What check_game() encountered, so that tests can check its coverage.
struct GameCoverage {
  std::size_t states = 0, distinct_states = 0, chance_turns = 0;
  std::size_t unsound = 0;            // legal actions that sound() omitted
  std::vector<std::size_t> outcomes;  // number of games that ended in each outcome
  std::vector<bool> features;         // whether each feature was ever set
};

namespace check_game_detail {

/// The exception never leaves this header: Checker::run() catches it.
[[noreturn]] inline void contradict(const std::string& what) { throw std::runtime_error(what); }
inline void require(bool holds, const char* what) {
  if (!holds) contradict(what);
}

/// Draws the next number of a stream, uniform in [0, bound) with a bias below 2^-32. bound >= 1.
inline std::size_t below(std::uint64_t& stream, std::size_t bound) {
  stream = mix(stream);
  return static_cast<std::size_t>((stream >> 32) * bound >> 32);
}

/// A state between guard bytes that no function of the game may write.
template <class G>
struct Guarded {
  void play(Action action) {
    state.play(action);
    check("play");
  }
  void check(const char* function) const {
    if (before != kUntouched || after != kUntouched) {
      contradict(std::string(function) + ": writes outside the state");
    }
  }

  static constexpr auto kUntouched = [] {
    std::array<std::byte, 64> bytes;
    bytes.fill(std::byte{0xa5});
    return bytes;
  }();
  alignas(G) std::array<std::byte, 64> before = kUntouched;
  G state;
  std::array<std::byte, 64> after = kUntouched;
};

template <Game G>
class Checker {
 public:
  Checker(const G& start, const GameCheck& check, GameCoverage& seen)
      : start_(start), check_(check), seen_(seen) {
    seen_.outcomes.resize(outcome_values(start_).size());
    seen_.features.resize(G::kFeatures);
  }

  Result<void> run() {
    std::string where = "constants";
    try {
      check_constants();
      where = "the start";
      check_start();
      for (std::uint64_t game = 0; game < check_.games; ++game) {
        std::uint64_t draws = mix(mix(check_.seed) + game);
        Guarded<G> board{.state = start_};
        std::size_t decisions = 0;
        for (std::size_t ply = 0;; ++ply) {
          where = "in " + board.state.text() + ", game " + std::to_string(game) + ", ply " +
                  std::to_string(ply);
          const std::vector<Action> edges = check_state(board, draws);
          if (edges.empty() || ply == check_.plies) break;
          if (is_decision(board.state.turn())) {
            require(++decisions <= G::kMaxPlies, "play: the game is longer than kMaxPlies");
          }
          board.play(edges[below(draws, edges.size())]);
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
  static constexpr std::size_t kSlack = 64;  // so that an overflow is detected and not undefined

  static G after(const G& state, Action action) {
    Guarded<G> board{.state = state};
    board.play(action);
    return board.state;
  }

  void check_constants() const {
    static_assert(G::kMaxLegal >= 1 && G::kLogitsPerAction >= 1 && G::kMaxPlies >= 1);
    static_assert(G::kFeatures >= 1 && G::kFeatures <= 0xffff && G::kMaxActive <= G::kFeatures);
    static_assert(G::kPolicyLogits >= 1 && G::kPolicyLogits <= kNoLogit);
    const std::string_view name = G::kName;
    require(!name.empty() && name.size() <= 64, "kName: 1 to 64 characters");
    require(std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; }),
            "kName: a character that is not printable ASCII");
    const auto values = outcome_values(start_);
    const auto mirror = outcome_mirror(start_);
    const float range = value_range(start_);
    require(values.size() >= 2, "outcome_values: fewer than two outcomes");
    require(values.size() <= kOutcomes<G>, "outcome_values: more than kMaxOutcomes");
    require(mirror.size() == values.size(), "outcome_mirror: not as long as outcome_values");
    require(player_count(start_) == 1 || player_count(start_) == 2,
            "player_count: neither 1 nor 2");
    if (player_count(start_) == 1) {
      require(!has_sound_moves(start_), "sound: in a game of one player");
      require(!has_dice(start_), "chance: in a game of one player");
      for (std::size_t i = 0; i < values.size(); ++i) {
        require(values[i] == -static_cast<float>(i),
                "outcome_values: with one player, not the moves left: 0, -1, -2, ...");
        require(mirror[i] == i, "outcome_mirror: with one player, not the identity");
      }
      require(range == static_cast<float>(values.size() - 1),
              "value_range: with one player, not the most moves left");
      return;
    }
    for (const float value : values) {
      require(value == std::trunc(value) && std::abs(value) <= 7,
              "outcome_values: a value that is not a whole number from -7 to 7");
      require(std::abs(value) <= range, "outcome_values: a value beyond value_range");
    }
    require(std::any_of(values.begin(), values.end(), [](float value) { return value > 0; }),
            "outcome_values: no value is above 0");
    require(range <= 7 && range == std::trunc(range),
            "value_range: not a whole number from 1 to 7");
    for (std::size_t i = 0; i < values.size(); ++i) {
      require(mirror[i] < values.size() && mirror[mirror[i]] == i,
              "outcome_mirror: mirroring an outcome twice does not give the same outcome");
      require(values[mirror[i]] == -values[i],
              "outcome_mirror: an outcome and its mirror do not have opposite values");
    }
  }

  void check_start() {
    require(start_.turn() != Turn::kOver, "turn: the game is over at its start");
    G again = start_;
    require(again.key() == start_.key(), "key: a copy of the state has another key");
    require(after(again, edges_of(again).front()).key() != start_.key(),
            "play: the key stays the same");
    if constexpr (ScrambledGame<G>) {
      if (!has_scrambles(start_)) return;
      require(start_.as_start().key() == start_.key() && start_.as_start().text() == start_.text(),
              "as_start: changes the start");
      const G end = start_.solved();
      require(end.turn() == Turn::kOver, "solved: the game is not over");
      require(final_value(end, 0) ==
                  *std::max_element(outcome_values(end).begin(), outcome_values(end).end()),
              "solved: not the best outcome");
      require(end.as_start().key() == end.key(), "as_start: changes solved()");
      G scramble = after(end, edges_of(end).front()).as_start();
      require(scramble.as_start().key() == scramble.key(), "as_start: a second call changes it");
    }
  }

  /// Checks one state. Returns its actions or chance outcomes; none when the game is over.
  std::vector<Action> check_state(const Guarded<G>& board, std::uint64_t& draws) {
    ++seen_.states;
    const G& state = board.state;
    const Turn turn = state.turn();
    require(turn == Turn::kPlayer0 || turn == Turn::kPlayer1 || turn == Turn::kChance ||
                turn == Turn::kOver,
            "turn: not a value of Turn");
    require(has_dice(start_) || turn != Turn::kChance, "turn: kChance in a game without dice");
    const Player viewer = state.viewer();
    const bool is_solitaire = player_count(start_) == 1;
    require(!is_solitaire || (turn != Turn::kPlayer1 && viewer == 0),
            "turn, viewer: player 1 in a game of one player");
    require(viewer <= 1, "viewer: neither 0 nor 1");
    require(turn != Turn::kPlayer0 || viewer == 0, "viewer: 1 when player 0 is to move");
    require(turn != Turn::kPlayer1 || viewer == 1, "viewer: 0 when player 1 is to move");
    const std::string text = state.text();
    const std::uint64_t key = state.key();
    require(!text.empty() && text.find('\n') == std::string::npos, "text: not one line of text");
    check_identity(text, key);
    std::vector<Action> edges;
    if (turn == Turn::kOver) {
      const std::uint8_t outcome = state.outcome();
      require(outcome < outcome_values(state).size(), "outcome: not an index into outcome_values");
      if (is_solitaire) {
        require(outcome == 0 || outcome + std::size_t{1} == outcome_values(state).size(),
                "outcome: with one player, neither 0 nor the last");
      } else {
        require(final_value(state, 0) == -final_value(state, 1),
                "outcome: the two players do not have opposite values");
      }
      ++seen_.outcomes[outcome];
    } else {
      seen_.chance_turns += turn == Turn::kChance;
      edges = edges_of(state);
      check_edges(state, edges, text, key, draws);
      check_features(state);
    }
    check_reading(state, edges, text, key);
    if constexpr (MirrorGame<G>) {
      if (has_mirror(start_)) check_mirror(state, edges, text, key);
    }
    board.check("a function that reads the state");
    require(state.key() == key && state.text() == text,
            "key, text: a second call returns something else");
    return edges;
  }

  /// Among the states encountered, equal states have equal keys and different states different
  /// keys. Two states are equal when their texts have the same hash.
  void check_identity(const std::string& text, std::uint64_t key) {
    const std::size_t hash = std::hash<std::string>{}(text);
    const auto [by_text, is_new_text] = key_of_.try_emplace(hash, key);
    require(by_text->second == key, "key: differs from an earlier state with the same text");
    const auto [by_key, is_new_key] =
        text_of_.try_emplace(key, SeenState{hash, text.substr(0, 80)});
    if (by_key->second.hash != hash) contradict("key: the same as that of " + by_key->second.text);
    seen_.distinct_states = key_of_.size();
  }

  /// The actions or chance outcomes of an unfinished state.
  static std::vector<Action> edges_of(const G& state) {
    std::vector<Action> edges;
    if constexpr (StochasticGame<G>) {
      if (state.turn() == Turn::kChance) {
        std::array<float, G::kMaxChance + kSlack> probabilities;
        const std::size_t count = state.chance(probabilities);
        require(count >= 1 && count <= G::kMaxChance, "chance: not 1 to kMaxChance outcomes");
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
          require(probabilities[i] > 0, "chance: a probability that is not above 0");
          sum += probabilities[i];
          edges.push_back(static_cast<Action>(i));
        }
        require(std::abs(sum - 1) < 1e-6, "chance: the probabilities do not add up to 1");
        return edges;
      }
    }
    ActionList<G::kMaxLegal> legal;
    try {
      state.legal(legal);
    } catch (const std::length_error&) {
      contradict("legal: more actions than kMaxLegal");
    }
    require(!legal.empty(), "legal: no action");
    edges.assign(legal.begin(), legal.end());
    const auto fall = std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>());
    if (fall != edges.end()) {
      contradict("legal: not ascending: " + std::to_string(fall[1]) + " follows " +
                 std::to_string(fall[0]));
    }
    return edges;
  }

  /// Checks a sample of the edges: playing one changes a copy's key and leaves the original
  /// unchanged, and its text and logits are valid.
  void check_edges(const G& state, const std::vector<Action>& edges, const std::string& text,
                   std::uint64_t key, std::uint64_t& draws) {
    require(edges_of(state) == edges, "legal: a second call returns other actions");
    const std::size_t step =
        std::max<std::size_t>(1, edges.size() / std::max<std::size_t>(1, check_.actions));
    for (std::size_t i = below(draws, step); i < edges.size(); i += step) {
      const Action action = edges[i];
      if (after(state, action).key() == key) {
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
        contradict("action_from_text: reads \"" + words + "\" as another action");
      if (is_decision(state.turn())) check_logits(state, action);
    }
    require(state.key() == key && state.text() == text,
            "play: changes the original when played on a copy");
    if constexpr (SoundMovesGame<G>) {
      if (is_decision(state.turn()) && has_sound_moves(state)) check_sound(state, edges);
    }
  }

  static void check_logits(const G& state, Action action) {
    const auto logits = state.logits_of(action);
    const auto end = std::find(logits.begin(), logits.end(), kNoLogit);
    require(std::all_of(logits.begin(), end, [](auto logit) { return logit < G::kPolicyLogits; }),
            "logits_of: a logit that is not below kPolicyLogits");
    require(end != logits.begin(), "logits_of: no logit before the first kNoLogit");
    require(std::count(end, logits.end(), kNoLogit) == logits.end() - end,
            "logits_of: a logit after kNoLogit");
  }

  void check_features(const G& state) {
    std::vector<std::uint16_t> index(G::kMaxActive + kSlack);
    std::vector<float> value(index.size());
    FeatureRow row(index.data(), value.data(), index.size());
    state.encode(row);
    require(row.count() <= G::kMaxActive, "encode: more features than kMaxActive");
    index.resize(row.count());
    for (std::size_t i = 0; i < index.size(); ++i) {
      require(index[i] < G::kFeatures, "encode: a feature that is not below kFeatures");
      require(std::isfinite(value[i]), "encode: a value that is not finite");
      seen_.features[index[i]] = true;
    }
    std::sort(index.begin(), index.end());
    require(std::adjacent_find(index.begin(), index.end()) == index.end(),
            "encode: the same feature twice");
    if constexpr (BinaryFeaturesGame<G>) {
      if (!has_feature_bits(state)) return;
      FeatureBits<G::kFeatures> bits{};
      for (const std::size_t i : index) bits[i / 64] |= std::uint64_t{1} << i % 64;
      require(
          std::all_of(value.begin(), value.begin() + row.count(), [](float x) { return x == 1; }),
          "encode: a value that is not 1, in spite of feature_bits");
      require(state.feature_bits() == bits, "feature_bits: not the features of encode");
    }
  }

  /// Reading the text gives the same state.
  void check_reading(const G& state, const std::vector<Action>& edges, const std::string& text,
                     std::uint64_t key) const {
    const Result<G> again = read_state(start_, text);
    if (!again) contradict("from_text: does not read its own text: " + again.error().reason());
    require(again->key() == key && again->text() == text && again->turn() == state.turn() &&
                again->viewer() == state.viewer(),
            "from_text: reads its own text as another state");
    if (state.turn() == Turn::kOver) {
      require(again->outcome() == state.outcome(),
              "from_text: the state read from the text has another outcome");
    } else {
      require(edges_of(*again) == edges,
              "from_text: the state read from the text has other actions");
    }
  }

  /// Whether `player` has lost by the maximum value, or will after the mover's best next move.
  static bool loses(const G& state, Player player) {
    const auto has_lost = [&](const G& at) {
      return at.turn() == Turn::kOver && final_value(at, player) == -value_range(at);
    };
    if (!is_decision(state.turn())) return has_lost(state);
    const auto loses_by = [&](Action action) { return has_lost(after(state, action)); };
    const std::vector<Action> legal = edges_of(state);
    return state.viewer() == player ? std::all_of(legal.begin(), legal.end(), loses_by)
                                    : std::any_of(legal.begin(), legal.end(), loses_by);
  }

  /// The sound actions of a state, checked to be a subset of the legal ones.
  static ActionList<G::kMaxLegal> sound_of(const G& state) requires SoundMovesGame<G> {
    const std::vector<Action> legal = edges_of(state);
    ActionList<G::kMaxLegal> sound;
    state.sound(sound);
    require(!sound.empty(), "sound: no action");
    require(std::adjacent_find(sound.begin(), sound.end(), std::greater_equal<>()) == sound.end(),
            "sound: not ascending");
    require(std::includes(legal.begin(), legal.end(), sound.begin(), sound.end()),
            "sound: an action that is not legal");
    return sound;
  }

  /// Either a sound move wins immediately, or the opponent's next move refutes every omitted move.
  void check_sound(const G& state, const std::vector<Action>& legal) requires SoundMovesGame<G> {
    const ActionList<G::kMaxLegal> sound = sound_of(state);
    const Player mover = state.viewer();
    const auto wins = [&](Action action) {
      const G next = after(state, action);
      return next.turn() == Turn::kOver && final_value(next, mover) == value_range(next);
    };
    seen_.unsound += legal.size() - sound.size();
    check_forced(state);
    if (std::any_of(sound.begin(), sound.end(), wins)) return;
    const auto is_refuted = [&](Action action) { return loses(after(state, action), mover); };
    const bool all_lose = std::all_of(legal.begin(), legal.end(), is_refuted);
    for (const Action action : legal) {
      const bool is_sound = std::binary_search(sound.begin(), sound.end(), action);
      require(is_sound || is_refuted(action), "sound: omits a move that no reply refutes");
      require(!is_sound || all_lose || !is_refuted(action),
              "sound: includes a move that a reply refutes, although there are better ones");
    }
  }

  /// Every sequence of forced moves ends.
  static void check_forced(const G& state) requires SoundMovesGame<G> {
    Guarded<G> board{.state = state};
    for (std::size_t forced = 0; is_decision(board.state.turn()); ++forced) {
      const ActionList<G::kMaxLegal> sound = sound_of(board.state);
      if (sound.size() != 1) return;
      require(forced < G::kMaxPlies, "sound: forced moves never end");
      board.play(sound.front());
    }
  }

  static void check_mirror(const G& state, const std::vector<Action>& edges,
                           const std::string& text, std::uint64_t key) requires MirrorGame<G> {
    const G mirror = state.mirrored();
    require(mirror.mirrored().key() == key && mirror.mirrored().text() == text,
            "mirrored: mirroring a state twice does not give the same state");
    require(mirror.turn() == state.turn(), "mirrored: the mirror image has another turn");
    if (state.turn() == Turn::kOver) {
      require(mirror.outcome() == state.outcome(),
              "mirrored: the mirror image has another outcome");
      return;
    }
    std::vector<Action> images;
    for (const Action action : edges) {
      const Action image = state.mirrored(action);
      require(state.mirrored(image) == action,
              "mirrored: mirroring an action twice does not give the same action");
      images.push_back(image);
    }
    std::sort(images.begin(), images.end());
    require(edges_of(mirror) == images, "mirrored: the mirror image has other actions");
    for (const Action action : edges) {
      require(after(state, action).mirrored().key() == after(mirror, state.mirrored(action)).key(),
              "mirrored: an action and its mirror image lead to states that are not mirror images");
    }
  }

  /// A text with mistakes is either refused with a reason, or read as a valid state or action.
  void check_nonsense() {
    constexpr std::string_view kAlphabet = "0123456789abcXO/:-+ =AZ\n\xff";
    std::uint64_t draws = mix(check_.seed);
    const std::vector<Action> at_start = edges_of(start_);
    for (std::size_t i = 0; i < check_.nonsense; ++i) {
      // Random characters, or the start's text with some characters replaced or inserted.
      std::string text = i % 2 == 0 ? start_.text() : std::string();
      for (std::size_t edits = 1 + below(draws, 4); edits > 0; --edits) {
        const std::size_t at = below(draws, text.size() + 1);
        const char c = kAlphabet[below(draws, kAlphabet.size())];
        if (at < text.size() && below(draws, 2) == 0) {
          text[at] = c;
        } else {
          text.insert(at, 1, c);
        }
      }
      const std::string quoted = "\"" + text + "\"";
      if (const Result<G> state = read_state(start_, text)) {
        const Result<G> again = read_state(start_, state->text());
        if (!again || again->key() != state->key()) {
          contradict("from_text: accepts " + quoted + ", but not the text of the state it gives");
        }
        if (state->turn() != Turn::kOver) edges_of(*state);
      } else if (state.error().reason().empty()) {
        contradict("from_text: refuses " + quoted + " without a reason");
      }
      if (const Result<Action> action = start_.action_from_text(text)) {
        if (std::find(at_start.begin(), at_start.end(), *action) == at_start.end()) {
          contradict("action_from_text: reads " + quoted + " as an action that is not legal");
        }
      } else if (action.error().reason().empty()) {
        contradict("action_from_text: refuses " + quoted + " without a reason");
      }
    }
  }

  const G start_;
  const GameCheck check_;
  GameCoverage& seen_;
  struct SeenState {
    std::size_t hash;  // of the state's text
    std::string text;  // its first 80 characters
  };
  std::unordered_map<std::size_t, std::uint64_t> key_of_;  // by hash of the text
  std::unordered_map<std::uint64_t, SeenState> text_of_;   // by key
};

}  // namespace check_game_detail

/// Plays `check.games` random games from `start` (all actions and chance outcomes equally likely)
/// and checks each state. Succeeds when no violation of the contract in senet/game.hpp was found.
/// Otherwise returns the first violation as a sentence that begins with the function and ends with
/// the position: "legal: not ascending: 3 follows 5 (in 3/1X1/O2, game 0, ply 2)". A std::exception
/// from the game becomes such an error too, but std::bad_alloc propagates. Fills `seen` unless it
/// is null. Memory grows with the number of plies, by less than 200 bytes each.
template <Game G>
Result<void> check_game(const GameCheck& check = {}, const G& start = G{},
                        GameCoverage* seen = nullptr) {
  GameCoverage own;
  return check_game_detail::Checker<G>(start, check, seen != nullptr ? *seen : own).run();
}

}  // namespace senet
