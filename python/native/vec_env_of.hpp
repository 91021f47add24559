// The part of a vector environment that is compiled for each game.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "games/any_game.hpp"
#include "games/random.hpp"
#include "games/random_moves.hpp"
#include "python/native/vec_env.hpp"
#include "selfplay/starts.hpp"
#include "senet/game.hpp"

namespace senet {

/// Four features as numbers, for each set of them: bit i is feature i.
inline constexpr std::size_t kGroupSize = 4;
using FeatureGroup = std::array<float, kGroupSize>;
inline constexpr auto kFeatureGroups = [] {
  std::array<FeatureGroup, 1 << kGroupSize> groups{};
  for (std::size_t set = 0; set < groups.size(); ++set) {
    for (std::size_t i = 0; i < kGroupSize; ++i) groups[set][i] = static_cast<float>(set >> i & 1);
  }
  return groups;
}();

/// Writes a set of features as 0 and 1, [features].
inline void write_bits(std::span<const std::uint64_t> words, std::size_t features, float* to) {
  std::size_t i = 0;
  for (; i + kGroupSize <= features; i += kGroupSize) {
    std::memcpy(to + i, &kFeatureGroups[words[i / 64] >> i % 64 & (kFeatureGroups.size() - 1)],
                sizeof(FeatureGroup));
  }
  for (; i < features; ++i) to[i] = static_cast<float>(words[i / 64] >> i % 64 & 1);
}

/// The same for a constant number of features. Time goes into storing, so almost all stores are
/// whole and aligned.
template <std::size_t kFeatures>
void write_bits(const FeatureBits<kFeatures>& bits, float* to) {
  const auto bits_from = [](const auto& words, std::size_t first) {
    const std::size_t word = first / 64, shift = first % 64;
    const std::uint64_t next = word + 1 < words.size() ? words[word + 1] : 0;
    return words[word] >> shift | next << 1 << (63 - shift);
  };
  const auto write = [&bits_from](const auto& words, std::size_t first, float* at) {
    std::memcpy(at, &kFeatureGroups[bits_from(words, first) % kFeatureGroups.size()],
                sizeof(FeatureGroup));
  };
  if constexpr (kFeatures < 2 * kGroupSize) {
    write_bits(std::span(bits), kFeatures, to);
  } else {
    // The features before the first aligned group, and those after the last.
    const std::size_t lead =
        (0 - reinterpret_cast<std::uintptr_t>(to) / sizeof(float)) % kGroupSize;
    write(bits, 0, to);
    write(bits, kFeatures - 2 * kGroupSize, to + kFeatures - 2 * kGroupSize);
    write(bits, kFeatures - kGroupSize, to + kFeatures - kGroupSize);
    FeatureBits<kFeatures> rest;
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = bits_from(bits, 64 * i + lead);
    float* const aligned = std::assume_aligned<sizeof(FeatureGroup)>(to + lead);
#pragma GCC unroll 128
    for (std::size_t i = 0; i + 1 < kFeatures / kGroupSize; ++i) {
      write(rest, i * kGroupSize, aligned + i * kGroupSize);
    }
  }
}

/// A batch of games of one type.
///
/// A row of write_states(), in the machine's byte order:
///
///   0          8      12     16
///   +----------+------+------+-------+
///   | checksum | game | ply  | state |
///   +----------+------+------+-------+
template <Game G>
class VecEnv final : public AnyVecEnv {
 public:
  static EnvShape shape_of(const AnyGame& game, std::size_t count);

  /// Throws std::invalid_argument if games cannot start as the options say.
  VecEnv(const AnyGame& game, const EnvOptions& options)
      : AnyVecEnv(game, shape_of(game, options.count), options),
        start_(start_as<G>(game)),
        starts_(starts_of(options.starts, start_)),
        states_(options.count, start_) {
    start_all();
  }

  AnyState state(std::size_t row) const override { return AnyState(game_, states_[row]); }
  std::size_t state_bytes() const override { return kHeader + sizeof(G); }
  void write_states(std::byte* to) const override;

 protected:
  void start(const Part& part) override;
  void play(const Part& part) override;
  void describe(const Part& part) override;
  Result<void> read_texts(std::span<const std::string> texts) override;
  Result<void> read_rows(const std::byte* from) override;

