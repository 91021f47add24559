// Every single allocation fails in turn: calls and searches return SENET_NO_MEMORY, and later ones
// work.
#include <gtest/gtest.h>
#include <senet/senet.h>

#include <array>
#include <string>
#include <string_view>

#include "tests/engine/small_network.hpp"
#include "tests/failing_heap.hpp"
#include "tests/game_types.hpp"
#include "tests/temporary_folder.hpp"

namespace {

senet_text text(std::string_view words) { return {words.data(), words.size()}; }

// The file of a small network: packing a large one hundreds of times takes minutes under a
// sanitizer.
struct SmallModel {
  std::string_view game;
  std::string bytes;
};

template <class G>
SmallModel small_model() {
  const senet::TemporaryFolder folder;
  EXPECT_TRUE(senet::save_network(senet::small_network<G>(1), folder / "weights.safetensors"));
  return {G::kName, senet::text_of(folder / "weights.safetensors")};
}

bool is_fine(senet_status status) { return status == SENET_OK || status == SENET_NO_MEMORY; }

void count(void* user, senet_session*) { ++*static_cast<int*>(user); }

// A host that gives up at the first failure. True if nothing failed.
bool plays(const SmallModel& small, int* searches, int* reported) {
  const std::string_view game = small.game;
  senet_config config;
  senet_config_init(&config, sizeof config);
  config.visits = 30;
  senet_engine* engine = nullptr;
  senet_model* model = nullptr;
  senet_session* session = nullptr;
  senet_reason why{};
  bool good = true;
  const auto went_well = [&](senet_status status) {
    EXPECT_TRUE(is_fine(status)) << senet_status_name(status) << ": " << why.text;
    return good = good && status == SENET_OK;
  };
  senet_limits limits = SENET_LIMITS_INIT;
  limits.visits = 10;
  senet_result result = SENET_RESULT_INIT;
  senet_expectation expected;
  std::array<char, 256> words;
  if (went_well(senet_engine_open(&config, &engine, &why)) &&
      went_well(
          senet_model_from_memory(engine, small.bytes.data(), small.bytes.size(), &model, &why)) &&
      went_well(senet_engine_use(engine, model, &why)) &&
      went_well(senet_session_open(engine, text(game), &session, &why))) {
    for (int i = 0; i < 3 && good; ++i) {
      if (game == "backgammon" && i == 0) went_well(senet_session_play(session, 3, &why));
      if (!went_well(senet_session_search(session, &limits, count, reported, &why))) break;
      ++*searches;
      EXPECT_EQ(senet_session_wait(session, UINT64_MAX), SENET_OK);
      if (!went_well(senet_session_result(session, &result, nullptr, 0))) break;
      went_well(
          senet_session_action_text(session, result.action, words.data(), words.size(), nullptr));
      went_well(senet_session_play(session, result.action, &why));
      went_well(senet_session_evaluate(session, &expected, &why));
      if (game == "backgammon" && good) went_well(senet_session_play(session, 3, &why));
    }
  }
  senet_model_release(model);
  senet_session_close(session);
  EXPECT_EQ(senet_engine_close(engine), SENET_OK);
  return good;
}

template <class G>
class NoMemory : public testing::Test {};
using LargeGames = testing::Types<senet::ConnectFour, senet::Backgammon>;
TYPED_TEST_SUITE(NoMemory, LargeGames, senet::GameName);

TYPED_TEST(NoMemory, AtAnyMoment) {
  const SmallModel model = small_model<TypeParam>();
  int searches = 0, reported = 0, failures = 0;
  ASSERT_TRUE(plays(model, &searches, &reported));
  EXPECT_EQ(searches, 3);
  for (const long bad : {1L, 3L}) {
    for (long good = 0;; ++good) {
      senet::fail_allocations(good, bad);
      const bool played = plays(model, &searches, &reported);
      if (!senet::allow_allocations()) {
        EXPECT_TRUE(played);
        break;
      }
      failures += !played;
    }
  }
  EXPECT_EQ(reported, searches);
  EXPECT_GT(failures, 50);
}

// After a search that failed, the next one succeeds.
TEST(NoMemoryOnce, TheNextSearchGoesWell) {
  senet_config config;
  senet_config_init(&config, sizeof config);
  senet_engine* engine = nullptr;
  senet_model* model = nullptr;
  senet_session* session = nullptr;
  ASSERT_EQ(senet_engine_open(&config, &engine, nullptr), SENET_OK);
  ASSERT_EQ(senet_model_builtin(engine, text("connect_four"), &model, nullptr), SENET_OK);
  ASSERT_EQ(senet_engine_use(engine, model, nullptr), SENET_OK);
  ASSERT_EQ(senet_session_open(engine, text("connect_four"), &session, nullptr), SENET_OK);
  senet_limits limits = SENET_LIMITS_INIT;
  limits.visits = 60;
  senet_result result = SENET_RESULT_INIT;
  int failed = 0;
  for (long good = 0; good < 60; ++good) {
    // The first search on weights packs them, in many allocations.
    ASSERT_EQ(senet_engine_use(engine, model, nullptr), SENET_OK);
    senet::fail_allocations(good, 1'000'000);
    const senet_status begun = senet_session_search(session, &limits, nullptr, nullptr, nullptr);
    EXPECT_TRUE(is_fine(begun));
    EXPECT_EQ(senet_session_wait(session, UINT64_MAX), SENET_OK);
    senet::allow_allocations();
    if (begun != SENET_OK) continue;
    const senet_status ended = senet_session_result(session, &result, nullptr, 0);
    EXPECT_TRUE(is_fine(ended)) << senet_status_name(ended);
    failed += ended == SENET_NO_MEMORY;
  }
  EXPECT_GT(failed, 10);
  senet_model_release(model);
  ASSERT_EQ(senet_session_set(session, text(""), nullptr, 0, nullptr), SENET_OK);
  ASSERT_EQ(senet_session_search(session, &limits, nullptr, nullptr, nullptr), SENET_OK);
  ASSERT_EQ(senet_session_wait(session, UINT64_MAX), SENET_OK);
  ASSERT_EQ(senet_session_result(session, &result, nullptr, 0), SENET_OK);
  EXPECT_EQ(result.visits, 60u);
  EXPECT_EQ(senet_engine_close(engine), SENET_OK);
}

// Of the network that is linked in too.
TEST(NoMemoryOnce, ABuiltinNetworkIsReleasedOrGivenWhole) {
  senet_config config;
  senet_config_init(&config, sizeof config);
  senet_engine* engine = nullptr;
  ASSERT_EQ(senet_engine_open(&config, &engine, nullptr), SENET_OK);
  long good = 0;
  for (bool failed = true; failed; ++good) {
    senet_model* model = nullptr;
    senet::fail_allocations(good, 1);
    const senet_status status = senet_model_builtin(engine, text("connect_four"), &model, nullptr);
    failed = senet::allow_allocations();
    EXPECT_TRUE(is_fine(status));
    EXPECT_EQ(model != nullptr, status == SENET_OK);
    senet_model_release(model);
  }
  EXPECT_GT(good, 3);
  EXPECT_EQ(senet_engine_close(engine), SENET_OK);
}

}  // namespace
