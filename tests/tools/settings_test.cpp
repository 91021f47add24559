// Every setting of every list: by name and text, in config.json and on command lines, and the
// values that it refuses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <set>

#include "games/backgammon/backgammon.hpp"
#include "tests/temporary_folder.hpp"
#include "tools/command.hpp"
#include "tools/play/protocol/engine.hpp"
#include "train_bridge/run_config.hpp"

namespace senet {
namespace {

RunConfig config_of(const char* game) {
  Result<RunConfig> config = default_config(game);
  EXPECT_TRUE(config);
  return *config;
}

// A valid value of the setting other than `value`.
template <class Struct, class Value>
Value another(const Setting<Struct, Value>& entry, Value value) {
  if constexpr (NamedEnum<Value>) {
    for (const Named<Value>& named : names_of(std::type_identity<Value>{})) {
      if (named.value != value) return named.value;
    }
  } else if constexpr (std::is_same_v<Value, bool>) {
    return !value;
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return value == "1,2" ? "1,2.5" : "1,2";
  } else if constexpr (std::is_same_v<Value, Schedule>) {
    return *Schedule::parse(value.is_constant() ? "0.5@0.25,0.125@1" : "0.5");
  } else {
    for (const double step : {0.37, 1.0, -1.0, -0.37, 8.0}) {
      const auto other = static_cast<Value>(static_cast<double>(value) + step);
      if (other != value && check_value(entry, other)) return other;
    }
  }
  ADD_FAILURE() << entry.name << " takes one value only";
  return value;
}

template <class Struct, class Value>
std::vector<std::string> bad_texts(const Setting<Struct, Value>& entry) {
  if constexpr (std::is_same_v<Value, std::string>) return {};
  std::vector<std::string> bad = {"", "x", "1x"};
  if constexpr (!NamedEnum<Value> && !std::is_same_v<Value, bool>) {
    const SettingRange& range = entry.range;
    const double step = std::is_unsigned_v<Value> ? 1 : 0.001;
    if (std::is_same_v<Value, Schedule>) {
      bad.insert(bad.end(), {"0.5@0.1,-1@0.2", "0.5@2", "0.5@0.2,0.1@0.1"});
    }
    bad.push_back("-1");
    bad.push_back("nan");
    if (range.least > 0 || range.above_least) {
      bad.push_back(setting_text(range.above_least ? range.least : range.least * 0.99));
    }
    if (std::isfinite(range.most)) {
      bad.push_back(setting_text(range.below_most ? range.most : range.most + step));
    }
    if (std::is_unsigned_v<Value>) bad.push_back("18446744073709551616");
  }
  return bad;
}

TEST(Settings, NamesAndKeysAreUnique) {
  const RunConfig config = config_of("connect_four");
  std::set<std::string_view> names, keys;
  std::size_t count = 0;
  for_each_setting(config, [&](const auto& entry, const auto&) {
    ++count;
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(keys.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.help.empty()) << entry.name;
  });
  EXPECT_GE(count, 40u);
  // The settings of the parts are exactly those of the whole.
  const auto expect_there = [&](const auto& part) {
    for_each_setting(part, [&](const auto& entry, const auto&) {
      EXPECT_TRUE(names.contains(entry.name)) << entry.name;
      --count;
    });
  };
  expect_there(config.network);
  expect_there(config.selfplay);
  expect_there(config.selfplay.worker);
  expect_there(config.selfplay.worker.search);
  expect_there(config.selfplay.play);
  expect_there(config.learn);
  expect_there(config.learn.samples);
  expect_there(config.learn.trainer);
  expect_there(config.strength);
  EXPECT_EQ(count, 1u);  // "queue" belongs to no part
}

// The defaults of every game, and each setting with another value.
TEST(Settings, EachGoesThroughText) {
  for (const char* const game : {"tic_tac_toe", "connect_four", "backgammon"}) {
    RunConfig config = config_of(game);
    EXPECT_TRUE(check_settings(config)) << check_settings(config).error().reason();
    for_each_setting(config, [&](const auto& entry, auto& value) {
      for (const auto& wanted : {value, another(entry, value)}) {
        RunConfig changed = config_of(game);
        const Result<void> applied = apply_setting(changed, entry.name, setting_text(wanted));
        EXPECT_TRUE(applied) << applied.error().reason();
        for_each_setting(changed, [&](const auto& other, const auto& now) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(now)>,
                                       std::remove_cvref_t<decltype(value)>>) {
            if (other.name == entry.name) {
              EXPECT_EQ(now, wanted) << entry.name;
            }
          }
        });
      }
    });
  }
}

