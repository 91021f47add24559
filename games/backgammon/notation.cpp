// Writes and reads turns of backgammon in the usual notation.
//
// A turn that is read is compared with the legal actions by its effect: the checkers that leave and
// arrive, and the blots that are hit. So the order of the words does not matter, nor whether a
// checker's steps are joined.
#include <fmt/core.h>
#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

#include "games/backgammon/backgammon.hpp"
#include "games/fields.hpp"

namespace senet {
using namespace backgammon;

namespace {

constexpr std::string_view kPassText = "pass";

// One checker's path: all places from its start to its end.
using Path = boost::container::static_vector<std::uint8_t, 5>;
using Paths = boost::container::static_vector<Path, 4>;

// The effect of a turn: how many checkers each place gains or loses, and where blots are hit.
struct Effect {
  std::array<std::int8_t, 26> change{};
  Places hits = 0;
};

// One checker's move with one die.
struct Step {
  std::uint8_t from, to;
};
using Steps = boost::container::static_vector<Step, 4>;

Steps steps_of(Action action, Dice dice) {
  Steps steps;
  const Sources sources = sources_of(action);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::uint8_t from = sources[i], die = i == 0 ? dice.high : dice.low;
    if (from == 0) continue;
    steps.push_back({from, static_cast<std::uint8_t>(from > die ? from - die : kOff)});
  }
  return steps;
}

Effect effect_of(Action action, Dice dice, Places blots) {
  Effect effect;
  for (const auto [from, to] : steps_of(action, dice)) {
    --effect.change[from];
    ++effect.change[to];
    effect.hits |= Places{1} << to & blots;
  }
  return effect;
}

// The turn's steps joined into paths of single checkers, in descending order of start, then of end.
Paths paths_of(Action action, Dice dice) {
  Steps steps = steps_of(action, dice);
  std::ranges::stable_sort(steps, std::ranges::greater(), &Step::from);
  Paths paths;
  for (const Step& step : steps) {
    auto path = std::ranges::find_if(paths, [&](const Path& p) { return p.back() == step.from; });
    if (path == paths.end()) path = paths.insert(path, Path{step.from});
    path->push_back(step.to);
  }
  std::ranges::stable_sort(paths, std::ranges::greater(),
                           [](const Path& path) { return std::pair(path.front(), path.back()); });
  return paths;
}

std::string place_text(std::uint8_t place) {
  return place == kBar ? "bar" : place == kOff ? "off" : std::to_string(place);
}

// Intermediate places are written only where the checker hits. `passing_hits` contains the blots at
// which no path ends; those written here are removed from it.
std::string path_text(const Path& path, Places blots, Places& passing_hits) {
  std::string text = place_text(path.front());
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const Places here = Places{1} << path[i];
    if ((passing_hits & here) == 0) continue;
    passing_hits &= ~here;
    text += fmt::format("/{}*", path[i]);
  }
  const bool hits = (blots & Places{1} << path.back()) != 0;
  return text + fmt::format("/{}{}", place_text(path.back()), hits ? "*" : "");
}

bool can_move_so_far(int pips, Dice dice) {
  if (dice.is_double()) return pips % dice.high == 0 && pips <= 4 * dice.high;
  return pips == dice.high || pips == dice.low || pips == dice.high + dice.low;
}

// Removes a place from the front of `text` and returns it; none when `text` begins with no place.
std::optional<std::uint8_t> take_place(std::string_view& text) {
  constexpr std::pair<std::string_view, std::uint8_t> kNames[] = {{"bar", kBar}, {"off", kOff}};
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (const auto& [name, place] : kNames) {
    if (!std::ranges::equal(text.substr(0, name.size()), name, {}, lower)) continue;
    text.remove_prefix(name.size());
    return place;
  }
  std::uint8_t place = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error != std::errc{} || place > kBar) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return place;
}

