// Pig, solved: the best decision in every position, and the exact value of any other policy.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <memory>

namespace senet::pig {

inline constexpr int kGoal = 100;

/// Which positions hold: [own score][other's score][total of the turn]. A turn begins with a throw,
/// and a score and total of at least kGoal have won, so 0 < total < kGoal - own score.
struct Policy {
  std::array<std::array<std::bitset<kGoal>, kGoal>, kGoal> holds;
};

/// The probability that a player wins who begins a turn: [own score][other's score].
using Chances = std::array<std::array<double, kGoal>, kGoal>;

/// The chance of winning at the beginning of a turn, if it is `passed` after a throw of 1 and
/// banked(total) after holding: decide(total, thrown, banked) chooses between throwing and holding.
template <class Banked, class Decide>
double turn_value(int own, double passed, Banked banked, Decide decide) {
  std::array<double, kGoal + 6> value;
  const int goal = kGoal - own;
  std::fill(value.begin() + goal, value.begin() + goal + 6, 1.0);
  double thrown = 0;
  for (int total = goal - 1; total >= 0; --total) {
    thrown = passed;
    for (int die = 2; die <= 6; ++die) thrown += value[total + die];
    thrown /= 6;
    value[total] = total == 0 ? thrown : decide(total, thrown, banked(total));
  }
  return thrown;
}

/// Both players play optimally: their chances, and the policy if `best` is not null. The chances of
/// two scores and of the swapped scores depend on each other, and on higher scores.
inline std::unique_ptr<Chances> solve(Policy* best) {
  auto chances = std::make_unique<Chances>();
  for (int sum = 2 * (kGoal - 1); sum >= 0; --sum) {
    for (int low = std::max(0, sum - kGoal + 1); 2 * low <= sum; ++low) {
      const int high = sum - low;
      const auto improve = [&](int own, int other) {
        double& chance = (*chances)[own][other];
        const double before = chance;
        chance = turn_value(
            own, 1 - (*chances)[other][own],
            [&](int total) { return 1 - (*chances)[other][own + total]; },
            [&](int total, double thrown, double held) {
              if (best != nullptr) best->holds[own][other][total] = held >= thrown;
              return std::max(held, thrown);
            });
        return std::abs(chance - before);
      };
      (*chances)[low][high] = (*chances)[high][low] = 0.5;
      while (improve(low, high) + improve(high, low) > 1e-13) continue;
    }
  }
  return chances;
}

/// The chance that `first` wins against `second` when it begins. Exact: at two scores, each
/// player's chance is a linear function of the chance after a throw of 1.
inline double chance_of(const Policy& first, const Policy& second) {
  // Of `first`: [its score][the other's score], when it begins a turn, and when `second` does.
  auto own_turn = std::make_unique<Chances>(), other_turn = std::make_unique<Chances>();
  const auto value_of = [](const Policy& policy, int own, int other, double passed, auto banked) {
    return turn_value(own, passed, banked, [&](int total, double thrown, double held) {
      return policy.holds[own][other][total] ? held : thrown;
    });
  };
  for (int sum = 2 * (kGoal - 1); sum >= 0; --sum) {
    for (int a = std::max(0, sum - kGoal + 1); a <= std::min(sum, kGoal - 1); ++a) {
      const int b = sum - a;
      const auto of_first = [&](double passed) {
        return value_of(first, a, b, passed,
                        [&](int total) { return (*other_turn)[a + total][b]; });
      };
      const auto of_second = [&](double passed) {
        return 1 - value_of(second, b, a, 1 - passed,
                            [&](int total) { return 1 - (*own_turn)[a][b + total]; });
      };
      const double u0 = of_first(0), u1 = of_first(1) - u0;
      const double w0 = of_second(0), w1 = of_second(1) - w0;
      (*own_turn)[a][b] = (u0 + u1 * w0) / (1 - u1 * w1);
      (*other_turn)[a][b] = w0 + w1 * (*own_turn)[a][b];
    }
  }
  return (*own_turn)[0][0];
}

/// What a policy's decision loses on average against the best one, over all positions alike, in
/// chances of winning; `chances` are those of solve(). No score or total of a game is 1.
inline double mean_loss(const Policy& policy, const Chances& chances) {
  double loss = 0;
  int positions = 0;
  for (int own = 0; own < kGoal; ++own) {
    for (int other = 0; other < kGoal; ++other) {
      turn_value(
          own, 1 - chances[other][own], [&](int total) { return 1 - chances[other][own + total]; },
          [&](int total, double thrown, double held) {
            const double best = std::max(held, thrown);
            if (own != 1 && other != 1 && total != 1) {
              loss += best - (policy.holds[own][other][total] ? held : thrown);
              ++positions;
            }
            return best;
          });
    }
  }
  return loss / positions;
}

/// The share of games that `policy` wins against `other`, if each begins half of them.
inline double share_won(const Policy& policy, const Policy& other) {
  return (chance_of(policy, other) + 1 - chance_of(other, policy)) / 2;
}

}  // namespace senet::pig