TEST(Settings, OutOfRangeIsRefusedWithTheRange) {
  const RunConfig config = config_of("connect_four");
  const std::string before = config_text(config);
  for_each_setting(config, [&](const auto& entry, const auto&) {
    for (const std::string& text : bad_texts(entry)) {
      RunConfig changed = config_of("connect_four");
      const Result<void> applied = apply_setting(changed, entry.name, text);
      ASSERT_FALSE(applied) << entry.name << " " << text;
      EXPECT_EQ(applied.error().reason(), std::string(entry.name) + " takes " +
                                              values_wanted(entry) + ", not \"" + text + "\"");
      EXPECT_EQ(config_text(changed), before);
    }
  });
}

class ConfigFile : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "config.json"; }
  TemporaryFolder folder_;
};

TEST_F(ConfigFile, HoldsEachSettingExactly) {
  RunConfig config = config_of("connect_four");
  for_each_setting(config, [&](const auto& entry, auto& value) {
    // Dueling heads have only one mode, which needs a policy head and is not searched by plies.
    if (entry.name != "mode" && entry.name != "policy-head" && entry.name != "ply") {
      value = another(entry, value);
    }
  });
  ASSERT_TRUE(apply_setting(config, "mode", "moves"));
  config.selfplay.play.fast_visits = 5;
  ASSERT_TRUE(check_config(config)) << check_config(config).error().reason();
  ASSERT_TRUE(save_config(config, file()));
  const Result<RunConfig> read = load_config(file());
  ASSERT_TRUE(read) << read.error().reason();
  EXPECT_EQ(config_text(*read), config_text(config));
  const auto expect_same = [&](const auto& before, const auto& after) {
    std::vector<std::string> first, second;
    const auto into = [](auto& texts) {
      return [&texts](const auto& entry, const auto& value) {
        texts.push_back(std::string(entry.name) + " " + setting_text(value));
      };
    };
    for_each_setting(before, into(first));
    for_each_setting(after, into(second));
    EXPECT_EQ(first, second);
  };
  expect_same(std::as_const(config), *read);
}

// Writes short numbers, and reads the long numbers that older versions wrote.
TEST_F(ConfigFile, HasShortNumbersAndReadsLongOnes) {
  const RunConfig config = config_of("connect_four");
  const std::string text = config_text(config);
  EXPECT_NE(text.find("\"fpu-reduction\": 0.2,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"full-share\": 0.33,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"c-puct\": 1.5,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"temperature\": 1.0,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"checkpoint-seconds\": 60.0,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"noise\": true,"), std::string::npos) << text;
  std::ofstream(file()) << R"({"game": "connect_four", "evaluates": "position",
    "evaluator": "hash", "fpu-reduction": 0.20000000298023224, "lambda": 0.800000011920929,
    "blunder": 0.20000000298023224})";
  const Result<RunConfig> read = load_config(file());
  ASSERT_TRUE(read) << read.error().reason();
  EXPECT_EQ(read->selfplay.worker.search.puct.fpu_reduction, 0.2f);
  EXPECT_EQ(read->learn.samples.lambda, 0.8f);
  EXPECT_EQ(read->selfplay.worker.evaluation.kind, EvaluatorKind::kHash);
}

// A key from before it had the setting's name is read; the new name has precedence.
TEST_F(ConfigFile, FormerKeysAreRead) {
  const std::string text = config_text(config_of("backgammon"));
  EXPECT_NE(text.find("\"mode\": \"afterstates\""), std::string::npos) << text;
  const auto read = [&](const std::string& keys) {
    std::ofstream(file()) << R"({"game": "backgammon", "planned-games": 9, "policy-head": true, )"
                          << keys << "}";
    return load_config(file());
  };
  const Result<RunConfig> former = read(R"("evaluates": "position")");
  ASSERT_TRUE(former) << former.error().reason();
  EXPECT_EQ(former->selfplay.worker.search.evaluates, Evaluates::kPosition);
  for (const char* const wrong :
       {R"("mode": "afterstates", "evaluates": "position")", R"("": 1)"}) {
    const Result<RunConfig> refused = read(wrong);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().reason().find("unknown setting"), std::string::npos)
        << refused.error().reason();
  }
}