 private:
  static constexpr std::size_t kHeader = 16, kSum = sizeof(std::uint64_t);

  /// Whether dense rows are written from a set of features.
  static constexpr bool kIsBinary = BinaryFeaturesGame<G> && FixedOutcomesGame<G>;

  /// The arrays' memory, and their widths: constants if the type determines them.
  struct Rows {
    float* dense;
    std::uint16_t* indices;
    float* values;
    std::int32_t* counts;
    bool* mask;
    std::uint16_t* legal;
    std::int32_t* legal_count;
    std::size_t columns, most_legal, most_active, features;
    bool columns_are_actions, is_sparse, has_bits;
  };
  Rows rows() const;

  std::uint64_t game_number(std::size_t row) const {
    return std::uint64_t{row} << 32 | games_[row];
  }
  void begin(std::size_t row);
  void roll(std::size_t row);
  void finish(std::size_t row, Player mover);
  void write(const Rows& rows, std::size_t row, float* values);
  static void write_legal(const Rows& rows, std::size_t row, const G& state);
  static void write_sparse(const Rows& rows, std::size_t row, const G& state);
  static void write_dense(const Rows& rows, std::size_t row, const G& state, float* values);
  std::uint64_t checksum(const std::byte* row) const;

  static Starts<G> starts_of(const StartSettings& settings, const G& start) {
    if (settings.sources == StartSettings().sources) return Starts<G>(start);
    auto starts = Starts<G>::make(settings, start);
    if (!starts) throw std::invalid_argument(starts.error().reason());
    return std::move(*starts);
  }

