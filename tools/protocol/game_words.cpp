#include "tools/protocol/game_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "tools/protocol/words.hpp"

namespace senet::protocol {
namespace {

Error other_games(const AnyGame& game, const std::function<bool(const AnyGame&)>& have_it) {
  return refuse(Code::kUnsupportedFeature,
                fmt::format("that is a word of {}; this is {}", games_that(have_it), game.name));
}

Result<AnyState> legal_position(Result<AnyState> state) {
  if (!state) return refuse(Code::kIllegalPosition, state.error());
  return state;
}

const Notation* find_notation(const AnyGame& game, std::string_view name) {
  const auto found = std::ranges::find(game.notations, name, &Notation::name);
  return found == game.notations.end() ? nullptr : &*found;
}

Result<AnyState> before_the_moves(const AnyGame& game, const PositionRequest& request,
                                  Player on_roll) {
  switch (request.kind) {
    case PositionRequest::Kind::kStart:
      return game.start_of(on_roll);
    case PositionRequest::Kind::kText:
      return legal_position(AnyState::from_text(game, request.text));
    case PositionRequest::Kind::kNotation:
      break;
  }
  if (const Notation* const notation = find_notation(game, request.notation)) {
    return legal_position(notation->read(request.text, on_roll));
  }
  return other_games(
      game, [&](const AnyGame& any) { return find_notation(any, request.notation) != nullptr; });
}

// Plays moves that come word by word, some of them in several words.
Result<void> play(AnyState& state, std::span<const std::string_view> words) {
  const AnyGame& game = state.game();
  std::size_t number = 0;
  for (std::size_t i = 0; i < words.size();) {
    ++number;
    std::string move(words[i++]);
    if (game.continues_move(move)) {
      while (i < words.size() && game.continues_move(words[i])) move.append(" ").append(words[i++]);
    }
    const auto wrong = [&](std::string_view reason) {
      return refuse(Code::kIllegalMove,
                    fmt::format("move {} {}: {}", number, in_quotes(move), reason));
    };
    if (state.turn() == Turn::kOver) return wrong("the game is over before it");
    const Result<Action> action = state.action_from_text(move);
    if (!action) return wrong(action.error().reason());
    state.play(*action);
  }
  return {};
}

}  // namespace

Result<AnyState> read_position(const AnyGame& game, const PositionRequest& request,
                               Player on_roll) {
  Result<AnyState> state = before_the_moves(game, request, on_roll);
  if (!state) return state;
  if (const Result<void> played = play(*state, request.moves); !played) return played.error();
  return state;
}

Result<AnyState> with_dice(const AnyState& position, int first, int second) {
  const AnyGame& game = position.game();
  if (game.with_dice == nullptr) {
    return other_games(game, [](const AnyGame& any) { return any.with_dice != nullptr; });
  }
  if (position.turn() == Turn::kOver) return refuse(Code::kGameOver, "the game is over");
  Result<AnyState> rolled = game.with_dice(position, first, second);
  if (!rolled) return refuse(Code::kBadArgument, rolled.error());
  return rolled;
}

Result<AnyState> with_player_on_roll(const AnyState& position, Player player) {
  const AnyGame& game = position.game();
  if (game.with_player_on_roll == nullptr) {
    return other_games(game, [](const AnyGame& any) { return any.with_player_on_roll != nullptr; });
  }
  return legal_position(game.with_player_on_roll(position, player));
}

}  // namespace senet::protocol
