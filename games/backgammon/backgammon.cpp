#include "games/backgammon/backgammon.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cassert>

namespace senet {
using namespace backgammon;

Result<Backgammon> Backgammon::from_board(const Board& board, Player on_roll,
                                          std::optional<Dice> dice) {
  if (on_roll > 1) return fail(fmt::format("the player on roll is 0 or 1, not {}", on_roll));
  if (const Result<void> checked = check(board); !checked) return checked.error();
  Backgammon state;
  state.checkers_[on_roll] = board.on_roll;
  state.checkers_[1 - on_roll] = board.waiting;
  state.on_roll_ = on_roll;
  state.opening_ = 0;
  if (dice) {
    const std::optional<Dice> sorted = make_dice(dice->high, dice->low);
    if (!sorted) return fail(fmt::format("dice are 1..6, not {} and {}", dice->high, dice->low));
    if (state.is_over()) return fail("the game is over, so there is nothing to roll");
    state.dice_ = *sorted;
  }
  return state;
}

Result<Backgammon> Backgammon::from_position_id(std::string_view text, Player on_roll,
                                                std::optional<Dice> dice) {
  const Result<Board> board = board_from_position_id(text);
  return board ? from_board(*board, on_roll, dice) : board.error();
}

bool Backgammon::is_over() const {
  return checkers_[0][kOff] == kCheckers || checkers_[1][kOff] == kCheckers;
}

Turn Backgammon::turn() const {
  if (is_over()) return Turn::kOver;
  if (dice_.high == 0) return Turn::kChance;
  return on_roll_ == 0 ? Turn::kPlayer0 : Turn::kPlayer1;
}

std::optional<Dice> Backgammon::dice() const {
  return dice_.high == 0 ? std::nullopt : std::optional(dice_);
}

void Backgammon::play(Action action) {
  if (dice_.high == 0) {
    assert(action < (opening_ != 0 ? kOpeningRolls : kRolls));
    dice_ = dice_of(action);
    opening_ = 0;
    return;
  }
  Checkers& mine = checkers_[on_roll_];
  Checkers& opponent = checkers_[1 - on_roll_];
  const Sources sources = sources_of(action);
  // Arrivals before departures, so that no count goes below 0 when a checker moves twice.
  const auto arrive = [&](std::uint8_t source, std::uint8_t die) {
    if (source == 0) return;
    const std::size_t place = source > die ? source - die : kOff;
    ++mine[place];
    if (place != kOff && opponent[25 - place] == 1) {
      opponent[25 - place] = 0;
      ++opponent[kBar];
    }
  };
  arrive(sources[0], dice_.high);
  for (std::size_t i = 1; i < sources.size(); ++i) arrive(sources[i], dice_.low);
  for (const std::uint8_t source : sources) {
    if (source != 0) --mine[source];
  }
  on_roll_ = other(on_roll_);
  dice_ = {};
}

std::uint8_t Backgammon::outcome() const {
  const Player winner = checkers_[0][kOff] == kCheckers ? 0 : 1;
  const Checkers& loser = checkers_[1 - winner];
  const bool far_back = std::any_of(loser.begin() + 19, loser.end(), [](auto n) { return n > 0; });
  const int points = loser[kOff] > 0 ? 0 : far_back ? 2 : 1;  // in addition to the single game
  return static_cast<std::uint8_t>(winner == 0 ? points : 3 + points);
}

std::size_t Backgammon::chance(std::span<float> probabilities) const {
  if (opening_ != 0) {
    std::fill_n(probabilities.begin(), kOpeningRolls, 1.0f / kOpeningRolls);
    return kOpeningRolls;
  }
  std::fill_n(probabilities.begin(), kOpeningRolls, 2.0f / 36);
  std::fill_n(probabilities.begin() + kOpeningRolls, 6, 1.0f / 36);
  return kRolls;
}

std::uint64_t Backgammon::key() const {
  const auto words = std::bit_cast<std::array<std::uint64_t, sizeof(Backgammon) / 8>>(*this);
  // The words are hashed independently and summed, so that the CPU can overlap the computations.
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    sum += mix(words[i] ^ (i + 1) * 0xd6e8feb86659fd93u);
  }
  return mix(sum);
}

}  // namespace senet