// A run keeps the network that it had before a property of networks became a setting.
TEST_F(ConfigFile, OlderRunsKeepTheirNetwork) {
  std::ofstream(file()) << R"({"game": "backgammon", "width": 128, "blocks": 3,
    "policy-layers": 2, "value-layers": 1, "learning-rate": 0.001,
    "lambda": 0.7})";
  const Result<RunConfig> read = load_config(file());
  ASSERT_TRUE(read) << read.error().reason();
  const NetworkSpec reference = reference_spec<Backgammon>();
  EXPECT_EQ(read->network, reference);
  EXPECT_EQ(read->learn.planned_games, 0u);
  EXPECT_EQ(read->learn.planned_minutes, 0);
}

TEST_F(ConfigFile, SamplesFollowTheMode) {
  RunConfig config = config_of("backgammon");
  EXPECT_EQ(config.learn.samples.evaluates, Evaluates::kAfterstates);
  ASSERT_TRUE(apply_setting(config, "mode", "position"));
  EXPECT_EQ(config.learn.samples.evaluates, Evaluates::kPosition);
  config.network.policy_head = true;
  ASSERT_TRUE(save_config(config, file()));
  const Result<RunConfig> read = load_config(file());
  ASSERT_TRUE(read) << read.error().reason();
  EXPECT_EQ(read->selfplay.worker.search.evaluates, Evaluates::kPosition);
  EXPECT_EQ(read->learn.samples.evaluates, Evaluates::kPosition);
}

// Combinations of settings that are refused.
TEST(Settings, SomeDependOnOthers) {
  RunConfig config = config_of("connect_four");
  config.selfplay.play.fast_visits = config.selfplay.play.full_visits + 1;
  EXPECT_NE(check_config(config).error().reason().find("fast-visits: "), std::string::npos);
  config = config_of("connect_four");
  config.selfplay.worker.search.evaluates = Evaluates::kAfterstates;
  EXPECT_EQ(check_config(config).error().reason(), "mode: connect_four has no afterstates");
  config = config_of("connect_four");
  config.selfplay.worker.search.plies.ply = 1;
  EXPECT_EQ(check_config(config).error().reason(),
            "ply: a search by plies values afterstates, but this network does not");
  config = config_of("backgammon");
  config.selfplay.worker.search.plies.ply = 2;
  EXPECT_TRUE(check_config(config));
  for (const bool noise : {true, false}) {
    RunConfig varied = config;
    varied.selfplay.play.noise = noise;
    varied.selfplay.play.temperature_plies = noise ? 0 : 4;
    EXPECT_EQ(check_config(varied).error().reason(),
              "ply: a search by plies plays its best move: noise and "
              "temperature-plies must be 0");
  }
  for (const bool n_step : {true, false}) {
    RunConfig varied = config;
    if (n_step) varied.learn.samples.n_step = 2;
    if (!n_step) varied.learn.priority = 0.5f;
    EXPECT_EQ(
        check_config(varied).error().reason(),
        "ply: the values of a search by plies are the targets: priority and n-step must be 0");
  }
  RunConfig hard = config;
  hard.selfplay.play.starts.sources = "game,hard";
  EXPECT_EQ(check_config(hard).error().reason(),
            "ply: a search by plies finds no hard positions for games to start from");
  config = config_of("connect_four");
  config.selfplay.worker.lanes = 0;
  EXPECT_EQ(check_config(config).error().reason(),
            "lanes takes a whole number 1 .. 4096, not \"0\"");
}

struct Typed {
  SearchOptions options;
  int exit_code = -1;
};
Typed type(std::vector<std::string> words) {
  Typed typed;
  CommandLine line("test", "", "");
  const Command command = line.root().add_command("search", "");
  add_search_options(command, typed.options);
  command.runs([] { return [] { return Result<void>(); }; });
  words.insert(words.begin(), {"test", "search"});
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  typed.exit_code = line.run(static_cast<int>(argv.size()), argv.data());
  return typed;
}

