// When a protocol session allocates the memory of its tree.
#include <gtest/gtest.h>

#include "tests/tools/play/protocol/talk.hpp"
#include "tests/weighed_heap.hpp"

namespace senet::protocol {
namespace {

// The memory is reserved before the first search, so that allocation does not use its time.
TEST(ProtocolMemory, IsReservedBeforeTheFirstSearch) {
  for (const char* const game : {"connect_four", "backgammon"}) {
    Options options;
    options.game = game;
    options.search.evaluation.kind = EvaluatorKind::kHash;
    options.hash_mib = 4;
    std::size_t before = heap_bytes();
    Engine engine(kGames, options);
    EXPECT_GT(heap_bytes() - before, std::size_t{3} << 20) << game;
    for (const std::uint32_t mib : {32, 8}) {
      options.hash_mib = mib;
      engine.configure(options, Change::kSearch);
      EXPECT_GT(heap_bytes() - before, (mib * 7 / 8) << 20) << game;
      AnyState state(engine.game());
      if (state.turn() == Turn::kChance) state.play(3);
      const std::size_t ready = heap_bytes();
      heap_peak();
      engine.search(state, {.visits = 500}, [] { return true; });
      EXPECT_LT(heap_peak() - ready, std::size_t{1} << 18) << game;  // the result, copied
    }
  }
}

// The old tree is freed before the new one is reserved, because the memory may not hold both. With
// kept trees, only the new half for copies is reserved before that.
TEST(ProtocolMemory, OneTreeAtATime) {
  for (const bool keeps : {false, true}) {
    Options options;
    options.game = "connect_four";
    options.search.evaluation.kind = EvaluatorKind::kHash;
    options.hash_mib = 64;
    options.reuse_tree = keeps;
    const std::size_t before = heap_bytes();
    Engine engine(kGames, options);
    heap_peak();
    options.hash_mib = 48;
    engine.configure(options, Change::kSearch);
    const std::size_t most_mib = keeps ? 64 + 24 + 8 : 64 + 8;
    EXPECT_LT(heap_peak() - before, most_mib << 20);
  }
}

}  // namespace
}  // namespace senet::protocol
