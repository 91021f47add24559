#include "games/schedule.hpp"

#include <gtest/gtest.h>

namespace senet {
namespace {

TEST(Schedule, ANumberIsAConstant) {
  const Schedule constant = 0.7f;
  EXPECT_TRUE(constant.is_constant());
  EXPECT_EQ(constant.at(0), 0.7f);
  EXPECT_EQ(constant.at(1), 0.7f);
  EXPECT_EQ(constant.text(), "0.7");
  EXPECT_EQ(Schedule::parse("0.7"), constant);
  EXPECT_EQ(Schedule::parse("0.7@0.5"), constant);
}

TEST(Schedule, MovesBetweenItsPoints) {
  const Schedule schedule = *Schedule::parse("1@0.2,0.5@0.4,0@1");
  EXPECT_FALSE(schedule.is_constant());
  EXPECT_EQ(schedule.at(0), 1.0f);
  EXPECT_EQ(schedule.at(0.2), 1.0f);
  EXPECT_NEAR(schedule.at(0.3), 0.75f, 1e-6);
  EXPECT_NEAR(schedule.at(0.4), 0.5f, 1e-6);
  EXPECT_NEAR(schedule.at(0.7), 0.25f, 1e-6);
  EXPECT_EQ(schedule.at(1), 0.0f);
  EXPECT_EQ(schedule.at(7), 0.0f);
}

TEST(Schedule, ByEqualFactors) {
  const Schedule schedule = *Schedule::parse("0.01@0,0.0001@1");
  EXPECT_NEAR(schedule.at(0.5, Curve::kGeometric), 0.001f, 1e-8);
  EXPECT_NEAR(schedule.at(0.25, Curve::kGeometric), 0.0031623f, 1e-7);
}

TEST(Schedule, TextReadsBack) {
  for (const char* text : {"1@0.01,0.7@0.02", "0.0015@0.3,0.00001@1", "3", "0.1@0,0.2@1"}) {
    const auto schedule = Schedule::parse(text);
    ASSERT_TRUE(schedule) << text;
    EXPECT_EQ(Schedule::parse(schedule->text()), schedule) << text;
  }
}

TEST(Schedule, RefusesWhatIsNone) {
  for (const char* text :
       {"", "x", "1,2", "1@", "@1", "1@2", "1@-0.1", "1@0.5,2@0.5", "1@0.5,2@0.4", "1@0.1,",
        "1@0.1, 2@0.2", "1@nan", "1@0,1@0.1,1@0.2,1@0.3,1@0.4,1@0.5,1@0.6,1@0.7,1@0.8"}) {
    EXPECT_FALSE(Schedule::parse(text)) << text;
  }
}

}  // namespace
}  // namespace senet