// All settings of players, on a command line and with setoption.
TEST(Settings, PlayersTakeThemFromCommandLinesAndTheProtocol) {
  SearchOptions wanted;
  std::vector<std::string> line;
  protocol::Options session;
  for_each_setting(wanted, [&](const auto& entry, auto& value) {
    if (!entry.use.of_players) return;
    value = another(entry, value);
    line.insert(line.end(), {"--" + std::string(entry.name), setting_text(value)});
  });
  EXPECT_EQ(line.size(), 22u);
  const Typed all = type(line);
  ASSERT_EQ(all.exit_code, 0);
  EXPECT_EQ(settings_summary(all.options, SettingsText::kPlayer),
            settings_summary(wanted, SettingsText::kPlayer));
  EXPECT_FALSE(all.options.mode);
  const Typed named = type({"--evaluator", "hash", "--mode", "afterstates"});
  EXPECT_EQ(named.options.mode, Evaluates::kAfterstates);
  EXPECT_EQ(named.options.evaluation.kind, EvaluatorKind::kHash);
  EXPECT_EQ(type({"--tablebase-folder", "a/b"}).options.tablebase_folder, "a/b");
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>{"--c-puct", "2000"}, {"--mode", "sideways"}}) {
    testing::internal::CaptureStderr();
    EXPECT_NE(type(bad).exit_code, 0);
    EXPECT_NE(testing::internal::GetCapturedStderr().find(bad[0]), std::string::npos);
  }
  EXPECT_EQ(protocol::set_option(Games(), session, {}, "TablebaseFolder", "a b/c"),
            protocol::Change::kSearch);
  EXPECT_EQ(session.search.tablebase_folder, "a b/c");
  EXPECT_EQ(protocol::set_option(Games(), session, {}, "TablebaseFolder", "<empty>"),
            protocol::Change::kSearch);
  EXPECT_EQ(session.search.tablebase_folder, "");
  const std::vector<std::string> names = {
      "CPuct",    "FpuReduction", "PolicyTemperature", "AfterstateTemperature", "Ply",
      "PlyMoves", "PlyWindow",    "PlyReplies",        "PlyReplyWindow",        "Leaves",
      "Tablebase"};
  std::size_t at = 0;
  for_each_setting(wanted, [&](const auto& entry, const auto& value) {
    if (!entry.use.of_players) return;
    const std::string& name = names.at(at++);
    EXPECT_EQ(protocol::set_option(Games(), session, {}, name, setting_text(value)),
              protocol::Change::kSearch);
    for (const std::string& text : bad_texts(entry)) {
      try {
        protocol::set_option(Games(), session, {}, name, text);
        ADD_FAILURE() << name << " took " << text;
      } catch (const Error& refused) {
        EXPECT_EQ(refused.reason(),
                  name + " takes " + values_wanted(entry) + ", not \"" + text + "\"");
      }
    }
  });
  EXPECT_EQ(settings_summary(session.search, SettingsText::kPlayer),
            settings_summary(wanted, SettingsText::kPlayer));
}

// Networks that learn from nothing learn the endgame too.
TEST(Settings, SelfPlayHasNoTablebase) {
  RunConfig config = config_of("backgammon");
  EXPECT_EQ(apply_setting(config, "tablebase", "1").error().reason(),
            "there is no setting \"tablebase\"");
}

// The texts must match those in existing logs and records.
TEST(Settings, TextsOfTheDefaultsStayWhatTheyWere) {
  const SearchOptions player;
  EXPECT_EQ(settings_summary(player, SettingsText::kPlayer),
            ", c_puct 1.5, fpu_reduction 0.2, policy_temperature 1.5, afterstate_temperature 0.1");
  SearchSettings afterstates = player.settings;
  afterstates.evaluates = Evaluates::kAfterstates;
  EXPECT_EQ(settings_summary(afterstates, SettingsText::kPlayer),
            ", c_puct 1.5, fpu_reduction 0.2, afterstate_temperature 0.1");
  const auto text = [](const char* game) {
    const SelfPlaySettings settings = config_of(game).selfplay;
    return settings_text(settings.play, settings.worker.search);
  };
  EXPECT_EQ(text("connect_four"),
            "position, 160 visits for 0.33 of the moves, else 32, c_puct 1.5, fpu_reduction 0.2, "
            "noise 0.25 of 10, temperature 1 to ply 16, up to 20 random moves");
  EXPECT_EQ(text("backgammon"), "afterstates, 1 visits, c_puct 1.5, fpu_reduction 0.2");
  SelfPlaySettings changed = config_of("backgammon").selfplay;
  changed.worker.search.afterstate_temperature = 0.2f;
  changed.play.resign_below = 0.9f;
  EXPECT_EQ(settings_text(changed.play, changed.worker.search),
            "afterstates, 1 visits, c_puct 1.5, fpu_reduction 0.2, afterstate_temperature 0.2, "
            "resigns below 0.9 but in 0.1 of the games");
}

}  // namespace
}  // namespace senet
