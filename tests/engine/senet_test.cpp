// The C interface: correct and wrong calls, and callers with older and newer headers.
#include <gtest/gtest.h>
#include <senet/senet.hpp>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tests/engine/play_in_c.h"
#include "tests/engine/small_network.hpp"
#include "tests/repository.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

using api::text;

template <Game G>
std::string small_weights(const std::filesystem::path& file) {
  EXPECT_TRUE(save_network(small_network<G>(1), file));
  return text_of(file);
}

class SenetTest : public testing::Test {
 protected:
  void SetUp() override {
    weights_ = small_weights<ConnectFour>(file());
    senet_config_init(&config_, sizeof config_);
    ASSERT_EQ(senet_engine_open(&config_, &engine_, &why_), SENET_OK) << why_.text;
  }
  void TearDown() override { EXPECT_EQ(senet_engine_close(engine_), SENET_OK); }

  std::filesystem::path file() const { return folder_ / "weights.safetensors"; }
  void use_weights() {
    senet_model* model = nullptr;
    ASSERT_EQ(senet_model_open(engine_, text(file().native()), &model, &why_), SENET_OK)
        << why_.text;
    EXPECT_EQ(senet_model_id(model), small_network<ConnectFour>(1).id());
    const senet_text game = senet_model_game(model);
    EXPECT_EQ(std::string_view(game.data, game.size), "connect_four");
    EXPECT_EQ(senet_model_game(nullptr).size, 0u);
    EXPECT_EQ(senet_engine_use(engine_, model, &why_), SENET_OK) << why_.text;
    senet_model_release(model);
  }
  senet_session* open() {
    senet_session* session = nullptr;
    EXPECT_EQ(senet_session_open(engine_, text("connect_four"), &session, &why_), SENET_OK)
        << why_.text;
    return session;
  }

  const TemporaryFolder folder_;
  std::string weights_;
  senet_config config_;
  senet_engine* engine_ = nullptr;
  senet_reason why_{};
};

