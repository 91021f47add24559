// Lists of settings: reading, writing, validation, and texts.
#include "games/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace senet {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };
constexpr std::array<Named<Colour>, 2> names_of(std::type_identity<Colour>) {
  return {{{"red", Colour::kRed}, {"green", Colour::kGreen}}};
}

struct Inner {
  float ratio = 0.25f;
  std::uint64_t seed = 1;
};
struct Outer {
  bool loud = false;
  Inner inner;
  Colour colour = Colour::kRed;
  std::uint32_t files = 100;
  double seconds = 1.5;
};

constexpr auto settings_of(std::type_identity<Inner>) {
  return std::tuple{
      setting("the-ratio", &Inner::ratio, "a share", {.least = 1e-4, .most = 1},
              {.in_records = Mention::kAlways,
               .matters = [](const Inner& inner) { return inner.seed != 7; }}),
      setting("seed", &Inner::seed, "any number", {}, {.of_players = false}),
  };
}
constexpr auto settings_of(std::type_identity<Outer>) {
  return std::tuple{
      setting("loud", &Outer::loud, "or not", {}, {.in_records = Mention::kNever}),
      &Outer::inner,
      setting("colour", &Outer::colour, "of the board", {}, {.former_key = "color"}),
      setting("files", &Outer::files, "kept", {.least = 4, .or_zero = true, .unit = "files"}),
      setting("seconds", &Outer::seconds, "to wait",
              {.least = 0, .most = 60, .above_least = true, .below_most = true, .unit = "s"}),
  };
}

std::vector<std::string> names(const Outer& outer) {
  std::vector<std::string> found;
  for_each_setting(outer, [&](const auto& entry, auto&) { found.emplace_back(entry.name); });
  return found;
}

TEST(Settings, AreVisitedInOrderWithThoseOfTheirParts) {
  EXPECT_EQ(names({}),
            (std::vector<std::string>{"loud", "the-ratio", "seed", "colour", "files", "seconds"}));
  constexpr auto colour = setting_of(&Outer::colour);
  EXPECT_EQ(colour.name, "colour");
  EXPECT_EQ(colour.use.former_key, "color");
}

TEST(Settings, AreSetByNameAndText) {
  Outer outer;
  for (const auto& [name, text] :
       {std::pair{"loud", "1"}, std::pair{"the-ratio", "0.0001"},
        std::pair{"seed", "18446744073709551615"}, std::pair{"colour", "green"},
        std::pair{"files", "0"}, std::pair{"seconds", "1e-3"}}) {
    const Result<void> applied = apply_setting(outer, name, text);
    EXPECT_TRUE(applied) << applied.error().reason();
  }
  EXPECT_TRUE(outer.loud);
  EXPECT_EQ(outer.inner.ratio, 0.0001f);
  EXPECT_EQ(outer.inner.seed, UINT64_MAX);
  EXPECT_EQ(outer.colour, Colour::kGreen);
  EXPECT_EQ(outer.files, 0u);
  EXPECT_EQ(outer.seconds, 0.001);
  EXPECT_TRUE(check_settings(outer));
}

TEST(Settings, ARefusalNamesTheSettingItsRangeAndTheText) {
  Outer outer;
  const auto refused = [&](const char* name, const std::string& text, const std::string& reason) {
    const Result<void> applied = apply_setting(outer, name, text);
    ASSERT_FALSE(applied) << name << " " << text;
    EXPECT_EQ(applied.error().reason(), reason);
  };
  refused("lout", "1", "there is no setting \"lout\"");
  refused("loud", "2", "loud takes 0 or 1, not \"2\"");
  refused("loud", "", "loud takes 0 or 1, not \"\"");
  for (const char* const text :
       {"nan", "inf", "-1", "1.001", "0.00009", "0.5x", "", " 1", "1e99"}) {
    refused("the-ratio", text,
            "the-ratio takes a number 0.0001 .. 1, not \"" + std::string(text) + "\"");
  }
  for (const char* const text : {"-1", "18446744073709551616", "1.0", "x"}) {
    refused("seed", text, "seed takes a whole number, not \"" + std::string(text) + "\"");
  }
  refused("colour", "blue", "colour takes one of red, green, not \"blue\"");
  refused("files", "3", "files takes 0 or a whole number 4 .. 4294967295, not \"3\"");
  refused("files", "4294967296",
          "files takes 0 or a whole number 4 .. 4294967295, not \"4294967296\"");
  refused("seconds", "0", "seconds takes a number above 0 and below 60, not \"0\"");
  refused("seconds", "60", "seconds takes a number above 0 and below 60, not \"60\"");
  refused("loud", std::string(50, 'x') + "\n",
          "loud takes 0 or 1, not \"" + std::string(40, 'x') + "...\"");
  refused("loud", "a\nb", "loud takes 0 or 1, not \"a?b\"");
  EXPECT_EQ(names(outer).size(), 6u);
  EXPECT_TRUE(check_settings(outer));
  EXPECT_EQ(outer.inner.ratio, 0.25f);  // a rejected value changes nothing
}

TEST(Settings, AreCheckedWhoeverSetThem) {
  Outer outer;
  outer.inner.ratio = 2;
  EXPECT_EQ(check_settings(outer).error().reason(),
            "the-ratio takes a number 0.0001 .. 1, not \"2\"");
}

// Floats are written with the fewest digits, and read back exactly.
TEST(Settings, TextIsShortAndExact) {
  EXPECT_EQ(setting_text(0.2f), "0.2");
  EXPECT_EQ(setting_text(0.0001f), "0.0001");
  EXPECT_EQ(setting_text(10.0f), "10");
  EXPECT_EQ(setting_text(true), "true");
  EXPECT_EQ(setting_text(Colour::kGreen), "green");
  EXPECT_EQ(setting_text(std::uint32_t{7}), "7");
  std::uint32_t bits = 12345;
  for (int i = 0; i < 100'000; ++i) {
    bits = bits * 1664525 + 1013904223;
    const auto value = static_cast<float>(bits) / static_cast<float>(1u << 31) + 0.0002f;
    if (value > 1) continue;
    Outer outer;
    ASSERT_TRUE(apply_setting(outer, "the-ratio", setting_text(value)));
    ASSERT_EQ(outer.inner.ratio, value);
  }
}

TEST(Settings, TextsSayWhatMatters) {
  Outer outer;
  EXPECT_EQ(settings_summary(outer, SettingsText::kRecord), ", the_ratio 0.25");
  EXPECT_EQ(settings_summary(outer, SettingsText::kPlayer), "");
  outer.loud = true;
  outer.inner.ratio = 0.5f;
  outer.inner.seed = 3;
  EXPECT_EQ(settings_summary(outer, SettingsText::kRecord), ", the_ratio 0.5, seed 3");
  EXPECT_EQ(settings_summary(outer, SettingsText::kPlayer), ", loud true, the_ratio 0.5");
  outer.inner.seed = 7;
  EXPECT_EQ(settings_summary(outer, SettingsText::kRecord), ", seed 7");
}

}  // namespace
}  // namespace senet