// Adds the effect of a word of a turn: "24/18", "bar/23*/20", "8/5*(2)". Returns the number of
// checkers that it moves.
Result<int> read_word(std::string_view word, Dice dice, Places blots, Effect& effect) {
  const auto no_place = [&] {
    return fail(fmt::format("in '{}': places are 1..24, bar and off", word));
  };
  std::string_view rest = word.substr(0, word.find('('));
  const std::string_view repetition = word.substr(rest.size());
  int times = 1;
  if (!repetition.empty()) {
    times = repetition.size() == 3 && repetition[2] == ')' ? repetition[1] - '0' : 0;
    if (times < 1 || times > 4) {
      return fail(fmt::format("in '{}': a repetition is (1) to (4)", word));
    }
  }
  const std::optional<std::uint8_t> start = take_place(rest);
  if (!start) return no_place();
  if (rest.empty()) return fail(fmt::format("'{}' has no destination", word));
  std::uint8_t from = *start;
  while (!rest.empty()) {
    if (rest.front() != '/') return fail(fmt::format("expected '/' in '{}'", word));
    rest.remove_prefix(1);
    const std::optional<std::uint8_t> to = take_place(rest);
    if (!to) return no_place();
    if (from <= *to) return fail(fmt::format("'{}': checkers move to lower points", word));
    if (*to != kOff && !can_move_so_far(from - *to, dice)) {
      return fail(fmt::format("'{}': no checker moves {} pips with {}{}", word, from - *to,
                              dice.high, dice.low));
    }
    const Places hit = Places{1} << *to & blots;
    effect.hits |= hit;
    if (rest.starts_with('*')) {
      rest.remove_prefix(1);
      if (hit == 0) return fail(fmt::format("'{}': there is no blot to hit on {}", word, *to));
    }
    from = *to;
  }
  effect.change[*start] = static_cast<std::int8_t>(effect.change[*start] - times);
  effect.change[from] = static_cast<std::int8_t>(effect.change[from] + times);
  return times;
}

Result<Effect> read_turn(std::string_view text, Dice dice, Places blots) {
  Effect effect;
  int checkers = 0;
  for (const std::string_view word : split(text, " \t")) {
    if (word.empty()) continue;
    const Result<int> moved = read_word(word, dice, blots, effect);
    if (!moved) return moved.error();
    checkers += *moved;
    if (checkers > 4) return fail("a turn has at most four steps");
  }
  return effect;
}

Result<Action> read_roll(std::string_view text, bool opening) {
  const std::optional<Dice> dice = make_dice(text);
  if (!dice) return fail(fmt::format("a roll is two digits 1..6, not '{}'", text));
  if (opening && dice->is_double()) {
    return fail(fmt::format("an opening roll is not a double, so not '{}'", text));
  }
  return roll_action(*dice);
}

}  // namespace

std::string Backgammon::action_text(Action action) const {
  if (dice_.high == 0) {
    const Dice dice = dice_of(action);
    return fmt::format("{}{}", dice.high, dice.low);
  }
  if (action == kPass) return std::string(kPassText);
  const Places blots = opponent_blots(checkers_[1 - on_roll_]);
  const Paths paths = paths_of(action, dice_);
  Places passing_hits = blots;
  for (const Path& path : paths) passing_hits &= ~(Places{1} << path.back());

  std::vector<std::string> words;
  for (const Path& path : paths) words.push_back(path_text(path, blots, passing_hits));
  std::string text;
  for (auto word = words.begin(); word != words.end();) {
    const auto next = std::find_if(word, words.end(), [&](auto& other) { return other != *word; });
    text += (text.empty() ? "" : " ") + *word;
    if (next - word > 1) text += fmt::format("({})", next - word);
    word = next;
  }
  return text;
}

Result<Action> Backgammon::action_from_text(std::string_view text) const {
  if (is_over()) return fail("the game is over");
  if (dice_.high == 0) return read_roll(text, opening_ != 0);

  ActionList<kMaxLegal> actions;
  legal(actions);
  const bool must_pass = actions.front() == kPass;
  if (text == kPassText) {
    if (must_pass) return kPass;
    return fail(fmt::format("{}{} can be played, so pass is illegal", dice_.high, dice_.low));
  }
  if (must_pass) return fail(fmt::format("{}{} cannot be played: pass", dice_.high, dice_.low));

  const Places blots = opponent_blots(checkers_[1 - on_roll_]);
  const Result<Effect> wanted = read_turn(text, dice_, blots);
  if (!wanted) return wanted.error();

  // A checker that moves with both dice may have two paths with different hits. If the text names
  // no intermediate hit, it means the path without one, or the only path.
  std::optional<Action> found;
  bool ambiguous = false;
  for (const Action action : actions) {
    const Effect effect = effect_of(action, dice_, blots);
    if (effect.change != wanted->change) continue;
    if (effect.hits == wanted->hits) return action;
    if ((wanted->hits & ~effect.hits) != 0) continue;
    ambiguous = found.has_value();
    found = action;
  }
  if (!found) {
    return fail(fmt::format("'{}' is not a legal play of {}{}", text, dice_.high, dice_.low));
  }
  if (ambiguous) {
    return fail(
        fmt::format("'{}' can hit in more than one way: name the intermediate point", text));
  }
  return *found;
}

}  // namespace senet