TEST_F(SenetTest, PlaysWholeGamesInC) {
  std::array<char, 4096> body{}, again{};
  const int reported =
      play_in_c(weights_.data(), weights_.size(), "connect_four", body.data(), body.size());
  ASSERT_GE(reported, 7);
  EXPECT_EQ(std::ranges::count(std::string_view(body.data()), ','), reported);
  EXPECT_EQ(play_in_c(weights_.data(), weights_.size(), "connect_four", again.data(), again.size()),
            reported);
  EXPECT_STREQ(body.data(), again.data());
  const std::string backgammon = small_weights<Backgammon>(folder_ / "other.safetensors");
  std::vector<char> long_story(100'000);
  EXPECT_GT(play_in_c(backgammon.data(), backgammon.size(), "backgammon", long_story.data(),
                      long_story.size()),
            10);
  EXPECT_EQ(
      play_in_c(backgammon.data(), backgammon.size(), "connect_four", body.data(), body.size()),
      -4);
  EXPECT_EQ(play_in_c("nothing", 7, "connect_four", body.data(), body.size()), -2);
}

TEST_F(SenetTest, TellsAboutItself) {
  EXPECT_EQ(senet_abi(), SENET_ABI);
  EXPECT_STREQ(senet_version(), SENET_VERSION);
  EXPECT_STREQ(senet_status_name(SENET_BUSY), "SENET_BUSY");
  EXPECT_STREQ(senet_status_name(static_cast<senet_status>(77)), "not a senet_status");
  std::uint32_t visits = 0;
  EXPECT_EQ(senet_config_fit(&config_, text("connect_four"), &visits, &why_), SENET_OK);
  EXPECT_GT(visits, 1000u);
  EXPECT_EQ(senet_config_fit(&config_, text("chess"), &visits, &why_), SENET_UNKNOWN_GAME);
  EXPECT_NE(std::strstr(why_.text, "connect_four"), nullptr) << why_.text;
  // Both functions agree: that many sessions of that many visits fit, and one more does not.
  std::uint32_t sessions = 0;
  senet_config fitting = config_;
  fitting.visits = visits;
  EXPECT_EQ(senet_config_fit_sessions(&fitting, text("connect_four"), &sessions, &why_), SENET_OK);
  EXPECT_GE(sessions, fitting.sessions);
  fitting.sessions = sessions + 1;
  std::uint32_t fewer = 0;
  EXPECT_EQ(senet_config_fit(&fitting, text("connect_four"), &fewer, &why_), SENET_OK);
  EXPECT_LT(fewer, visits);
  EXPECT_EQ(senet_config_fit_sessions(&fitting, text("connect_four"), nullptr, &why_),
            SENET_BAD_ARGUMENT);
  EXPECT_GT(senet_engine_memory(engine_), 0u);
  EXPECT_LE(senet_engine_memory(engine_), config_.memory);
}

TEST_F(SenetTest, SearchesByPlies) {
  config_.ply = 1;
  senet_engine* engine = nullptr;
  ASSERT_EQ(senet_engine_open(&config_, &engine, &why_), SENET_OK) << why_.text;
  senet_model* model = nullptr;
  ASSERT_EQ(senet_model_untrained(engine, text("backgammon"), 1, &model, &why_), SENET_OK);
  ASSERT_EQ(senet_engine_use(engine, model, &why_), SENET_OK) << why_.text;
  senet_model_release(model);
  senet_session* session = nullptr;
  ASSERT_EQ(senet_session_open(engine, text("backgammon"), &session, &why_), SENET_OK) << why_.text;
  ASSERT_EQ(senet_session_set(session, text("4HPwATDgc/ABMA:0:31"), nullptr, 0, &why_), SENET_OK);
  const senet_limits limits = SENET_LIMITS_INIT;
  ASSERT_EQ(senet_session_search(session, &limits, nullptr, nullptr, &why_), SENET_OK);
  ASSERT_EQ(senet_session_wait(session, UINT64_MAX), SENET_OK);
  senet_result result = SENET_RESULT_INIT;
  ASSERT_EQ(senet_session_result(session, &result, nullptr, 0), SENET_OK);
  EXPECT_EQ(result.ending, SENET_BY_VISITS);
  EXPECT_EQ(result.visits, 2u);
  EXPECT_GT(result.evaluations, 21u);
  senet_session_close(session);
  EXPECT_EQ(senet_engine_close(engine), SENET_OK);
}

// Names need no text() of the host's.
TEST_F(SenetTest, ListsItsGames) {
  std::array<senet_text, 8> names{};
  std::size_t count = 0;
  EXPECT_EQ(senet_engine_games(engine_, names.data(), 1, &count), SENET_NO_ROOM);
  ASSERT_EQ(senet_engine_games(engine_, names.data(), names.size(), &count), SENET_OK);
  const senet_text wanted = SENET_TEXT("connect_four");
  EXPECT_TRUE(std::any_of(names.begin(), names.begin() + count, [&](senet_text name) {
    return std::string_view(name.data, name.size) == std::string_view(wanted.data, wanted.size);
  }));
}

TEST_F(SenetTest, NamesWhatIsWrong) {
  senet_session* session = nullptr;
  EXPECT_EQ(senet_session_open(engine_, text("connect_four"), &session, &why_), SENET_BAD_STATE);
  EXPECT_EQ(session, nullptr);
  senet_model* model = nullptr;
  EXPECT_EQ(senet_model_open(engine_, text("/no/such/file"), &model, &why_), SENET_NO_FILE);
  EXPECT_NE(std::strstr(why_.text, "/no/such/file"), nullptr) << why_.text;
  EXPECT_EQ(senet_model_from_memory(engine_, weights_.data(), weights_.size() - 1, &model, &why_),
            SENET_BAD_MODEL);
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(senet_engine_use(engine_, nullptr, &why_), SENET_BAD_ARGUMENT);
  use_weights();
  session = open();
  EXPECT_EQ(senet_session_play(session, 9, &why_), SENET_BAD_ACTION);
  EXPECT_EQ(senet_session_set(session, text("x"), nullptr, 0, nullptr), SENET_BAD_ARGUMENT);
  senet_result result{};
  EXPECT_EQ(senet_session_result(session, &result, nullptr, 0), SENET_BAD_ARGUMENT);  // no size
  result.struct_size = sizeof result;
  EXPECT_EQ(senet_session_result(session, &result, nullptr, 0), SENET_BAD_STATE);
  senet_limits limits = SENET_LIMITS_INIT;
  limits.priority = 5;
  EXPECT_EQ(senet_session_search(session, &limits, nullptr, nullptr, &why_), SENET_BAD_ARGUMENT);
  limits.priority = 0;
  limits.level = 1;
  EXPECT_EQ(senet_session_search(session, &limits, nullptr, nullptr, &why_), SENET_BAD_ARGUMENT);
  EXPECT_STREQ(why_.text, "level is 1, but the model has 0 levels");
  std::size_t count = 0;
  EXPECT_EQ(senet_session_line(session, 0, nullptr, 0, &count), SENET_BAD_STATE);
  EXPECT_EQ(senet_session_clone(session, nullptr, &why_), SENET_BAD_ARGUMENT);
  senet_engine* other = nullptr;
  config_.sessions = 0;
  EXPECT_EQ(senet_engine_open(&config_, &other, &why_), SENET_BAD_ARGUMENT);
  EXPECT_STREQ(why_.text, "sessions must be 1 .. 1000000");
  config_.sessions = 1;
  config_.lines = 501;
  EXPECT_EQ(senet_engine_open(&config_, &other, &why_), SENET_BAD_ARGUMENT);
  EXPECT_STREQ(why_.text, "lines must be 0 .. 500");
  config_.lines = 0;
  config_.ply = 7;
  EXPECT_EQ(senet_engine_open(&config_, &other, &why_), SENET_BAD_ARGUMENT);
  EXPECT_STREQ(why_.text, "ply takes a whole number 0 .. 6, not \"7\"");
  config_.ply = 0;
  config_.reserved = 1;
  EXPECT_EQ(senet_engine_open(&config_, &other, &why_), SENET_BAD_ARGUMENT);
  EXPECT_STREQ(why_.text, "reserved must be 0");
  config_.struct_size = 2;
  EXPECT_EQ(senet_engine_open(&config_, &other, &why_), SENET_BAD_ARGUMENT);
  // NULL arguments.
  EXPECT_EQ(senet_engine_close(nullptr), SENET_OK);
  senet_model_release(nullptr);
  senet_session_close(nullptr);
  senet_session_stop(nullptr);
  senet_config_init(nullptr, sizeof config_);
  EXPECT_EQ(senet_session_turn(nullptr, nullptr), SENET_BAD_ARGUMENT);
  EXPECT_EQ(senet_engine_open(nullptr, &other, nullptr), SENET_BAD_ARGUMENT);
}

TEST_F(SenetTest, InitFillsWhatTheCallerKnows) {
  std::array<std::byte, sizeof(senet_config) + 16> larger;
  larger.fill(std::byte{0x55});
  auto* const config = reinterpret_cast<senet_config*>(larger.data());
  senet_config_init(config, sizeof(senet_config) + 8);  // a newer header
  EXPECT_EQ(config->struct_size, sizeof(senet_config) + 8);
  EXPECT_EQ(config->visits, config_.visits);
  EXPECT_EQ(larger[sizeof(senet_config)], std::byte{0});
  EXPECT_EQ(larger[sizeof(senet_config) + 8], std::byte{0x55});
  larger.fill(std::byte{0x55});
  senet_config_init(config, offsetof(senet_config, batch));  // an older header
  EXPECT_EQ(config->struct_size, offsetof(senet_config, batch));
  EXPECT_EQ(config->visits, config_.visits);
  EXPECT_EQ(config->batch, 0x55555555u);
  senet_engine* old = nullptr;
  ASSERT_EQ(senet_engine_open(config, &old, &why_), SENET_OK) << why_.text;
  EXPECT_EQ(senet_engine_close(old), SENET_OK);
}

TEST_F(SenetTest, NetworksAreLinkedIn) {
  for (const char* game : {"connect_four", "backgammon", "cube2"}) {
    const std::uint64_t before = senet_engine_memory(engine_);
    senet_model* model = nullptr;
    ASSERT_EQ(senet_model_builtin(engine_, text(game), &model, &why_), SENET_OK) << why_.text;
    EXPECT_LT(senet_engine_memory(engine_) - before, 10'000u);  // nothing was copied
    const auto file = repository_path("games/" + std::string(game) + "/model.safetensors");
    EXPECT_EQ(senet_model_id(model), load_network(file)->id());
    EXPECT_EQ(senet_engine_use(engine_, model, &why_), SENET_OK) << why_.text;
    senet_model_release(model);
  }
  senet_model* model = nullptr;
  EXPECT_EQ(senet_model_builtin(engine_, text("tic_tac_toe"), &model, &why_), SENET_NO_FILE);
  EXPECT_EQ(senet_model_builtin(engine_, text("go"), &model, &why_), SENET_UNKNOWN_GAME);
  EXPECT_EQ(model, nullptr);
}

TEST_F(SenetTest, ModelsAreTheirEngines) {
  senet_engine* other = nullptr;
  ASSERT_EQ(senet_engine_open(&config_, &other, &why_), SENET_OK) << why_.text;
  senet_model* model = nullptr;
  ASSERT_EQ(senet_model_builtin(other, text("connect_four"), &model, &why_), SENET_OK);
  EXPECT_EQ(senet_engine_use(engine_, model, &why_), SENET_BAD_ARGUMENT);
  EXPECT_STREQ(why_.text, "the model belongs to another engine");
  senet_model_release(model);
  EXPECT_EQ(senet_engine_close(other), SENET_OK);
}

// Files are read, not mapped, so later changes to them are harmless.
TEST_F(SenetTest, FilesMayBeCutShortAfterwards) {
  const std::uint64_t before = senet_engine_memory(engine_);
  senet_model* model = nullptr;
  ASSERT_EQ(senet_model_open(engine_, text(file().native()), &model, &why_), SENET_OK);
  EXPECT_GE(senet_engine_memory(engine_) - before, weights_.size());
  std::filesystem::resize_file(file(), 1);
  EXPECT_EQ(senet_engine_use(engine_, model, &why_), SENET_OK) << why_.text;
  senet_model_release(model);
  senet_session* const session = open();
  senet_limits limits = SENET_LIMITS_INIT;
  limits.visits = 20;
  EXPECT_EQ(senet_session_search(session, &limits, nullptr, nullptr, &why_), SENET_OK);
  EXPECT_EQ(senet_session_wait(session, UINT64_MAX), SENET_OK);
  EXPECT_EQ(senet_model_open(engine_, text(file().native()), &model, &why_), SENET_BAD_MODEL);
  EXPECT_EQ(senet_model_open(engine_, text(folder_.path().native()), &model, &why_), SENET_NO_FILE);
  // A file that does not fit into memory is refused before it is read.
  std::filesystem::resize_file(file(), config_.memory);
  EXPECT_EQ(senet_model_open(engine_, text(file().native()), &model, &why_), SENET_NO_MEMORY);
}

// senet_session_chance gives a host the probability of each roll.
TEST_F(SenetTest, TellsTheOddsOfTheDice) {
  use_weights();
  senet_session* const without_dice = open();
  std::array<float, 36> odds{};
  std::size_t count = 99;
  EXPECT_EQ(senet_session_chance(without_dice, odds.data(), odds.size(), &count), SENET_OK);
  EXPECT_EQ(count, 0u);
  senet_session_close(without_dice);

  senet_model* model = nullptr;
  ASSERT_EQ(senet_model_builtin(engine_, text("backgammon"), &model, &why_), SENET_OK);
  ASSERT_EQ(senet_engine_use(engine_, model, &why_), SENET_OK);
  senet_model_release(model);
  senet_session* session = nullptr;
  ASSERT_EQ(senet_session_open(engine_, text("backgammon"), &session, &why_), SENET_OK);
  EXPECT_EQ(senet_session_chance(session, odds.data(), odds.size(), &count), SENET_OK);
  EXPECT_EQ(count, 15u);  // the first roll is not a double
  EXPECT_FLOAT_EQ(odds[14], 1.0f / 15);
  ASSERT_EQ(senet_session_play(session, 0, &why_), SENET_OK);
  EXPECT_EQ(senet_session_chance(session, odds.data(), odds.size(), &count), SENET_OK);
  EXPECT_EQ(count, 0u);  // a player's turn
  senet_action move = 0;
  EXPECT_EQ(senet_session_legal(session, &move, 1, &count), SENET_NO_ROOM);
  ASSERT_EQ(senet_session_play(session, move, &why_), SENET_OK);
  EXPECT_EQ(senet_session_chance(session, odds.data(), 20, &count), SENET_NO_ROOM);
  EXPECT_EQ(count, 21u);
  EXPECT_EQ(senet_session_chance(session, odds.data(), 21, &count), SENET_OK);
  for (senet_action roll = 0; roll < count; ++roll) {
    std::array<char, 8> dice{};
    ASSERT_EQ(senet_session_action_text(session, roll, dice.data(), dice.size(), nullptr),
              SENET_OK);
    EXPECT_FLOAT_EQ(odds[roll], dice[0] == dice[1] ? 1.0f / 36 : 2.0f / 36) << dice.data();
  }
  EXPECT_EQ(senet_session_chance(session, nullptr, 1, &count), SENET_BAD_ARGUMENT);
  EXPECT_EQ(senet_session_chance(session, odds.data(), 1, nullptr), SENET_BAD_ARGUMENT);
  EXPECT_EQ(senet_session_chance(nullptr, odds.data(), 1, &count), SENET_BAD_ARGUMENT);
  senet_session_close(session);
}

TEST_F(SenetTest, BuffersAreTheCallers) {
  use_weights();
  senet_session* const session = open();
  std::size_t count = 0;
  std::array<senet_action, 7> actions{};
  EXPECT_EQ(senet_session_legal(session, nullptr, 0, &count), SENET_NO_ROOM);
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(senet_session_legal(session, actions.data(), actions.size(), &count), SENET_OK);
  EXPECT_EQ(actions[6], 6);
  std::array<char, 64> words;
  words.fill('#');
  std::size_t size = 0;
  EXPECT_EQ(senet_session_text(session, words.data(), 5, &size), SENET_NO_ROOM);
  EXPECT_EQ(words[0], '#');
  EXPECT_EQ(senet_session_text(session, words.data(), size, nullptr), SENET_NO_ROOM);
  EXPECT_EQ(senet_session_text(session, words.data(), size + 1, nullptr), SENET_OK);
  EXPECT_EQ(words.data(), ConnectFour().text());
  EXPECT_EQ(words[size + 1], '#');
  senet_action action = 0;
  EXPECT_EQ(senet_session_read_action(session, text("5"), &action, &why_), SENET_OK);
  EXPECT_EQ(action, 4);

  words.fill('#');
  EXPECT_EQ(senet_session_action_text(session, 7, words.data(), words.size(), &size),
            SENET_BAD_ACTION);
  EXPECT_EQ(words[0], '#');
  EXPECT_EQ(senet_session_action_text(session, 6, words.data(), words.size(), &size), SENET_OK);
  EXPECT_STREQ(words.data(), "7");

  senet_limits limits = SENET_LIMITS_INIT;
  limits.visits = 50;
  ASSERT_EQ(senet_session_search(session, &limits, nullptr, nullptr, &why_), SENET_OK);
  ASSERT_EQ(senet_session_wait(session, UINT64_MAX), SENET_OK);
  senet_result result{};
  result.struct_size = sizeof result;
  std::array<senet_choice, 3> choices{};
  ASSERT_EQ(senet_session_result(session, &result, choices.data(), choices.size()), SENET_OK);
  EXPECT_EQ(result.choice_count, 7u);
  EXPECT_EQ(result.outcome_count, 3);
  EXPECT_EQ(result.visits, 50u);
  EXPECT_EQ(result.action, choices[0].action);
  EXPECT_GE(choices[1].visits, choices[2].visits);
  EXPECT_EQ(result.model, small_network<ConnectFour>(1).id());
  // A caller with an older header, whose senet_result ends with `value`, gets only those fields.
  senet_result old{};
  old.struct_size = offsetof(senet_result, visits);
  old.visits = 12345;
  ASSERT_EQ(senet_session_result(session, &old, nullptr, 0), SENET_OK);
  EXPECT_EQ(old.action, result.action);
  EXPECT_EQ(old.visits, 12345u);
  senet_session_close(session);
}

}  // namespace
}  // namespace senet
