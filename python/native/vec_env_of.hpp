// The part of a vector environment that is compiled for each game.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "games/any_game.hpp"
#include "games/random.hpp"
#include "games/random_moves.hpp"
#include "python/native/vec_env.hpp"
#include "senet/game.hpp"

namespace senet {

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
  VecEnv(const AnyGame& game, const EnvOptions& options)
      : AnyVecEnv(game, shape_of(game, options.count), options),
        start_(start_as<G>(game)),
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

  static EnvShape shape_of(const AnyGame& game, std::size_t count);
  void begin(std::size_t row);
  void roll(std::size_t row);
  void finish(std::size_t row, Player mover);
  void write(std::size_t row, float* values);
  void write_legal(std::size_t row, const G& state);
  void write_features(std::size_t row, const G& state, float* values);
  std::uint64_t checksum(const std::byte* row) const;

  const G start_;
  std::vector<G> states_;  // [n]
};

// -- Implementation.

template <Game G>
EnvShape VecEnv<G>::shape_of(const AnyGame& game, std::size_t count) {
  bool columns_are_actions = G::kLogitsPerAction == 1;
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
    const std::uint64_t game = std::uint64_t{row} << 32 | games_[row];
    Random random(options_.seed, game, plies_[row]++, Purpose::kChance);
    state.play(draw_roll(state, random));
  }
}

template <Game G>
void VecEnv<G>::begin(std::size_t row) {
  constexpr int kMostTries = 1000;
  for (int i = 0; i < kMostTries; ++i, ++games_[row]) {
    states_[row] = start_;
    plies_[row] = 0;
    roll(row);
    if (states_[row].turn() != Turn::kOver) return;
  }
  throw std::runtime_error(std::string(game_.name) + " ends before its first move");
}

template <Game G>
void VecEnv<G>::finish(std::size_t row, Player mover) {
  EnvArrays& arrays = *arrays_;
  arrays.reward[row] = final_value(states_[row], mover);
  arrays.done[row] = true;
  arrays.outcome[row] = static_cast<std::int8_t>(states_[row].outcome());
  ++games_[row];
  begin(row);
}

template <Game G>
void VecEnv<G>::start(const Part& part) {
  for (std::size_t row = part.begin; row < part.end; ++row) {
    begin(row);
    write(row, part.values);
  }
}

template <Game G>
void VecEnv<G>::describe(const Part& part) {
  for (std::size_t row = part.begin; row < part.end; ++row) {
    roll(row);
    if (states_[row].turn() == Turn::kOver) {
      ++games_[row];
      begin(row);
    }
    write(row, part.values);
  }
}

template <Game G>
void VecEnv<G>::play(const Part& part) {
  EnvArrays& arrays = *arrays_;
  for (std::size_t row = part.begin; row < part.end; ++row) {
    G& state = states_[row];
    const std::uint16_t column = taken_[row];
    state.play(shape_.columns_are_actions ? column
                                          : arrays.legal[row * shape_.most_legal + column]);
    ++plies_[row];
    roll(row);
    if (state.turn() == Turn::kOver) {
      finish(row, static_cast<Player>(arrays.player[row]));
    } else {
      arrays.reward[row] = 0;
      arrays.done[row] = false;
      arrays.outcome[row] = -1;
    }
    write(row, part.values);
  }
}

template <Game G>
void VecEnv<G>::write(std::size_t row, float* values) {
  const G& state = states_[row];
  arrays_->player[row] = static_cast<std::int8_t>(state.viewer());
  write_legal(row, state);
  write_features(row, state, values);
}

/// Changes only the columns and entries in which the row differs from what it was.
template <Game G>
void VecEnv<G>::write_legal(std::size_t row, const G& state) {
  EnvArrays& arrays = *arrays_;
  std::uint16_t* const legal = &arrays.legal[row * shape_.most_legal];
  bool* const mask = &arrays.mask[row * shape_.columns];
  const auto before = static_cast<std::size_t>(arrays.legal_count[row]);
  ActionList<G::kMaxLegal> actions;
  state.legal(actions);
  const std::size_t count = actions.size();
  if (shape_.columns_are_actions) {
    for (std::size_t i = 0; i < before; ++i) mask[legal[i]] = false;
    for (const Action action : actions) {
      if (action < shape_.columns) mask[action] = true;
    }
  } else {
    std::fill(mask + std::min(before, count), mask + std::max(before, count), count > before);
  }
  std::copy(actions.begin(), actions.end(), legal);
  if (count < before) std::fill(legal + count, legal + before, EnvArrays::kNoAction);
  arrays.legal_count[row] = static_cast<std::int32_t>(count);
}

/// Of a dense row, clears only the former features. `values` has room for the values of one row.
template <Game G>
void VecEnv<G>::write_features(std::size_t row, const G& state, float* values) {
  EnvArrays& arrays = *arrays_;
  const std::size_t room = shape_.most_active;
  std::uint16_t* const indices = &arrays.indices[row * room];
  const auto before = static_cast<std::size_t>(arrays.counts[row]);
  if (options_.is_sparse) {
    values = &arrays.values[row * room];
    FeatureRow features(indices, values, room);
    state.encode(features);
    const std::size_t count = features.count();
    // FeatureRow may have written one entry more than it counts.
    const std::size_t end = std::max(before, std::min(count + 1, room));
    std::fill(indices + count, indices + end, static_cast<std::uint16_t>(shape_.features));
    std::fill(values + count, values + end, 0.0f);
    arrays.counts[row] = static_cast<std::int32_t>(count);
    return;
  }
  float* const dense = &arrays.dense[row * shape_.features];
  for (std::size_t i = 0; i < before; ++i) dense[indices[i]] = 0;
  FeatureRow features(indices, values, room);
  state.encode(features);
  const std::size_t count = features.count();
  for (std::size_t i = 0; i < count; ++i) dense[indices[i]] = values[i];
  arrays.counts[row] = static_cast<std::int32_t>(count);
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
