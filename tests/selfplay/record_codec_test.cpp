// Game records as bytes: records survive a round trip, and no input bytes do harm.
#include "selfplay/record_codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/selfplay/record_samples.hpp"

namespace senet {
namespace {

std::vector<std::byte> bytes_of(const GameRecord& record) {
  std::vector<std::byte> payload;
  const auto encoded = encode(record, payload);
  EXPECT_TRUE(encoded) << encoded.error().reason();
  return payload;
}

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> list;
  for (const int value : values) list.push_back(static_cast<std::byte>(value));
  return list;
}

// A small game with one of everything; docs/record-format.md lists its bytes.
GameRecord small_record() {
  GameRecord record;
  record.seed = 0x0123456789abcdefu;
  record.game_number = 300;
  record.outcomes = 2;
  record.game = "nim";
  record.evaluator = "hash";
  record.settings = "v8";
  const std::uint16_t model = record.model_index(0x1122334455667788u);
  record.add_chance(5);
  const float root[] = {1.0f, 0.0f};
  const float chosen[] = {0.5f, 0.5f};
  const VisitCount visits[] = {{9, 200}, {3, 1}};
  record.add_decision({.action = 9,
                       .player = 1,
                       .kind = TurnKind::kFullSearch,
                       .model = model,
                       .root_value = 1.0f,
                       .root_outcomes = root,
                       .chosen_outcomes = chosen,
                       .visits = visits});
  record.add_decision({.action = 0, .player = 0, .kind = TurnKind::kForced});
  record.end_resigned(0, 1);
  return record;
}

TEST(GameRecord, KeepsWhatWasAdded) {
  const GameRecord record = small_record();
  ASSERT_EQ(record.turns().size(), 3u);
  const RecordedTurn& chance = record.turns()[0];
  EXPECT_EQ(chance.kind, TurnKind::kChance);
  EXPECT_TRUE(record.root_outcomes(chance).empty());
  EXPECT_TRUE(record.visits(chance).empty());

  const RecordedTurn& searched = record.turns()[1];
  EXPECT_EQ(searched.player, 1);
  EXPECT_EQ(record.models[searched.model], 0x1122334455667788u);
  ASSERT_EQ(record.root_outcomes(searched).size(), 2u);
  EXPECT_EQ(record.root_outcomes(searched)[0], 65535);
  EXPECT_EQ(record.chosen_outcomes(searched)[0], 32768);
  ASSERT_EQ(record.visits(searched).size(), 2u);
  EXPECT_EQ(record.visits(searched)[0], (VisitCount{3, 1}));  // sorted by action
  EXPECT_EQ(record.visits(searched)[1], (VisitCount{9, 200}));

  const RecordedTurn& forced = record.turns()[2];
  EXPECT_EQ(forced.model, kNoModel);
  EXPECT_TRUE(record.chosen_outcomes(forced).empty());
  EXPECT_EQ(record.end(), EndKind::kResigned);
  EXPECT_EQ(record.resigned_by(), 0);
  EXPECT_EQ(record.final_outcome(), 1);
}

TEST(GameRecord, ChosenOutcomesStandAloneWithoutRoot) {
  GameRecord record;
  record.outcomes = 3;
  const float chosen[] = {0.0f, 0.0f, 1.0f};
  record.add_decision({.kind = TurnKind::kRandom, .root_value = 5.0f, .chosen_outcomes = chosen});
  const RecordedTurn& turn = record.turns()[0];
  EXPECT_TRUE(record.root_outcomes(turn).empty());
  EXPECT_EQ(turn.root_value, 0.0f);  // stored only with the root's outcomes
  EXPECT_EQ(record.chosen_outcomes(turn)[2], 65535);
}

TEST(GameRecord, NamesEachModelOnce) {
  GameRecord record;
  EXPECT_EQ(record.model_index(7), 0);
  EXPECT_EQ(record.model_index(8), 1);
  EXPECT_EQ(record.model_index(7), 0);
  EXPECT_EQ(record.models.size(), 2u);
}

TEST(GameRecord, ClearedEqualsNew) {
  GameRecord record = random_record("game", 5);
  record.clear();
  EXPECT_EQ(record, GameRecord());
}

TEST(GameRecord, FixedPointIsTheNearestAndSumsToOneAgain) {
  EXPECT_EQ(to_fixed(0.0f), 0);
  EXPECT_EQ(to_fixed(1.0f), 65535);
  EXPECT_EQ(to_fixed(-0.1f), 0);
  EXPECT_EQ(to_fixed(1.1f), 65535);
  EXPECT_EQ(to_fixed(std::numeric_limits<float>::quiet_NaN()), 0);
  Random random(3, 0, 0, Purpose::kTest);
  for (int round = 0; round < 1000; ++round) {
    const std::vector<float> exact = random_distribution(random, 6);
    std::vector<std::uint16_t> fixed;
    for (const float part : exact) fixed.push_back(to_fixed(part));
    std::vector<float> back(6);
    to_distribution(fixed, back);
    float sum = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(back[i], exact[i], 6.0f / 65535);
      sum += back[i];
    }
    EXPECT_NEAR(sum, 1.0f, 1e-6f);
  }
  const std::vector<std::uint16_t> nothing(4);
  std::vector<float> back(4);
  to_distribution(nothing, back);
  EXPECT_EQ(back, std::vector<float>(4, 0.25f));
}

