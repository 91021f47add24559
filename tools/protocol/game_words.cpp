#include "tools/protocol/game_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "games/backgammon/xgid.hpp"
#include "games/registry.hpp"
#include "tools/protocol/words.hpp"

namespace senet::protocol {
namespace {

// A grid's text has its rows from the top, parted by slashes; digits stand for empty cells.
std::vector<std::string> draw_grid(std::string_view text, std::string_view columns,
                                   bool has_row_numbers) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '/') {
      lines.emplace_back();
    } else if (c >= '0' && c <= '9') {
      for (int i = 0; i < c - '0'; ++i) lines.back() += " .";
    } else {
      lines.back().append({' ', c});
    }
  }
  if (has_row_numbers) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines[i] += fmt::format("  {}", lines.size() - i);
  }
  lines.emplace_back();
  for (const char c : columns) lines.back().append({' ', c});
  return lines;
}

// What is seen of a point in one of the five rows of its half: the first row has the number of
// checkers that have no row of their own.
std::string cell(int own, int theirs, int row) {
  constexpr int kRows = 5;
  const int count = std::max(own, theirs);
  if (count <= row) return "   ";
  if (row == 0 && count > kRows) return fmt::format("{:2} ", count);
  return own > 0 ? " X " : " O ";
}

std::vector<std::string> draw_state(const TicTacToe& state) {
  return draw_grid(state.text(), "abc", true);
}

std::vector<std::string> draw_state(const ConnectFour& state) {
  return draw_grid(state.text(), "1234567", false);
}

std::vector<std::string> draw_state(const Backgammon& state) {
  const backgammon::Board board = state.board();
  const auto point = [&](std::size_t place, int row) {
    return cell(board.on_roll[place], board.waiting[25 - place], row);
  };
  std::vector<std::string> lines = {"+13-14-15-16-17-18------19-20-21-22-23-24-+"};
  const auto add_row = [&](int row, bool upper) {
    std::string line = "|";
    for (std::size_t i = 0; i < 12; ++i) {
      if (i == 6) line += "|    |";
      line += point(upper ? 13 + i : 12 - i, row);
    }
    lines.push_back(line + "|");
  };
  for (int row = 0; row < 5; ++row) add_row(row, true);
  lines.push_back("|" + std::string(18, ' ') + "|BAR |" + std::string(18, ' ') + "|");
  for (int row = 4; row >= 0; --row) add_row(row, false);
  lines.push_back("+12-11-10--9--8--7-------6--5--4--3--2--1-+");
  const auto add_player = [&](std::string_view player, const backgammon::Checkers& checkers) {
    lines.push_back(fmt::format("{}: {} pips, {} on the bar, {} off", player,
                                backgammon::pips(checkers), checkers[backgammon::kBar],
                                checkers[backgammon::kOff]));
  };
  add_player("X, on turn", board.on_roll);
  add_player("O", board.waiting);
  lines.push_back("xgid " + state.xgid());
  return lines;
}

template <Game G>
constexpr bool kIsBackgammon = std::is_same_v<G, Backgammon>;

Error no_backgammon(std::string_view game) {
  return refuse(Code::kUnsupportedFeature,
                fmt::format("that is a word of backgammon; this is {}", game));
}

template <Game G>
Result<G> legal_position(Result<G> state) {
  if (!state) return refuse(Code::kIllegalPosition, state.error());
  return state;
}

template <Game G>
G start(Player on_roll) {
  if constexpr (kIsBackgammon<G>) {
    if (const Result<G> state = G::start({.on_roll = on_roll})) return *state;
  }
  return G{};
}

Result<Backgammon> from_xgid(std::string_view text) {
  const Result<backgammon::Xgid> xgid = backgammon::parse_xgid(text);
  if (!xgid) return xgid.error();
  return Backgammon::from_text(text);
}

template <Game G>
Result<G> before_the_moves(const PositionRequest& request, Player on_roll) {
  switch (request.kind) {
    case PositionRequest::Kind::kStart:
      return start<G>(on_roll);
    case PositionRequest::Kind::kText:
      return legal_position(G::from_text(request.text));
    case PositionRequest::Kind::kGnuId:
    case PositionRequest::Kind::kXgid:
      break;
  }
  if constexpr (kIsBackgammon<G>) {
    if (request.kind == PositionRequest::Kind::kGnuId) {
      return legal_position(G::from_position_id(request.text, on_roll));
    }
    return legal_position(from_xgid(request.text));
  } else {
    return no_backgammon(G::kName);
  }
}

// Plays moves that come word by word. With dice, a roll is one word, "31", and a play is the
// words behind it with a slash in them, "8/5 6/5", or "pass".
template <Game G>
Result<void> play(G& state, std::span<const std::string_view> words) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < words.size();) {
    ++number;
    std::string move(words[i++]);
    if constexpr (StochasticGame<G>) {
      const auto is_step = [](std::string_view word) { return word.find('/') != word.npos; };
      if (is_step(move)) {
        while (i < words.size() && is_step(words[i])) move.append(" ").append(words[i++]);
      }
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

// use(state), as a Result, for the state that a text of ours says.
template <class Use>
auto with_state(std::string_view game, std::string_view position, Use&& use) {
  return visit_game(game,
                    [&]<class G>(std::type_identity<G>) { return use(*G::from_text(position)); });
}

// The same for backgammon, where use() makes another state.
template <class Use>
Result<std::string> with_backgammon(std::string_view game, std::string_view position, Use&& use) {
  return with_state(game, position, [&]<Game G>(const G& state) -> Result<std::string> {
    if constexpr (kIsBackgammon<G>) {
      const Result<G> changed = use(state);
      if (!changed) return changed.error();
      return changed->text();
    } else {
      return no_backgammon(G::kName);
    }
  });
}

}  // namespace

Result<std::string> read_position(std::string_view game, const PositionRequest& request,
                                  Player on_roll) {
  return visit_game(game, [&]<class G>(std::type_identity<G>) -> Result<std::string> {
    Result<G> state = before_the_moves<G>(request, on_roll);
    if (!state) return state.error();
    if (const Result<void> played = play(*state, request.moves); !played) return played.error();
    return state->text();
  });
}

Result<std::string> with_dice(std::string_view game, std::string_view position, int first,
                              int second) {
  return with_backgammon(game, position, [&](const Backgammon& state) -> Result<Backgammon> {
    const std::optional<backgammon::Dice> dice = backgammon::make_dice(first, second);
    if (!dice) return refuse(Code::kBadArgument, "each of the dice is 1 to 6");
    if (state.turn() == Turn::kOver) return refuse(Code::kGameOver, "the game is over");
    return legal_position(Backgammon::from_board(state.board(), state.viewer(), dice));
  });
}

Result<std::string> with_player_on_roll(std::string_view game, std::string_view position,
                                        Player player) {
  return with_backgammon(game, position, [&](const Backgammon& state) -> Result<Backgammon> {
    if (player == state.viewer()) return state;  // an opening roll stays one
    return legal_position(Backgammon::from_board(state.board(), player, state.dice()));
  });
}

std::vector<std::string> draw(std::string_view game, std::string_view position) {
  return *with_state(game, position, [](const auto& state) { return draw_state(state); });
}

std::optional<Leaves> count_leaves(std::string_view game, std::string_view position, int depth,
                                   const std::function<bool()>& goes_on) {
  return *with_state(game, position,
                     [&](const auto& state) { return perft(state, depth, goes_on); });
}

}  // namespace senet::protocol
