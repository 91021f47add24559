// JSON as programs print it and as files of others say it.
#include "games/json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace senet {
namespace {

TEST(Json, PrintsEveryKindOfValueInTheOrderOfItsMembers) {
  Json json = Json::object({{"b", true}, {"a", 1}, {"text", "say \"hello\"\n"}, {"none", Json()}});
  json["list"] = Json::array({-2, 3u, 0.5f});
  json["inner"]["deeper"] = std::string_view("x");
  json["a"] = 2;
  EXPECT_EQ(json.dump(),
            R"({"b":true,"a":2,"text":"say \"hello\"\n","none":null,"list":[-2,3,0.5],)"
            R"("inner":{"deeper":"x"}})");
  EXPECT_EQ(Json::object({{"a", Json::array({1})}}).dump(2), "{\n  \"a\": [\n    1\n  ]\n}");
  EXPECT_EQ(Json().dump(), "null");
  EXPECT_EQ(Json::array().dump(), "[]");
  EXPECT_EQ(Json::object().dump(), "{}");
}

TEST(Json, ReadsBackWhatItPrints) {
  const Json json = Json::object({{"least", std::numeric_limits<std::int64_t>::min()},
                                  {"most", std::numeric_limits<std::uint64_t>::max()},
                                  {"fraction", -0.1},
                                  {"list", Json::array({Json::array(), Json::object(), false})}});
  EXPECT_EQ(Json::parse(json.dump()), json);
  EXPECT_EQ(Json::parse(json.dump(4)), json);
  EXPECT_NE(Json::parse(json.dump()), Json::object());
}

TEST(Json, KnowsWhatItHolds) {
  const Json json = Json::parse(R"({"n":7,"minus":-7,"x":7.0,"s":"7","b":false,"l":[7],"z":null})");
  ASSERT_TRUE(json.is_object());
  EXPECT_TRUE(json.find("n")->is_unsigned());
  EXPECT_EQ(json.find("n")->unsigned_number(), 7u);
  EXPECT_FALSE(json.find("minus")->is_unsigned());
  EXPECT_TRUE(json.find("minus")->is_integer());
  EXPECT_EQ(json.find("minus")->integer(), -7);
  EXPECT_FALSE(json.find("x")->is_integer());
  EXPECT_TRUE(json.find("x")->is_number());
  EXPECT_EQ(json.find("n")->number(), json.find("x")->number());
  EXPECT_EQ(*json.find_string("s"), "7");
  EXPECT_EQ(json.find_string("n"), nullptr);
  EXPECT_FALSE(json.find("b")->boolean());
  EXPECT_EQ(json.find("l")->elements().size(), 1u);
  EXPECT_TRUE(json.find("z")->is_null());
  EXPECT_EQ(json.find("missing"), nullptr);
  EXPECT_EQ(json.find("l")->find("n"), nullptr);
}

TEST(Json, MembersGoAndTheOrderStays) {
  Json json = Json::object({{"a", 1}, {"b", 2}, {"c", 3}});
  json.erase("b");
  json.erase("not there");
  EXPECT_EQ(json.dump(), R"({"a":1,"c":3})");
}

TEST(Json, WhatIsNoJsonIsNull) {
  for (const char* const text : {"", "{", "[1,]", "nul", "{\"a\":1}x", "'a'", "\"\xff\"", "01"}) {
    EXPECT_TRUE(Json::parse(text).is_null()) << text;
  }
  // A file of brackets neither ends the program nor costs a stack.
  EXPECT_TRUE(Json::parse(std::string(1'000'000, '[')).is_null());
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(Json::parse(deep).dump(), deep);
  EXPECT_TRUE(Json::parse('[' + deep + ']').is_null());
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(Json("a\xff"
                 "b")
                .dump(),
            "\"a\xef\xbf\xbd"
            "b\"");
}

}  // namespace
}  // namespace senet
