// Completes a host's table of functions, and checks it: its numbers, and its functions in random
// play.
#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "engine/host/table_game.hpp"
#include "nn/network_spec.hpp"
#include "senet/check_game.hpp"

namespace senet {
namespace {

struct Range {
  const char* name;
  std::uint32_t value, least, most;
};

/// Checks the table's constants and that its functions are set.
Result<void> check_numbers(const GameTable& table) {
  const senet_game_table& game = table.functions;
  if (!(game.start && game.turn && game.legal && game.play && game.outcome && game.key &&
        game.encode)) {
    return fail("a required function is NULL");
  }
  if ((game.text == nullptr) != (game.read == nullptr)) {
    return fail("text and read must both be set, or both NULL");
  }
  if ((game.action_text == nullptr) != (game.read_action == nullptr)) {
    return fail("action_text and read_action must both be set, or both NULL");
  }
  if (game.most_chance > 0 && !(game.chance && game.viewer)) {
    return fail("chance and viewer must not be NULL in a game with dice");
  }
  if (game.player_count == 1 && game.sound != nullptr) {
    return fail("sound must be NULL in a game of one player");
  }
  if (game.player_count == 1 && game.most_chance > 0) {
    return fail("most_chance must be 0 in a game of one player");
  }
  if ((game.mirror == nullptr) != (game.mirror_action == nullptr)) {
    return fail("mirror and mirror_action must both be set, or both NULL");
  }
  if ((game.solved == nullptr) != (game.as_start == nullptr)) {
    return fail("solved and as_start must both be set, or both NULL");
  }
  const bool has_logits = game.logits_of != nullptr;
  for (const Range& range : {
           Range{"state_size", game.state_size, 1, SENET_MOST_STATE},
           Range{"features", game.features, 1, SENET_MOST_FEATURES},
           Range{"most_active", game.most_active, 1, SENET_MOST_ACTIVE},
           Range{"actions", game.actions, 1, has_logits ? 65536u : SENET_MOST_FEATURES},
           Range{"most_legal", game.most_legal, 1, SENET_MOST_LEGAL},
           Range{"most_chance", game.most_chance, 0, SENET_MOST_CHANCE},
           Range{"player_count", game.player_count, 1, 2},
           Range{"outcomes", game.outcomes, 2,
                 game.player_count == 1 ? SENET_MOST_MOVES_LEFT + 1u : SENET_MOST_OUTCOMES},
           Range{"policy_logits", game.policy_logits, 1, SENET_MOST_FEATURES},
           Range{"logits_per_action", game.logits_per_action, 1, SENET_MOST_LOGITS},
       }) {
    if (range.value < range.least || range.value > range.most) {
      return fail(std::string(range.name) + " must be " + std::to_string(range.least) +
                  (range.most > range.least ? " .. " + std::to_string(range.most) : ""));
    }
  }
  return check_spec({.game = table.name,
                     .features = game.features,
                     .policy_logits = game.policy_logits,
                     .outcomes = game.outcomes});
}

/// Plays the game at random. Function names in errors become those of the table.
Result<void> check_functions(const GameTable& table) {
  try {
    const Result<void> checked =
        check_game({}, TableGame<SENET_MOST_STATE, true, /*kIsAudited=*/true>(table));
    if (checked) return {};
    std::string reason = checked.error().reason();
    for (const auto& [name, of_table] :
         {std::pair{"from_text:", "read:"}, std::pair{"action_from_text:", "read_action:"},
          std::pair{"mirrored:", "mirror, mirror_action:"}}) {
      if (reason.starts_with(name)) return fail(of_table + reason.substr(std::strlen(name)));
    }
    return fail(reason);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // from start()
    return fail(error.what());
  } catch (...) {
    return fail("a function threw something that is not a std::exception");
  }
}

}  // namespace

GameTable::GameTable(const senet_game_table& table)
    : name(table.name.data == nullptr ? std::string_view()
                                      : std::string_view(table.name.data, table.name.size)),
      functions(table) {
  functions.name = {};
  if (functions.player_count == 0) functions.player_count = 2;
  if (functions.outcomes == 0 && functions.player_count == 2) {
    functions.outcomes = 3;
    constexpr std::int8_t kValues[] = {1, 0, -1};
    constexpr std::uint8_t kMirror[] = {2, 1, 0};
    std::copy_n(kValues, 3, functions.outcome_values);
    std::copy_n(kMirror, 3, functions.outcome_mirror);
  }
  if (functions.logits_of == nullptr) {
    functions.policy_logits = functions.actions;
    functions.logits_per_action = 1;
  }
  const bool is_solitaire = functions.player_count == 1;
  const std::size_t room = is_solitaire ? outcome_values.size() : SENET_MOST_OUTCOMES;
  for (std::size_t i = 0; i < std::min<std::size_t>(functions.outcomes, room); ++i) {
    outcome_values[i] = is_solitaire ? 0.0f - static_cast<float>(i) : functions.outcome_values[i];
    outcome_mirror[i] = is_solitaire ? static_cast<std::uint8_t>(i) : functions.outcome_mirror[i];
    value_range = std::max(value_range, is_solitaire ? -outcome_values[i] : outcome_values[i]);
  }
}

Result<void> check_table(const GameTable& table) {
  const Result<void> numbers = check_numbers(table);
  const Result<void> checked = numbers ? check_functions(table) : numbers;
  if (checked) return {};
  return fail(SENET_BAD_ARGUMENT, (table.name.empty() ? "a game without a name" : table.name) +
                                      ": " + checked.error().reason());
}

}  // namespace senet