  const G start_;
  const Starts<G> starts_;
  std::vector<G> states_;  // [n]
};

// -- Implementation.

template <Game G>
EnvShape VecEnv<G>::shape_of(const AnyGame& game, std::size_t count) {
  bool columns_are_actions = G::kLogitsPerAction == 1 && !kEncodesAnImage<G>;
  const G start = start_as<G>(game);
  for (std::size_t action = 0; columns_are_actions && action < game.policy_logits; ++action) {
    columns_are_actions = start.logits_of(static_cast<Action>(action))[0] == action;
  }
  return {.count = count,
          .features = game.features,
          .most_active = game.most_active,
          .most_legal = game.most_legal,
          .columns_are_actions = columns_are_actions,
          .columns = columns_are_actions ? game.policy_logits : game.most_legal};
}

/// Rolls until a player is to move or the game has ended.
template <Game G>
void VecEnv<G>::roll(std::size_t row) {
  G& state = states_[row];
  while (state.turn() == Turn::kChance) {
    Random random(options_.seed, game_number(row), plies_[row]++, Purpose::kChance);
    state.play(draw_roll(state, random));
  }
}

template <Game G>
void VecEnv<G>::begin(std::size_t row) {
  constexpr int kMostTries = 1000;
  for (int i = 0; i < kMostTries; ++i, ++games_[row]) {
    states_[row] =
        starts_.draw(start_draws(options_.seed, game_number(row)), options_.starts.scramble_moves);
    plies_[row] = 0;
    roll(row);
    if (states_[row].turn() != Turn::kOver) return;
  }
  throw std::runtime_error(std::string(game_.name) + " ends before its first move");
}

template <Game G>
void VecEnv<G>::finish(std::size_t row, Player mover) {
  EnvArrays& arrays = *arrays_;
  arrays.reward[row] =
      player_count(start_) == 1 ? -move_cost(start_) : final_value(states_[row], mover);
  arrays.done[row] = true;
  arrays.outcome[row] = static_cast<std::int8_t>(states_[row].outcome());
  ++games_[row];
  begin(row);
}

template <Game G>
typename VecEnv<G>::Rows VecEnv<G>::rows() const {
  const EnvArrays& arrays = *arrays_;
  return {.dense = arrays.dense.data(),
          .indices = arrays.indices.data(),
          .values = arrays.values.data(),
          .counts = arrays.counts.data(),
          .mask = arrays.mask.data(),
          .legal = arrays.legal.data(),
          .legal_count = arrays.legal_count.data(),
          .columns = shape_.columns,
          .most_legal = shape_.most_legal,
          .most_active = shape_.most_active,
          .features = shape_.features,
          .columns_are_actions = shape_.columns_are_actions,
          .is_sparse = options_.is_sparse,
          .has_bits = has_feature_bits(start_)};
}

template <Game G>
void VecEnv<G>::start(const Part& part) {
  const Rows to = rows();
  for (std::size_t row = part.begin; row < part.end; ++row) {
    begin(row);
    write(to, row, part.values);
  }
}

template <Game G>
void VecEnv<G>::describe(const Part& part) {
  const Rows to = rows();
  for (std::size_t row = part.begin; row < part.end; ++row) {
    roll(row);
    if (states_[row].turn() == Turn::kOver) {
      ++games_[row];
      begin(row);
    }
    write(to, row, part.values);
  }
}

template <Game G>
void VecEnv<G>::play(const Part& part) {
  EnvArrays& arrays = *arrays_;
  const Rows to = rows();
  const Action* const taken = taken_.data();
  float* const reward = arrays.reward.data();
  const float reward_of_move = 0 - move_cost(start_);  // not -0
  bool* const done = arrays.done.data();
  std::int8_t* const outcome = arrays.outcome.data();
  for (std::size_t row = part.begin; row < part.end; ++row) {
    G& state = states_[row];
    state.play(taken[row]);
    ++plies_[row];
    if constexpr (StochasticGame<G>) roll(row);
    if (state.turn() == Turn::kOver) [[unlikely]] {
      finish(row, static_cast<Player>(arrays.player[row]));
    } else {
      reward[row] = reward_of_move;
      done[row] = false;
      outcome[row] = -1;
    }
    write(to, row, part.values);
  }
}

template <Game G>
void VecEnv<G>::write(const Rows& to, std::size_t row, float* values) {
  const G& state = states_[row];
  arrays_->player[row] = static_cast<std::int8_t>(state.viewer());
  write_legal(to, row, state);
  to.is_sparse ? write_sparse(to, row, state) : write_dense(to, row, state, values);
}

/// Changes only the columns and entries in which the row differs from what it was.
template <Game G>
void VecEnv<G>::write_legal(const Rows& to, std::size_t row, const G& state) {
  ActionList<G::kMaxLegal> actions;
  state.legal(actions);
  const std::size_t count = actions.size();
  const auto before = static_cast<std::size_t>(to.legal_count[row]);
  to.legal_count[row] = static_cast<std::int32_t>(count);
  std::uint16_t* const legal = &to.legal[row * to.most_legal];
  bool* const mask = &to.mask[row * to.columns];
  if (to.columns_are_actions) {
    constexpr std::size_t kFew = 64;
    if constexpr (FixedOutcomesGame<G> && G::kPolicyLogits <= kFew) {
      std::fill_n(mask, G::kPolicyLogits, false);
    } else {
      for (std::size_t i = 0; i < before; ++i) mask[legal[i]] = false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      legal[i] = actions[i];
      if (actions[i] < to.columns) mask[actions[i]] = true;
    }
  } else {
    std::copy(actions.begin(), actions.end(), legal);
    for (std::size_t i = count; i < before; ++i) mask[i] = false;
    for (std::size_t i = before; i < count; ++i) mask[i] = true;
  }
  for (std::size_t i = count; i < before; ++i) legal[i] = EnvArrays::kNoAction;
}

template <Game G>
void VecEnv<G>::write_sparse(const Rows& to, std::size_t row, const G& state) {
  const std::size_t room = to.most_active;
  std::uint16_t* const indices = &to.indices[row * room];
  float* const values = &to.values[row * room];
  FeatureRow features(indices, values, room);
  state.encode(features);
  const std::size_t count = features.count();
  // FeatureRow may have written one entry more than it counts.
  const std::size_t end = std::max(static_cast<std::size_t>(to.counts[row]), count + 1);
  for (std::size_t i = count; i < std::min(end, room); ++i) {
    indices[i] = static_cast<std::uint16_t>(to.features);
    values[i] = 0;
  }
  to.counts[row] = static_cast<std::int32_t>(count);
}

/// Writes the whole row of a set of features. Otherwise clears only the former features. `values`
/// has room for the values of one row.
template <Game G>
void VecEnv<G>::write_dense(const Rows& to, std::size_t row, const G& state,
                            [[maybe_unused]] float* values) {
  if constexpr (kIsBinary) {
    float* const dense = &to.dense[row * G::kFeatures];
    write_bits<G::kFeatures>(state.feature_bits(), dense);
  } else {
    if constexpr (BinaryFeaturesGame<G>) {
      if (to.has_bits) {
        std::array<std::uint64_t, FeatureBits<G::kFeatures>().size()> words;
        const std::span used = std::span(words).first((to.features + 63) / 64);
        std::ranges::fill(used, 0);
        state.feature_bits(used);
        return write_bits(used, to.features, &to.dense[row * to.features]);
      }
    }
    float* const dense = &to.dense[row * to.features];
    std::uint16_t* const indices = &to.indices[row * to.most_active];
    const auto before = static_cast<std::size_t>(to.counts[row]);
    for (std::size_t i = 0; i < before; ++i) dense[indices[i]] = 0;
    FeatureRow features(indices, values, to.most_active);
    state.encode(features);
    const std::size_t count = features.count();
    for (std::size_t i = 0; i < count; ++i) dense[indices[i]] = values[i];
    to.counts[row] = static_cast<std::int32_t>(count);
  }
}

template <Game G>
Result<void> VecEnv<G>::read_texts(std::span<const std::string> texts) {
  if (texts.size() != shape_.count) {
    return fail(std::to_string(texts.size()) + " texts for " + std::to_string(shape_.count) +
                " games");
  }
  std::vector<G> read;
  read.reserve(texts.size());
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const Result<G> state = read_state(start_, texts[row]);
    const auto refuse = [row](const std::string& reason) {
      return fail("text " + std::to_string(row) + ": " + reason);
    };
    if (!state) return refuse(state.error().reason());
    if (state->turn() == Turn::kOver) {
      return refuse("the game has ended in \"" + texts[row] + "\"");
    }
    read.push_back(*state);
  }
  states_.swap(read);
  return {};
}