TEST(RecordCodec, WritesTheDocumentedBytes) {
  const auto expected = bytes({
      1,    2,                                         // version, outcomes
      0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,  // seed
      0xac, 0x02,                                      // game number 300
      3,    'n',  'i',  'm',  0,    4,    'h',  'a',  's',  'h',  2,
      'v',  '8',  1,    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,  // one model
      3,    0,    1,                                                     // resigned by 0, outcome 1
      3,                                                                 // turns
      0x00, 5,                                                           // chance outcome 5
      0x79, 9,    1,                                   // full search, player 1, all parts
      0x00, 0x00, 0x80, 0x3f,                          // root value 1
      0xff, 0xff, 0x00, 0x00, 0x00, 0x80, 0x00, 0x80,  // root, chosen outcomes
      2,    3,    1,    5,    0xc8, 0x01,              // visits: 3 once, 3 + 1 + 5 = 9 200 times
      0x03, 0,    0,                                   // forced, player 0, no model
  });
  EXPECT_EQ(bytes_of(small_record()), expected);
}

// The turn of docs/record-format.md with the outcomes of its visited actions.
TEST(RecordCodec, OutcomesOfVisitedActionsNeedVersion2) {
  GameRecord record;
  record.outcomes = 2;
  const VisitCount visits[] = {{3, 2}, {9, 2}};
  const float visited[] = {1.0f, 0.0f, 0.5f, 0.5f};
  record.add_decision({.action = 9, .visits = visits, .visited_outcomes = visited});
  record.end_played(1);
  const RecordedTurn& turn = record.turns()[0];
  EXPECT_EQ(record.visited_outcomes(turn, 0)[0], 65535);
  EXPECT_EQ(record.visited_outcomes(turn, 1)[1], 32768);

  const auto payload = bytes_of(record);
  EXPECT_EQ(payload,
            bytes({
                2,    2,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  // as in version 1
                1,    1,    1,                                               // played, outcome 1
                0xc1, 9,    0,              // full search, no model
                2,    3,    2,    5,    2,  // visits: 3 and 9 twice
                0xff, 0xff, 0x00, 0x00,     // after 3: 1, 0
                0x00, 0x80, 0x00, 0x80,     // after 9: 0.5, 0.5
            }));
  GameRecord decoded;
  ASSERT_TRUE(decode(payload, decoded));
  EXPECT_EQ(decoded, record);

  const auto refused = [&](std::size_t at, int put) {
    auto changed = payload;
    changed[at] = static_cast<std::byte>(put);
    return !decode(changed, decoded);
  };
  EXPECT_TRUE(refused(0, 1)) << "version 1 has no such outcomes";
  EXPECT_TRUE(refused(19, 0x81)) << "outcomes of visits that are not there";
}

TEST(RecordCodec, RoundTripsRandomRecords) {
  GameRecord decoded;  // reused: nothing of one record may remain in the next
  std::vector<std::byte> payload;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    const GameRecord record = random_record("game", number);
    ASSERT_TRUE(encode(record, payload));
    const auto read = decode(payload, decoded);
    ASSERT_TRUE(read) << read.error().reason();
    ASSERT_EQ(decoded, record) << "record " << number;
  }
}

