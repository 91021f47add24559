// Helpers of the trust tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/backgammon/kit/exam.hpp"
#include "tests/repository.hpp"
#include "tools/referee/games/backgammon/gnubg.hpp"

namespace senet {

class GnubgTrust : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_gnubg()) {
      GTEST_SKIP() << "GNU BACKGAMMON IS NOT INSTALLED: backgammon was not compared with any "
                      "independently written program";
    }
  }
};

inline Gnubg started(const GnubgSettings& settings) {
  Result<Gnubg> gnubg = Gnubg::start(settings);
  if (!gnubg) throw std::runtime_error(gnubg.error().reason());
  return std::move(*gnubg);
}

/// A player with this number of gnubg processes.
inline Result<std::unique_ptr<ProcessPlayer>> gnubg_player(const GnubgSettings& settings = {},
                                                           std::size_t processes = 1,
                                                           MoveProcess::IsStopped is_stopped = {}) {
  return ProcessPlayer::start(MoveProcess::starter<Gnubg>(settings), processes,
                              std::move(is_stopped));
}

/// The result's value; throws its reason, which fails the test.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().reason());
  return std::move(*result);
}

/// The shipped labels.
inline std::vector<backgammon::Label> labels() {
  return value_of(backgammon::read_labels(repository_path("tests/data/backgammon/labels_A.jsonl")));
}

/// A state in the form that match players receive.
inline AnyState any_state(const Backgammon& state) {
  return AnyState(game_table<AnyGame, Backgammon>(), state);
}

inline std::vector<Action> legal_actions(const Backgammon& state) {
  ActionList<Backgammon::kMaxLegal> actions;
  state.legal(actions);
  return {actions.begin(), actions.end()};
}

}  // namespace senet
