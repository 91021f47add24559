// What every program's searches get in place of a network: entries of one table of random answers.
// Reading an entry costs almost nothing, so that only the tree is measured.
#pragma once

#include <ctime>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace peers {

inline constexpr int kColumns = 7;

/// An answer to a position of Connect Four.
struct Answer {
  std::array<float, kColumns> logits;  // in [-4, 4)
  std::array<float, kColumns> priors;  // their softmax
  std::array<float, 3> outcomes;       // probabilities of win, draw and loss
};

class RandomAnswers {
 public:
  RandomAnswers() : answers_(kSize) {
    for (Answer& answer : answers_) {
      float sum = 0;
      for (int i = 0; i < kColumns; ++i) {
        answer.logits[i] = 8 * fraction() - 4;
        sum += answer.priors[i] = std::exp(answer.logits[i]);
      }
      for (float& prior : answer.priors) prior /= sum;
      sum = 0;
      for (float& outcome : answer.outcomes) sum += outcome = fraction() + 1e-3f;
      for (float& outcome : answer.outcomes) outcome /= sum;
    }
  }
  const Answer& next() { return answers_[bits() % kSize]; }

 private:
  static constexpr std::size_t kSize = 4096;

  // SplitMix64 (Steele, Lea and Flood: "Fast splittable pseudorandom number generators", 2014).
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  float fraction() { return static_cast<float>(bits() >> 40) * 0x1p-24f; }

  std::uint64_t state_ = 1;
  std::vector<Answer> answers_;
};

/// Positions as lists of columns, 0 .. 6: the first word of each line of the file.
inline std::vector<std::vector<int>> read_positions(const char* path) {
  std::ifstream file(path);
  std::vector<std::vector<int>> positions;
  for (std::string line; std::getline(file, line);) {
    std::vector<int> columns;
    for (const char c : line.substr(0, line.find(' '))) columns.push_back(c - '1');
    positions.push_back(std::move(columns));
  }
  return positions;
}

inline double thread_seconds() {
  std::timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A driver's main(): PROGRAM POSITIONS SIMULATIONS SECONDS. `search(columns, simulations)`
/// searches a position from an empty tree and returns the simulations that it made. Prints
/// simulations per second of processor time.
template <class Search>
int run(int count, char** words, Search&& search) {
  if (count != 4)
    return std::fprintf(stderr, "usage: %s POSITIONS SIMULATIONS SECONDS\n", words[0]), 2;
  const auto positions = read_positions(words[1]);
  const int simulations = std::atoi(words[2]);
  const double seconds = std::atof(words[3]);
  for (const auto& columns : positions) search(columns, simulations);  // warms up
  double made = 0;
  const double began = thread_seconds();
  double time = 0;
  while (time < seconds) {
    for (const auto& columns : positions) made += search(columns, simulations);
    time = thread_seconds() - began;
  }
  std::printf("%.0f\n", made / time);
  return 0;
}

}  // namespace peers
