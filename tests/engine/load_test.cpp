// A thousand sessions, half of them of hosts' own games, used by four host threads that open,
// search, stop, wait and close at random, while weights are exchanged a hundred times. Every search
// calls back exactly once, none fails, all results are plausible, the memory bound holds.
// SENET_LOAD_SECONDS=60 makes it run for at least 60 seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "games/backgammon/backgammon.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/random.hpp"
#include "senet/senet.hpp"
#include "tests/engine/own_games.hpp"

namespace senet {
namespace {

/// False under sanitizers, which take memory themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kResidentIsOurs = false;
#else
constexpr bool kResidentIsOurs = true;
#endif

/// Peak resident bytes of this program, including code and mapped files.
std::size_t resident_peak() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    std::size_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

constexpr std::uint32_t kSessions = 1000, kHosts = 4, kSteps = 8000, kExchanges = 100;
constexpr std::uint32_t kVisits = 40;
struct LoadedGame {
  std::string_view name;
  std::span<const float> values;  // of its ways to end
  float range;
};
template <class G>
constexpr LoadedGame loaded() {
  return {G::kName, G::kOutcomeValues, G::kValueRange};
}
// Two built-in games, without and with dice, and two hosts' games with dice.
constexpr std::array<LoadedGame, 4> kGames = {loaded<ConnectFour>(), loaded<Backgammon>(),
                                              loaded<Race>(), loaded<Own<Backgammon>>()};

struct Counts {
  std::atomic<std::uint64_t> begun{0}, reported{0}, read{0}, dropped{0}, refused{0};
};

void count(void* user, senet_session*) { ++static_cast<Counts*>(user)->reported; }

// Several weights of each game, published in turn.
class NamedModels {
 public:
  explicit NamedModels(api::Engine& engine) : engine_(engine) {
    for (std::size_t game = 0; game < kGames.size(); ++game) {
      for (std::uint64_t seed = 0; seed < kModels; ++seed) {
        models_[game].push_back(engine.untrained(kGames[game].name, seed));
      }
    }
    exchange();
  }
  void exchange() {
    const std::uint32_t next = ++exchanges_;
    for (const auto& models : models_) engine_.use(models[next % kModels]);
  }
  /// Whether these weights have been published; notes that a search used them.
  bool answered(std::size_t game, std::uint64_t id) {
    for (std::uint32_t i = 1; i <= std::min<std::uint32_t>(exchanges_, kModels); ++i) {
      if (models_[game][i % kModels].id() != id) continue;
      answered_[game] |= 1u << i;
      return true;
    }
    return false;
  }
  /// How many weights of the game searches have used.
  int answered(std::size_t game) const { return std::popcount(answered_[game].load()); }

 private:
  static constexpr std::uint32_t kModels = 12;
  api::Engine& engine_;
  std::array<std::vector<api::Model>, kGames.size()> models_;
  std::atomic<std::uint32_t> exchanges_{0};
  std::array<std::atomic<std::uint32_t>, kGames.size()> answered_{};  // a bit for each model
};

// A session with its host's last requests.
struct OpenGame {
  std::size_t number;  // of kGames
  api::Session session;
  bool searched = false;  // has an unread result, or a running search
  api::Limits limits{};
  bool stopped = false;
};

void expect_reason_to_end(const api::Found& found, const OpenGame& game) {
  switch (found.ending) {
    case SENET_BY_VISITS:
      EXPECT_GE(found.visits, game.limits.visits);
      break;
    case SENET_BY_TIME:
      EXPECT_GT(game.limits.time.count(), 0);
      break;
    case SENET_BY_STOP:
      EXPECT_TRUE(game.stopped);
      break;
    case SENET_BY_PROOF:
      EXPECT_EQ(found.value, std::round(found.value));
      break;
    default:
      EXPECT_EQ(found.ending, SENET_BY_FULL_TREE);
      EXPECT_LT(found.visits, game.limits.visits);
  }
}

void expect_sense(const api::Found& found, const OpenGame& game, NamedModels& weights) {
  expect_reason_to_end(found, game);
  EXPECT_GE(found.visits, 1u);
  EXPECT_LE(found.visits, kVisits);
  EXPECT_TRUE(weights.answered(game.number, found.model)) << found.model;

  std::vector<senet_action> actions;
  std::uint32_t visits = 0;
  double prior = 0;
  for (const senet_choice& choice : found.choices) {
    actions.push_back(choice.action);
    visits += choice.visits;
    prior += static_cast<double>(choice.prior);
    EXPECT_LE(std::abs(choice.value), kGames[game.number].range);
  }
  ASSERT_FALSE(actions.empty());
  EXPECT_EQ(found.action, actions.front());
  std::ranges::sort(actions);
  EXPECT_EQ(actions, game.session.legal());
  EXPECT_LT(visits, found.visits + 1);
  EXPECT_NEAR(prior, 1.0, 1e-3);
  double share = 0, value = 0;
  const auto [name, points, range] = kGames[game.number];
  ASSERT_EQ(found.outcomes.size(), points.size());
  for (std::size_t i = 0; i < found.outcomes.size(); ++i) {
    share += static_cast<double>(found.outcomes[i]);
    value += static_cast<double>(points[i] * found.outcomes[i]);
  }
  EXPECT_NEAR(share, 1.0, 1e-3);
  EXPECT_NEAR(value, static_cast<double>(found.value), 5e-3 * static_cast<double>(range));
}

// One host's share of the sessions.
class GameHost {
 public:
  GameHost(api::Engine& engine, NamedModels& weights, Counts& counts, std::uint64_t number)
      : engine_(engine), weights_(weights), counts_(counts), number_(number) {
    games_.reserve(kSessions / kHosts);
    while (games_.size() < kSessions / kHosts) open();
  }

