// Services that use tablebases: results, memory, and the settings of the C interface.
#include <gtest/gtest.h>
#include <senet/senet.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "nn/tablebase_file.hpp"
#include "tests/engine/services.hpp"
#include "tests/temporary_folder.hpp"

namespace senet {
namespace {

// Three checkers against three, and a roll to play for player 0.
constexpr const char* kBearoff = "KgAAIAUAAAAAAA:0:21";

ServiceSettings with_tablebases(const std::filesystem::path& folder) {
  ServiceSettings settings;
  settings.tablebases = folder;
  return settings;
}

TEST(ServiceTablebase, AnswersInsteadOfTheNetwork) {
  const TemporaryFolder folder;
  for (const Evaluates evaluates : {Evaluates::kPosition, Evaluates::kAfterstates}) {
    const auto service = open_service(with_tablebases(folder.path()));
    use_small_network<Backgammon>(*service, 1, evaluates);
    Session& session = open_session(*service, "backgammon");
    ASSERT_TRUE(session.set(kBearoff, {})) << session.set(kBearoff, {}).error().reason();
    const SessionResult found = search(*service, session, {.visits = 200});
    EXPECT_EQ(found.ending, Ending::kProven);
    EXPECT_EQ(found.visits, 1u);
    EXPECT_EQ(found.evaluations, 0u);
    const SessionResult alone = search(*service, session, {.visits = 1});
    EXPECT_EQ(alone.evaluations, 0u);
    EXPECT_EQ(alone.value, found.value);
    EXPECT_EQ(alone.action, found.action);
    // The best choice has the highest value by the tablebase.
    for (const Choice& choice : found.choices) EXPECT_LE(choice.value, found.value + 1e-4f);
    // Elsewhere the network is asked.
    ASSERT_TRUE(session.set("4HPwATDgc/ABMA:0:31", {}));
    EXPECT_GT(search(*service, session, {.visits = 20}).evaluations, 10u);
    service->close_session(&session);
  }
  EXPECT_TRUE(TablebaseFile::find(AnyGame::rules_of<Backgammon>(), folder.path()));
}

TEST(ServiceTablebase, IsNotUsedUnlessAskedFor) {
  const auto service = open_service({});
  use_small_network<Backgammon>(*service, 1);
  Session& session = open_session(*service, "backgammon");
  ASSERT_TRUE(session.set(kBearoff, {}));
  EXPECT_GT(search(*service, session, {.visits = 50}).evaluations, 0u);
  EXPECT_TRUE(service->tablebase("backgammon")->bytes().empty());
  EXPECT_EQ(service->tablebase("connect_four"), nullptr);
}

TEST(ServiceTablebase, OtherGamesPlayAsBefore) {
  const TemporaryFolder folder;
  const auto service = open_service(with_tablebases(folder.path()));
  use_small_network<ConnectFour>(*service, 1);
  Session& session = open_session(*service, "connect_four");
  EXPECT_EQ(search(*service, session, {.visits = 50}).visits, 50u);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ServiceTablebase, ItsMemoryCounts) {
  const TemporaryFolder folder;
  const TablebaseFormat format = AnyGame::rules_of<Backgammon>().tablebase;
  const auto used = [](const ServiceSettings& settings) {
    const auto service = open_service(settings);
    use_small_network<Backgammon>(*service, 1);
    return service->memory().used();
  };
  EXPECT_EQ(used(with_tablebases(folder.path())), used({}) + format.bytes);
  // What fits is less, by the table and by the memory to build it.
  const NetworkSpec spec = small_network<Backgammon>(1).spec();
  const auto visits = [&](const ServiceSettings& settings) {
    return *Service::most_that_fit(settings, spec, &ServiceSettings::visits);
  };
  ServiceSettings plain;
  plain.memory = std::size_t{64} << 20;
  ServiceSettings with = plain;
  with.tablebases = folder.path();
  EXPECT_LT(visits(with), visits(plain));
  plain.memory -= format.bytes + format.build_bytes;
  EXPECT_EQ(visits(with), visits(plain));
  // Too little memory to build it: an error, and no file.
  const TemporaryFolder empty;
  ServiceSettings tight = with_tablebases(empty.path());
  tight.memory = used({}) + format.bytes + (1 << 20);
  const auto service = open_service(tight);
  const auto used_in_vain = service->use(shared(small_network<Backgammon>(1)));
  ASSERT_FALSE(used_in_vain);
  EXPECT_EQ(used_in_vain.error().status(), SENET_NO_MEMORY);
  EXPECT_NE(used_in_vain.error().reason().find("building the tablebase of backgammon"),
            std::string::npos)
      << used_in_vain.error().reason();
  EXPECT_TRUE(std::filesystem::is_empty(empty.path()));
  // A file that is there needs no building.
  tight.tablebases = folder.path();
  const auto other = open_service(tight);
  EXPECT_TRUE(other->use(shared(small_network<Backgammon>(1))));
}

/// The evaluations of a search of a bear-off, and whether it was decided by the tablebase.
struct Evaluated {
  std::uint32_t evaluations = 0;
  bool is_settled = false;
  std::vector<std::string> log;
};
Evaluated ask(senet_config config) {
  Evaluated asked;
  config.user = &asked.log;
  config.log = [](void* user, senet_text line) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(line.data, line.size);
  };
  senet_reason why{};
  senet_engine* engine = nullptr;
  EXPECT_EQ(senet_engine_open(&config, &engine, &why), SENET_OK) << why.text;
  senet_model* model = nullptr;
  EXPECT_EQ(senet_model_builtin(engine, api::text("backgammon"), &model, &why), SENET_OK)
      << why.text;
  EXPECT_EQ(senet_engine_use(engine, model, &why), SENET_OK) << why.text;
  senet_model_release(model);
  senet_session* session = nullptr;
  EXPECT_EQ(senet_session_open(engine, api::text("backgammon"), &session, &why), SENET_OK)
      << why.text;
  EXPECT_EQ(senet_session_set(session, api::text(kBearoff), nullptr, 0, &why), SENET_OK)
      << why.text;
  senet_limits limits = SENET_LIMITS_INIT;
  limits.visits = 30;
  EXPECT_EQ(senet_session_search(session, &limits, nullptr, nullptr, &why), SENET_OK) << why.text;
  EXPECT_EQ(senet_session_wait(session, UINT64_MAX), SENET_OK);
  senet_result result = SENET_RESULT_INIT;
  EXPECT_EQ(senet_session_result(session, &result, nullptr, 0), SENET_OK);
  asked.evaluations = result.evaluations;
  asked.is_settled = result.ending == SENET_BY_PROOF;
  senet_session_close(session);
  EXPECT_EQ(senet_engine_close(engine), SENET_OK);
  return asked;
}

TEST(ServiceTablebase, IsASettingOfTheCInterface) {
  const TemporaryFolder folder;
  senet_config config;
  senet_config_init(&config, sizeof config);
  EXPECT_EQ(config.tablebases.size, 0u);
  const Evaluated plain = ask(config);
  EXPECT_GT(plain.evaluations, 0u);
  EXPECT_FALSE(plain.is_settled);
  config.tablebases = api::text(folder.path().native());
  const Evaluated with = ask(config);
  EXPECT_EQ(with.evaluations, 0u);
  EXPECT_TRUE(with.is_settled);
  EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
  // A host that was compiled with an older header has no such field.
  config.struct_size = offsetof(senet_config, tablebases);
  EXPECT_GT(ask(config).evaluations, 0u);
  // A folder that cannot be written is no failure: the log says so.
  config.struct_size = sizeof config;
  config.tablebases = api::text("/proc/nowhere");
  const Evaluated unwritten = ask(config);
  EXPECT_EQ(unwritten.evaluations, 0u);
  EXPECT_EQ(std::ranges::count_if(unwritten.log,
                                  [](const std::string& line) {
                                    return line.find("/proc/nowhere") != std::string::npos;
                                  }),
            1);
  EXPECT_EQ(with.log.size() + 1, unwritten.log.size());
}

}  // namespace
}  // namespace senet
