// The memory bound holds: counts everything that operator new allocates while games are played,
// weights exchanged and sessions opened and closed, and compares it with senet_config.memory and
// with the reserved bytes.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/network.hpp"
#include "nn/safetensors.hpp"
#include "senet/senet.hpp"
#include "tests/all_games.hpp"
#include "tests/effort.hpp"
#include "tests/weighed_heap.hpp"

namespace senet {
namespace {

struct Bounded {
  const char* game;
  const char* evaluator;
  std::uint64_t cache;
};

class MemoryBound : public testing::TestWithParam<Bounded> {};

TEST_P(MemoryBound, IsKept) {
  const std::string game = GetParam().game;
  constexpr std::uint32_t kSessions = 12;
  const std::size_t before = heap_bytes();
  heap_peak();
  senet_config config = api::default_config();
  config.workers = 2;
  config.sessions = kSessions;
  config.memory = (std::uint64_t{20 + effort(28)} << 20) + 6 * GetParam().cache;
  config.evaluator = api::text(GetParam().evaluator);
  config.cache = GetParam().cache;
  ASSERT_EQ(senet_config_fit(&config, {game.data(), game.size()}, &config.visits, nullptr),
            SENET_OK);
  ASSERT_GT(config.visits, 50u);
  {
    api::Engine engine(config);
    engine.use(engine.untrained(game, 1));
    std::vector<api::Session> sessions;
    for (std::uint32_t i = 0; i < kSessions; ++i) sessions.push_back(engine.open_session(game));
    EXPECT_EQ(engine.try_open_session(game).error().status(), SENET_NO_SLOT);
    for (std::uint64_t round = 0; round < effort(std::uint64_t{3}); ++round) {
      for (api::Session& session : sessions) {
        if (session.turn() == SENET_OVER) session.set("");
        if (session.turn() == SENET_CHANCE) session.play(static_cast<senet_action>(round));
        session.begin_search({.noise = true});  // until the tree is full
      }
      engine.use(engine.untrained(game, 2 + round));
      for (const api::Session& session : sessions) session.evaluate();
      const std::string position = sessions.front().text();
      engine.evaluate(game, std::vector(100, api::text(position)));
      for (api::Session& session : sessions) {
        session.wait();
        const api::Found found = session.result();
        EXPECT_TRUE(found.ending == SENET_BY_FULL_TREE || found.ending == SENET_BY_PROOF);
        session.play(found.action);
      }
      EXPECT_LE(heap_bytes() - before, engine.memory());
      sessions.pop_back();
      sessions.push_back(engine.open_session(game));
    }
    EXPECT_LE(engine.memory(), config.memory);
  }
  const std::size_t peak = heap_peak() - before;
  EXPECT_LE(peak, config.memory);
  EXPECT_GT(peak, config.memory * 3 / 4);  // most of the reserved memory is really used
  EXPECT_EQ(heap_bytes(), before);
}

// A result's memory is allocated when the session is opened, and results go directly into the
// caller's buffers.
TEST(MemoryOfResults, IsTakenWhenASessionIsOpened) {
  api::Engine engine;
  engine.use(engine.untrained("backgammon", 1));
  auto session = engine.open_session("backgammon");
  constexpr std::string_view kBeforeARoll = "4HPwATDgc/ABMA:0:-";
  // The roll with the most legal moves.
  std::size_t most = 0;
  senet_action widest = 0;
  for (senet_action roll = 0; roll < 21; ++roll) {
    session.set(kBeforeARoll, std::array{roll});
    if (session.legal().size() <= most) continue;
    most = session.legal().size();
    widest = roll;
  }
  ASSERT_GT(most, 20u);
  session.search({.visits = 2});  // makes the evaluator
  session.set(kBeforeARoll, std::array{widest});
  std::vector<senet_choice> choices(most);
  senet_result result = SENET_RESULT_INIT;
  const std::size_t before = heap_bytes();
  heap_peak();
  session.begin_search({.visits = 50});
  session.wait();
  ASSERT_EQ(senet_session_result(session.handle(), &result, choices.data(), choices.size()),
            SENET_OK);
  EXPECT_EQ(result.choice_count, most);
  EXPECT_LT(heap_peak() - before, 200u);  // the callback, and the worker's lists
}

// Opens one file of weights in a new engine; returns the status and checks the memory bound.
senet_status open_bounded(std::string_view file, std::uint64_t memory) {
  const std::size_t before = heap_bytes();
  heap_peak();
  senet_config config = api::default_config();
  config.workers = 0;
  config.memory = memory;
  senet_status status = SENET_OK;
  {
    api::Engine engine(config);
    senet_model* model = nullptr;
    status = senet_model_from_memory(engine.handle(), file.data(), file.size(), &model, nullptr);
    EXPECT_LE(engine.memory(), memory);
    senet_model_release(model);
  }
  EXPECT_LE(heap_peak() - before, memory) << senet_status_name(status);
  return status;
}

// The tensors in reverse order: weights in another order than save_network's have to be copied.
TEST(MemoryOfWeights, CopiesAreCountedFirst) {
  NetworkSpec spec = reference_spec<ConnectFour>();
  spec.width = 512;
  const Network network = initial_network(spec, 1);
  const auto bytes = std::as_bytes(network.parameters());
  const std::string_view data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  SafetensorsHeader header;
  header.metadata = {{"format", "senet-network-1"}, {"game", spec.game}};
  for (const SpecField& field : kSpecFields) {
    header.metadata[std::string(field.name)] = std::to_string(field.get(spec));
  }
  std::string reversed;
  const std::vector<TensorPlace> layout = parameter_layout(spec);
  for (auto place = layout.rbegin(); place != layout.rend(); ++place) {
    const std::size_t size = place->size() * sizeof(float);
    std::vector<std::uint64_t> shape{place->columns};
    if (place->decays) shape.insert(shape.begin(), place->rows);
    header.tensors.push_back({place->name, shape, reversed.size(), reversed.size() + size});
    reversed += data.substr(place->offset * sizeof(float), size);
  }
  const std::string file = write_safetensors_header(header) + reversed;
  EXPECT_EQ(open_bounded(file, file.size() * 3 / 2), SENET_NO_MEMORY);
  EXPECT_EQ(open_bounded(file, file.size() * 5 / 2), SENET_OK);
}

// Headers that consist of the most expensive JSON to read.
TEST(MemoryOfWeights, HeadersAreCountedFirst) {
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"{", "\"#\":0,"},
      {"{", "\"#\":{},"},
      {"{", "\"#\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},"},
      {"{\"__metadata__\":{", "\"#\":\"\","},
      {"{\"a\":{", "\"#\":0,"},
      {"{\"a\":{\"shape\":[", "0,"},
      {"{\"", "########"}};
  for (const auto& [begin, again] : kinds) {
    std::string json = begin;
    for (int i = 0; json.size() < 300'000; ++i) {
      std::string name;  // short and unique
      for (int left = i; left > 0 || name.empty(); left /= 64) {
        name += static_cast<char>('0' + left % 64 + (left % 64 > 43 ? 1 : 0));
      }
      std::string piece = again;
      if (const auto at = piece.find('#'); at != std::string::npos) piece.replace(at, 1, name);
      json += piece;
    }
    std::string file(8, '\0');
    const std::uint64_t length = json.size();
    std::memcpy(file.data(), &length, sizeof length);
    file += json;
    EXPECT_EQ(open_bounded(file, 4 << 20), SENET_NO_MEMORY) << begin << again;
    // The smallest bound with which the file is read, and then refused as a bad model.
    std::uint64_t least = 4 << 20, enough = 64 << 20;
    while (enough - least > 100'000) {
      const std::uint64_t middle = (least + enough) / 2;
      (open_bounded(file, middle) == SENET_NO_MEMORY ? least : enough) = middle;
    }
    EXPECT_EQ(open_bounded(file, enough), SENET_BAD_MODEL) << begin << again;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , MemoryBound,
    testing::Values(Bounded{"connect_four", "fused", 0}, Bounded{"backgammon", "fused", 0},
                    Bounded{"connect_four", "fused", 1 << 20},
                    Bounded{"backgammon", "fused", 1 << 22}, Bounded{"connect_four", "hash", 0},
                    Bounded{"backgammon", "int8", 0}),
    [](const auto& bounded) {
      const Bounded& param = bounded.param;
      return std::string(param.game) + "_" + param.evaluator + (param.cache > 0 ? "_cached" : "");
    });

}  // namespace
}  // namespace senet
