// Writing JSON and reading it, including invalid input.
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
  EXPECT_EQ(json_text(json),
            R"({"b":true,"a":2,"text":"say \"hello\"\n","none":null,"list":[-2,3,0.5],)"
            R"("inner":{"deeper":"x"}})");
  EXPECT_EQ(json_text({{"a", {1}}}, 2), "{\n  \"a\": [\n    1\n  ]\n}");
  EXPECT_EQ(json_text({}), "null");
  EXPECT_EQ(json_text(Json::array()), "[]");
  EXPECT_EQ(json_text(Json::object()), "{}");
}

TEST(Json, ReadsBackWhatItPrints) {
  const Json json = Json::object({{"least", std::numeric_limits<std::int64_t>::min()},
                                  {"most", std::numeric_limits<std::uint64_t>::max()},
                                  {"fraction", -0.1},
                                  {"list", Json::array({Json::array(), Json::object(), false})}});
  EXPECT_EQ(parse_json(json_text(json)), json);
  EXPECT_EQ(parse_json(json_text(json, 4)), json);
  EXPECT_NE(parse_json(json_text(json)), Json::object());
}

TEST(Json, FindsStringsOnly) {
  const Json json = parse_json(R"({"n":7,"s":"7","z":null})");
  EXPECT_EQ(*find_string(json, "s"), "7");
  EXPECT_EQ(find_string(json, "n"), nullptr);
  EXPECT_EQ(find_string(json, "missing"), nullptr);
  EXPECT_EQ(find_string(json["n"], "s"), nullptr);
  EXPECT_EQ(find_string(Json(), "s"), nullptr);
}

TEST(Json, WhatIsNoJsonIsNull) {
  for (const char* const text : {"", "{", "[1,]", "nul", "{\"a\":1}x", "'a'", "\"\xff\"", "01"}) {
    EXPECT_TRUE(parse_json(text).is_null()) << text;
  }
  // A file of brackets neither crashes the program nor overflows the stack.
  EXPECT_TRUE(parse_json(std::string(1'000'000, '[')).is_null());
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(json_text(parse_json(deep)), deep);
  EXPECT_TRUE(parse_json('[' + deep + ']').is_null());
}

TEST(Json, NamesAKeyThatOccursTwiceInAnObject) {
  const auto repeated = [](const char* text) {
    std::string key;
    EXPECT_TRUE(parse_json(text, &key).is_object());
    return key;
  };
  EXPECT_EQ(repeated(R"({"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}],"d":"a"})"), "");
  EXPECT_EQ(repeated(R"({"a":1,"b":2,"a":1})"), "a");
  EXPECT_EQ(repeated(R"({"a":[{"b":1,"c":2,"b":3}]})"), "b");
  EXPECT_EQ(parse_json(R"({"a":1,"a":2})")["a"], 2);
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(json_text("a\xff"
                      "b"),
            "\"a\xef\xbf\xbd"
            "b\"");
}

}  // namespace
}  // namespace senet