/// Of the whole row except the checksum. States that may contain pointers get another checksum in
/// every process.
template <Game G>
std::uint64_t VecEnv<G>::checksum(const std::byte* row) const {
  std::uint64_t sum = sizeof(G);
  for (const char letter : game_.name) sum = mix(sum ^ static_cast<unsigned char>(letter));
  if constexpr (!FixedOutcomesGame<G>) {
    static const std::uint64_t kProcess = std::random_device()();
    sum = mix(sum ^ kProcess) ^ reinterpret_cast<std::uintptr_t>(&game_);
  }
  for (std::size_t at = kSum; at < state_bytes(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, row + at, std::min(sizeof word, state_bytes() - at));
    sum = mix(sum ^ word);
  }
  return sum;
}

template <Game G>
void VecEnv<G>::write_states(std::byte* to) const {
  for (std::size_t row = 0; row < shape_.count; ++row, to += state_bytes()) {
    std::memcpy(to + kSum, &games_[row], sizeof games_[row]);
    std::memcpy(to + kSum + sizeof games_[row], &plies_[row], sizeof plies_[row]);
    std::memcpy(to + kHeader, &states_[row], sizeof(G));
    const std::uint64_t sum = checksum(to);
    std::memcpy(to, &sum, kSum);
  }
}

template <Game G>
Result<void> VecEnv<G>::read_rows(const std::byte* from) {
  for (std::size_t row = 0; row < shape_.count; ++row) {
    const std::byte* const bytes = from + row * state_bytes();
    std::uint64_t sum;
    std::memcpy(&sum, bytes, kSum);
    if (sum != checksum(bytes)) {
      return fail("row " + std::to_string(row) + " is not one that states() made for " +
                  std::string(game_.name));
    }
  }
  for (std::size_t row = 0; row < shape_.count; ++row, from += state_bytes()) {
    std::memcpy(&games_[row], from + kSum, sizeof games_[row]);
    std::memcpy(&plies_[row], from + kSum + sizeof games_[row], sizeof plies_[row]);
    std::memcpy(&states_[row], from + kHeader, sizeof(G));
  }
  return {};
}

}  // namespace senet