TEST(RecordCodec, RoundTripsTheExtremes) {
  GameRecord record;
  record.seed = ~std::uint64_t{0};
  record.game_number = GameRecord::kMaxGameNumber;
  record.outcomes = GameRecord::kMaxOutcomes;
  record.start.assign(GameRecord::kMaxText, 'x');
  for (std::uint64_t i = 0; i < GameRecord::kMaxModels; ++i) record.model_index(i);
  std::vector<VisitCount> visits;
  for (std::uint32_t action = 0; action <= 0xffff; ++action) {
    visits.push_back({static_cast<Action>(action), 0xffffffffu - action});
  }
  const std::vector<float> outcomes(record.outcomes, 1.0f / 255);
  record.add_decision({.action = 0xffff,
                       .player = 1,
                       .model = static_cast<std::uint16_t>(GameRecord::kMaxModels - 1),
                       .root_value = -std::numeric_limits<float>::max(),
                       .root_outcomes = outcomes,
                       .chosen_outcomes = outcomes,
                       .visits = visits});
  record.end_cut(outcomes);
  GameRecord decoded;
  const auto read = decode(bytes_of(record), decoded);
  ASSERT_TRUE(read) << read.error().reason();
  EXPECT_EQ(decoded, record);
}

TEST(RecordCodec, RefusesToWriteWhatItWouldNotRead) {
  std::vector<std::byte> payload;
  const auto refused = [&](auto change) {
    GameRecord record = small_record();
    change(record);
    const auto encoded = encode(record, payload);
    return !encoded && !encoded.error().reason().empty();
  };
  EXPECT_FALSE(refused([](GameRecord&) {}));
  EXPECT_TRUE(refused([](GameRecord& r) { r.clear(); }));
  EXPECT_TRUE(refused([](GameRecord& r) { r.settings.assign(GameRecord::kMaxText + 1, 'x'); }));
  EXPECT_TRUE(refused([](GameRecord& r) { r.models.resize(GameRecord::kMaxModels + 1); }));
  EXPECT_TRUE(refused([](GameRecord& r) { r.models.clear(); }));
  EXPECT_TRUE(refused([](GameRecord& r) { r.game_number = GameRecord::kMaxGameNumber + 1; }));
  EXPECT_TRUE(refused([](GameRecord& r) {
    const float root[] = {0.5f, 0.5f};
    r.add_decision({.root_value = std::numeric_limits<float>::quiet_NaN(), .root_outcomes = root});
  }));
  EXPECT_TRUE(refused([](GameRecord& r) {
    const VisitCount twice[] = {{4, 1}, {5, 1}, {4, 2}};
    r.add_decision({.visits = twice});
  }));
  EXPECT_TRUE(refused([](GameRecord& r) {
    for (std::size_t i = 0; i < GameRecord::kMaxTurns; ++i) r.add_chance(0);
  }));
  EXPECT_TRUE(refused([](GameRecord& r) {
    std::vector<VisitCount> visits(0x10000);
    for (std::size_t i = 0; i < visits.size(); ++i) {
      visits[i] = {static_cast<Action>(i), 0xffffffffu};
    }
    for (int i = 0; i < 20; ++i) r.add_decision({.visits = visits});
  }));
}

TEST(RecordCodec, EveryTruncationFailsWithAReason) {
  GameRecord decoded;
  for (std::uint64_t number = 0; number < 40; ++number) {
    const auto payload = bytes_of(random_record("game", number, 12));
    for (std::size_t size = 0; size < payload.size(); ++size) {
      // A copy of exactly this size, so that sanitizers detect reads beyond it.
      const std::vector<std::byte> cut(payload.begin(),
                                       payload.begin() + static_cast<std::ptrdiff_t>(size));
      const auto read = decode(cut, decoded);
      ASSERT_FALSE(read) << "record " << number << " cut to " << size;
      ASSERT_FALSE(read.error().reason().empty());
      ASSERT_EQ(decoded, GameRecord());
    }
  }
}

TEST(RecordCodec, RefusesMoreBytesThanTheRecord) {
  auto payload = bytes_of(small_record());
  payload.push_back(std::byte{0});
  GameRecord decoded;
  EXPECT_FALSE(decode(payload, decoded));
}

// Every mutated payload is either rejected or the canonical encoding of some record.
TEST(RecordCodec, MutatedBytesAreRefusedOrCanonical) {
  Random random(4, 0, 0, Purpose::kTest);
  GameRecord decoded;
  std::vector<std::byte> again;
  std::size_t accepted = 0, refused = 0;
  for (std::uint64_t number = 0; number < 60; ++number) {
    const auto payload = bytes_of(random_record("game", number, 15));
    for (int round = 0; round < 500; ++round) {
      auto changed = payload;
      const std::uint32_t changes = 1 + random.below(4);
      for (std::uint32_t i = 0; i < changes; ++i) {
        std::byte& place = changed[random.below(static_cast<std::uint32_t>(changed.size()))];
        place = random.below(2) == 0 ? static_cast<std::byte>(random.next())
                                     : place ^ static_cast<std::byte>(1u << random.below(8));
      }
      if (!decode(changed, decoded)) {
        ++refused;
        continue;
      }
      ++accepted;
      ASSERT_TRUE(encode(decoded, again));
      ASSERT_EQ(again, changed);
    }
  }
  EXPECT_GT(accepted, 1000u);  // otherwise the test would cover too little
  EXPECT_GT(refused, 1000u);
}

