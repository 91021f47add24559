// A host's game table in which one function starts to return wrong results, either while the table
// is checked or later during searches. The input determines the function, the time and the results.
#include <algorithm>
#include <bit>
#include <cstring>

#include "senet/own_game.hpp"
#include "tests/engine/own_games.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace senet {
namespace {

const senet_game_table& honest() {
  static const senet_game_table table = api::game_table<Race>();
  return table;
}

constexpr unsigned kFunctions = 14;  // of a table that may lie

/// What `user` points to.
struct Lie {
  std::uint8_t in_searches, function;  // odd: lies only in searches; the lying function
  std::uint16_t after;                 // number of honest answers before it
  std::uint32_t number, list, count;   // the wrong results
  std::uint32_t calls = 0;
  bool has_begun = false;

  /// Whether function `which` lies now.
  bool lies(std::uint8_t which) {
    return has_begun && which == function % kFunctions && ++calls > after;
  }
};

// Calls the honest function number kNumber, or `says` when that function lies.
template <std::uint8_t kNumber, auto kFunction, class Says, class... Arguments>
auto answer(void* user, Says says, Arguments... arguments) {
  Lie& lie = *static_cast<Lie*>(user);
  if (lie.lies(kNumber)) return says(lie);
  return (honest().*kFunction)(nullptr, arguments...);
}
std::uint32_t lying_list(const Lie& lie, senet_action* actions) {
  actions[0] = static_cast<senet_action>(lie.list);
  actions[1] = static_cast<senet_action>(lie.list >> 16);
  return lie.count;
}

senet_game_table lying(Lie& liar) {
  using Table = senet_game_table;
  Table table = honest();
  table.user = &liar;
  table.turn = [](void* user, const void* state) {
    return answer<0, &Table::turn>(
        user, [](Lie& lie) { return static_cast<senet_turn>(lie.number); }, state);
  };
  table.legal = [](void* user, const void* state, senet_action* actions) {
    return answer<1, &Table::legal>(
        user, [&](Lie& lie) { return lying_list(lie, actions); }, state, actions);
  };
  table.play = [](void* user, void* state, senet_action action) {
    answer<2, &Table::play>(
        user, [](Lie&) {}, state, action);
  };
  table.outcome = [](void* user, const void* state) {
    return answer<3, &Table::outcome>(
        user, [](Lie& lie) { return lie.number; }, state);
  };
  table.key = [](void* user, const void* state) {
    return answer<4, &Table::key>(
        user, [](Lie& lie) -> std::uint64_t { return lie.number; }, state);
  };
  table.encode = [](void* user, const void* state, std::uint16_t* feature, float* value) {
    const auto says = [&](Lie& lie) {
      feature[0] = static_cast<std::uint16_t>(lie.list);
      value[0] = std::bit_cast<float>(lie.number);
      return lie.count;
    };
    return answer<5, &Table::encode>(user, says, state, feature, value);
  };
  table.text = [](void* user, const void* state, char* text, std::size_t room) {
    return answer<6, &Table::text>(
        user, [](Lie& lie) -> std::size_t { return lie.count; }, state, text, room);
  };
  table.action_text = [](void* user, const void* state, senet_action action, char* text,
                         std::size_t room) {
    return answer<7, &Table::action_text>(
        user, [](Lie& lie) -> std::size_t { return lie.count; }, state, action, text, room);
  };
  table.read = [](void* user, senet_text text, void* state) {
    return answer<8, &Table::read>(
        user, [](Lie& lie) { return static_cast<std::int32_t>(lie.number); }, text, state);
  };
  table.read_action = [](void* user, const void* state, senet_text text, senet_action* action) {
    const auto says = [&](Lie& lie) {
      *action = static_cast<senet_action>(lie.list);
      return static_cast<std::int32_t>(lie.number);
    };
    return answer<9, &Table::read_action>(user, says, state, text, action);
  };
  table.chance = [](void* user, const void* state, float* probability) {
    const auto says = [&](Lie& lie) {
      probability[0] = std::bit_cast<float>(lie.number);
      probability[1] = std::bit_cast<float>(lie.list);
      return lie.count;
    };
    return answer<10, &Table::chance>(user, says, state, probability);
  };
  table.viewer = [](void* user, const void* state) {
    return answer<11, &Table::viewer>(
        user, [](Lie& lie) { return lie.number; }, state);
  };
  if (liar.function % kFunctions == 12) {
    // A roll precedes the opponent's move, so no move loses at once and all legal moves are sound.
    table.sound = [](void* user, const void* state, senet_action* actions) {
      Lie& lie = *static_cast<Lie*>(user);
      if (lie.lies(12)) return lying_list(lie, actions);
      return honest().legal(nullptr, state, actions);
    };
  }
  if (liar.function % kFunctions == 13) {
    // Without an honest answer: some features of the game are 2, and no set has those.
    table.feature_bits = [](void* user, const void*, std::uint64_t* words) {
      const Lie& lie = *static_cast<Lie*>(user);
      words[0] = lie.number | std::uint64_t{lie.list} << 32;
    };
  }
  return table;
}

void search(api::Engine& engine, std::string_view name) {
  engine.use(engine.untrained(name));
  auto session = engine.open_session(name);
  for (int ply = 0; ply < 8; ++ply) {
    const auto turn = session.try_turn();
    if (!turn || *turn == SENET_OVER) return;
    const auto found = session.try_search({.visits = 30});
    const auto legal = session.legal();
    const auto text = session.try_text();
    if (!legal.empty()) {
      static_cast<void>(session.try_action_text(legal.front()));
      if (!session.try_play(legal.front())) return;
    } else if (!session.try_play(0)) {
      return;
    }
    if (found) promise(found->value == found->value, "a value is not NaN");
  }
}

}  // namespace
}  // namespace senet

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  std::uint8_t bytes[16] = {};
  std::copy_n(data, std::min(size, sizeof bytes), bytes);
  const auto number = [&](std::size_t at) {
    std::uint32_t read;
    std::memcpy(&read, bytes + at, sizeof read);
    return read;
  };
  Lie lie{.in_searches = bytes[0],
          .function = bytes[1],
          .after = static_cast<std::uint16_t>(bytes[2] | bytes[3] << 8),
          .number = number(4),
          .list = number(8),
          .count = number(12)};
  lie.has_begun = lie.in_searches % 2 == 0;
  const senet_game_table table = lying(lie);
  senet_config config = api::default_config();
  config.workers = 0;
  config.evaluator = api::text("hash");
  api::Engine engine(config);
  senet_reason why{};
  const senet_status status = senet_engine_add_game(engine.handle(), &table, &why);
  promise(status == SENET_OK || status == SENET_BAD_ARGUMENT, "a table is accepted or bad");
  const std::string_view reason = why.text;
  promise(status == SENET_OK || reason.starts_with("race: "), "a reason begins with the game");
  promise(status == SENET_OK || reason.find(':', 6) != reason.npos, "a reason names the function");
  lie.has_begun = true;
  if (status == SENET_OK) search(engine, "race");
  return 0;
}
