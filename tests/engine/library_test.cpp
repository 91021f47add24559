// libsenet.a as a host links it: its evaluators.
#include <gtest/gtest.h>
#include <senet/senet.hpp>

namespace senet {
namespace {

api::Found found_with(const char* evaluator, std::uint64_t cache) {
  senet_config config = api::default_config();
  config.evaluator = api::text(evaluator);
  config.cache = cache;
  api::Engine engine(config);
  engine.use(engine.builtin("connect_four"));
  return engine.open_session("connect_four").search({.visits = 50});
}

TEST(Library, AnswersWithEveryEvaluatorOfItsOwn) {
  const api::Found fused = found_with("", 0);
  for (const std::uint64_t cache : {0, 1 << 16}) {
    for (const char* const same : {"fused", "reference"}) {
      const api::Found found = found_with(same, cache);
      EXPECT_EQ(found.action, fused.action) << same;
      EXPECT_NEAR(found.value, fused.value, 1e-2) << same;
    }
    EXPECT_EQ(found_with("fused", cache).value, fused.value);
    EXPECT_NE(found_with("hash", cache).value, fused.value);
    EXPECT_EQ(found_with("auto", cache).visits, 50u);
  }
}

TEST(Library, RefusesEvaluatorsThatItDoesNotHave) {
  const auto refusal = [](const char* evaluator) {
    senet_config config = api::default_config();
    config.evaluator = api::text(evaluator);
    const auto engine = api::Engine::try_open(config);
    return engine ? Error{SENET_OK, "opened"} : engine.error();
  };
  EXPECT_EQ(refusal("fast").status(), SENET_BAD_ARGUMENT);
  EXPECT_EQ(refusal("fast").reason(),
            "evaluator must be one of fused, int8, onednn, auto, reference, hash, not \"fast\"");
  if (SENET_HAS_ONEDNN) {
    EXPECT_EQ(refusal("onednn").reason(), "opened");
    EXPECT_EQ(found_with("onednn", 0).action, found_with("fused", 0).action);
  } else {
    EXPECT_EQ(refusal("onednn").status(), SENET_BAD_ARGUMENT);
    EXPECT_EQ(refusal("onednn").reason(),
              "evaluator: this library was built without oneDNN: rebuild with -DSENET_ONEDNN=ON");
  }
}

}  // namespace
}  // namespace senet