TEST(RecordCodec, RandomBytesDoNoHarm) {
  Random random(5, 0, 0, Purpose::kTest);
  GameRecord decoded;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> noise(random.below(200));
    for (std::byte& place : noise) place = static_cast<std::byte>(random.next());
    if (noise.size() > 1) noise[0] = static_cast<std::byte>(1 + round % kPayloadVersion);
    static_cast<void>(decode(noise, decoded));
  }
}

TEST(RecordCodec, RefusesEachHostileField) {
  const auto good = bytes_of(small_record());
  const auto refused = [&](std::size_t at, std::initializer_list<int> put) {
    auto changed = good;
    for (const int value : put) changed[at++] = static_cast<std::byte>(value);
    GameRecord decoded;
    const auto read = decode(changed, decoded);
    return !read && decoded == GameRecord();
  };
  EXPECT_FALSE(refused(0, {1}));
  EXPECT_TRUE(refused(0, {0})) << "unknown version";
  EXPECT_TRUE(refused(0, {kPayloadVersion + 1})) << "unknown version";
  EXPECT_TRUE(refused(0, {2})) << "a higher version than needed";
  EXPECT_TRUE(refused(1, {0})) << "no outcomes";
  EXPECT_TRUE(refused(10, {0x80, 0x00})) << "varint longer than needed";
  EXPECT_TRUE(refused(12, {0x7f})) << "text beyond the end";
  EXPECT_TRUE(refused(12, {0xff, 0xff, 0xff, 0xff, 0x0f})) << "huge text";
  EXPECT_TRUE(refused(25, {0x7f})) << "models beyond the end";
  EXPECT_TRUE(refused(34, {0})) << "no end";
  EXPECT_TRUE(refused(34, {4})) << "unknown end";
  EXPECT_TRUE(refused(35, {2})) << "unknown player";
  EXPECT_TRUE(refused(36, {2})) << "unknown outcome";
  EXPECT_TRUE(refused(37, {0x7f})) << "turns beyond the end";
  EXPECT_TRUE(refused(38, {0x08})) << "a chance turn with a player";
  EXPECT_TRUE(refused(40, {0x05})) << "unknown kind of turn";
  EXPECT_TRUE(refused(40, {0xf9})) << "unknown bit";
  EXPECT_TRUE(refused(42, {2})) << "unknown model";
  EXPECT_TRUE(refused(43, {0, 0, 0x80, 0x7f})) << "infinite root value";
  EXPECT_TRUE(refused(55, {0})) << "an empty list of visits";
  EXPECT_TRUE(refused(55, {0x7f})) << "visits beyond the end";
}

// A run continues with the next number, which must exist: 2^64 - 2 once wrapped it.
TEST(RecordCodec, RefusesNumbersOfGamesThatNoRunReaches) {
  for (const auto& [number, is_good] :
       std::vector<std::pair<std::uint64_t, bool>>{{std::uint64_t{1} << 62, true},
                                                   {(std::uint64_t{1} << 62) + 1, false},
                                                   {~std::uint64_t{0} - 1, false}}) {
    auto payload = bytes_of(small_record());
    std::vector<std::byte> varint;
    std::uint64_t rest = number;
    for (; rest >= 0x80; rest >>= 7) varint.push_back(static_cast<std::byte>(rest | 0x80));
    varint.push_back(static_cast<std::byte>(rest));
    payload.erase(payload.begin() + 10, payload.begin() + 12);
    payload.insert(payload.begin() + 10, varint.begin(), varint.end());
    GameRecord decoded;
    const auto read = decode(payload, decoded);
    EXPECT_EQ(static_cast<bool>(read), is_good) << number;
    if (is_good) {
      EXPECT_EQ(decoded.game_number, number);
    } else {
      EXPECT_NE(read.error().reason().find(": game number is too large"), std::string::npos)
          << read.error().reason();
    }
  }
}

}  // namespace
}  // namespace senet