  void step(std::uint32_t step) {
    Random draw(9, number_, step, Purpose::kTest);
    OpenGame& game = games_[draw.below(static_cast<std::uint32_t>(games_.size()))];
    switch (draw.below(8)) {
      case 0:  // replaces the session, even during a search
        if (game.searched) ++counts_.dropped;
        game = std::move(games_.back());
        games_.pop_back();
        open();
        break;
      case 1:
        game.stopped = true;
        game.session.stop();
        break;
      case 2:
        game.session.wait(std::chrono::microseconds(draw.below(200)));
        break;
      case 3:
        look(game);
        break;
      default:
        search(game, draw);
    }
  }
  void end() {
    for (OpenGame& game : games_) {
      game.session.wait();
      look(game);
      EXPECT_FALSE(game.searched);
    }
  }

 private:
  void open() {
    const std::size_t number = opened_++ % kGames.size();
    games_.push_back({number, engine_.open_session(kGames[number].name)});
  }
  void search(OpenGame& game, Random& draw) {
    look(game);
    const api::Limits limits{.visits = 1 + draw.below(kVisits),
                             .time = std::chrono::microseconds(draw.below(3) == 0 ? 500 : 0),
                             .noise = draw.below(2) == 0,
                             .priority = static_cast<int>(draw.below(3)) - 1};
    const auto begun = game.session.try_begin_search(limits, count, &counts_);
    if (begun) {
      ++counts_.begun;
      if (game.searched) ++counts_.dropped;  // it has just ended
      game.searched = true;
      game.limits = limits;
      game.stopped = false;
      return;
    }
    ++counts_.refused;
    if (begun.error().status() == SENET_BUSY) {
      EXPECT_TRUE(game.searched);
      return;
    }
    ASSERT_EQ(begun.error().status(), SENET_BAD_STATE) << begun.error().reason();
    if (game.session.turn() == SENET_CHANCE) {
      const auto outcomes = static_cast<std::uint32_t>(game.session.chance().size());
      game.session.play(static_cast<senet_action>(draw.below(outcomes)));
    } else {
      game.session.set("");
    }
  }
  // Reads the result, if there is one, and plays its action.
  void look(OpenGame& game) {
    const auto found = game.session.try_result();
    if (!found) {
      ASSERT_EQ(found.error().status(), game.searched ? SENET_BUSY : SENET_BAD_STATE)
          << found.error().reason();
      return;
    }
    ASSERT_TRUE(std::exchange(game.searched, false));
    ++counts_.read;
    expect_sense(*found, game, weights_);
    game.session.play(found->action);
  }

  api::Engine& engine_;
  NamedModels& weights_;
  Counts& counts_;
  const std::uint64_t number_;
  std::size_t opened_ = 0;
  std::vector<OpenGame> games_;
};

TEST(Load, AThousandSessions) {
  const char* const reported = std::getenv("SENET_LOAD_SECONDS");
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(reported ? std::atoi(reported) : 0);
  const std::size_t resident_before = resident_peak();
  std::uint64_t most_promised = 0;
  Counts counts;
  senet_config config = api::default_config();
  config.workers = 2;
  config.sessions = kSessions;
  config.memory = std::uint64_t{384} << 20;
  config.visits = kVisits;
  api::Engine engine(config);
  api::add_game<Race>(engine);
  api::add_game<Own<Backgammon>>(engine);
  NamedModels weights(engine);
  {
    std::vector<std::jthread> hosts;
    std::atomic<std::uint32_t> steps = 0;
    for (std::uint64_t number = 0; number < kHosts; ++number) {
      hosts.emplace_back([&, number] {
        GameHost host(engine, weights, counts, number);
        for (std::uint32_t i = 0; i < kSteps || std::chrono::steady_clock::now() < end; ++i) {
          host.step(i);
          ++steps;
        }
        host.end();
      });
    }
    // Exchanges weights meanwhile, evenly over the steps.
    for (std::uint32_t i = 1; i <= kExchanges || std::chrono::steady_clock::now() < end; ++i) {
      const std::uint32_t next = kHosts * kSteps / kExchanges * i;
      while (steps < next && (i <= kExchanges || std::chrono::steady_clock::now() < end)) {
        std::this_thread::yield();
      }
      weights.exchange();
      most_promised = std::max(most_promised, engine.memory());
    }
  }  // closes all sessions
  EXPECT_EQ(counts.reported, counts.begun);
  EXPECT_EQ(counts.read + counts.dropped, counts.begun);
  EXPECT_GT(counts.begun, kHosts * kSteps / 8);
  EXPECT_GT(counts.read, counts.begun / 4);
  EXPECT_GT(counts.refused, 0u);
  for (std::size_t game = 0; game < kGames.size(); ++game) EXPECT_GT(weights.answered(game), 1);
  EXPECT_LE(most_promised, config.memory);
  const std::size_t resident = resident_peak() - resident_before;
  if (kResidentIsOurs) {
    EXPECT_LE(resident, most_promised);
  }
}

}  // namespace
}  // namespace senet
