// Turns of backgammon as people write them, and back.
//
// What is read is compared by what it does, not how it is told: the checkers that leave and arrive,
// and the blots that are hit. So "24/18 13/12", "13/12 24/18" and "24/23 ..." told step by step all
// find their action.
#include <fmt/core.h>
#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <charconv>

#include "games/backgammon/backgammon.hpp"

namespace senet {
namespace {

using backgammon::Checkers;
using backgammon::Dice;
using backgammon::kBar;
using backgammon::kOff;
using backgammon::kPass;
using backgammon::Places;
using backgammon::Sources;

constexpr std::string_view kPassText = "pass";

// One checker's way: places[0] is where it starts, places[steps] where it ends.
struct Path {
  std::array<std::uint8_t, 5> places{};
  std::size_t steps = 0;

  std::uint8_t start() const { return places[0]; }
  std::uint8_t end() const { return places[steps]; }
};
using Paths = boost::container::static_vector<Path, 4>;

// What a turn does: how many checkers each place gains or loses, and where blots are hit.
struct Effect {
  std::array<std::int8_t, 26> change{};
  Places hits = 0;
};

std::uint8_t die_of(Dice dice, std::size_t index) { return index == 0 ? dice.high : dice.low; }

std::uint8_t destination(std::uint8_t source, std::uint8_t die) {
  return static_cast<std::uint8_t>(source > die ? source - die : kOff);
}

Effect effect_of(Action action, Dice dice, Places blots) {
  Effect effect;
  const Sources sources = backgammon::sources_of(action);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == 0) continue;
    const std::uint8_t to = destination(sources[i], die_of(dice, i));
    --effect.change[sources[i]];
    ++effect.change[to];
    effect.hits |= Places{1} << to & blots;
  }
  return effect;
}

// The turn's steps joined into ways of single checkers, in descending order of start, then of end.
Paths paths_of(Action action, Dice dice) {
  struct Step {
    std::uint8_t from, to;
  };
  boost::container::static_vector<Step, 4> steps;
  const Sources sources = backgammon::sources_of(action);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] != 0) steps.push_back({sources[i], destination(sources[i], die_of(dice, i))});
  }
  std::stable_sort(steps.begin(), steps.end(), [](Step a, Step b) { return a.from > b.from; });
  Paths paths;
  for (const Step step : steps) {
    auto path = std::find_if(paths.begin(), paths.end(),
                             [&](const Path& earlier) { return earlier.end() == step.from; });
    if (path == paths.end()) {
      paths.push_back(Path{.places = {step.from}});
      path = paths.end() - 1;
    }
    path->places[++path->steps] = step.to;
  }
  std::stable_sort(paths.begin(), paths.end(), [](const Path& a, const Path& b) {
    return a.start() != b.start() ? a.start() > b.start() : a.end() > b.end();
  });
  return paths;
}

std::string place_text(std::uint8_t place) {
  if (place == kBar) return "bar";
  if (place == kOff) return "off";
  return fmt::format("{}", place);
}

// Places between start and end are told only where the checker hits; `passing_hits` are those no
// other checker's way ends at, and lose what is told.
std::string path_text(const Path& path, Places blots, Places& passing_hits) {
  std::string text = place_text(path.start());
  for (std::size_t i = 1; i < path.steps; ++i) {
    const Places here = Places{1} << path.places[i];
    if ((passing_hits & here) == 0) continue;
    passing_hits &= ~here;
    text += fmt::format("/{}*", path.places[i]);
  }
  const bool hits = (blots & Places{1} << path.end()) != 0;
  return text + fmt::format("/{}{}", place_text(path.end()), hits ? "*" : "");
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_space(char c) { return c == ' ' || c == '\t'; }

// Reads a turn word by word and adds up its effect.
class TurnReader {
 public:
  TurnReader(Dice dice, Places blots) : dice_(dice), blots_(blots) {}

  Result<Effect> read(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
      if (is_space(text[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < text.size() && !is_space(text[i])) ++i;
      const std::string_view word = text.substr(begin, i - begin);
      if (const Result<void> read = read_word(word); !read) return fail(read.error().reason());
    }
    return effect_;
  }

 private:
  // "24/18", "bar/23*/20", "8/5*(2)".
  Result<void> read_word(std::string_view word) {
    word_ = word;
    rest_ = word;
    int times = 1;
    if (const std::size_t open = rest_.find('('); open != std::string_view::npos) {
      if (rest_.size() != open + 3 || rest_.back() != ')' || rest_[open + 1] < '1' ||
          rest_[open + 1] > '4') {
        return fail(fmt::format("in '{}': a repetition is (1) to (4)", word_));
      }
      times = rest_[open + 1] - '0';
      rest_ = rest_.substr(0, open);
    }
    checkers_ += times;
    if (checkers_ > 4) return fail("a turn has at most four steps");

    const Result<std::uint8_t> start = read_place();
    if (!start) return fail(start.error().reason());
    if (rest_.empty()) return fail(fmt::format("'{}' does not tell where the checker goes", word_));
    std::uint8_t from = *start;
    while (!rest_.empty()) {
      if (rest_.front() != '/') return fail(fmt::format("expected '/' in '{}'", word_));
      rest_.remove_prefix(1);
      const Result<std::uint8_t> to = read_place();
      if (!to) return fail(to.error().reason());
      if (const Result<void> step = check_step(from, *to); !step) return step;
      if (const Result<void> hit = read_hit(*to); !hit) return hit;
      from = *to;
    }
    effect_.change[*start] = static_cast<std::int8_t>(effect_.change[*start] - times);
    effect_.change[from] = static_cast<std::int8_t>(effect_.change[from] + times);
    return {};
  }

  Result<std::uint8_t> read_place() {
    const auto takes = [&](std::string_view name) {
      if (rest_.size() < name.size()) return false;
      for (std::size_t i = 0; i < name.size(); ++i) {
        if (lower(rest_[i]) != name[i]) return false;
      }
      rest_.remove_prefix(name.size());
      return true;
    };
    if (takes("bar")) return kBar;
    if (takes("off")) return kOff;
    std::uint8_t place = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), place);
    if (error != std::errc{} || place > kBar) {
      return fail(fmt::format("in '{}': places are 1..24, bar and off", word_));
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return place;
  }

  Result<void> check_step(std::uint8_t from, std::uint8_t to) const {
    if (from <= to) return fail(fmt::format("'{}': checkers move to lower points", word_));
    const int pips = from - to;
    const bool fits = dice_.is_double() ? pips % dice_.high == 0 && pips <= 4 * dice_.high
                                        : pips == dice_.high || pips == dice_.low ||
                                              pips == dice_.high + dice_.low;
    if (to != kOff && !fits) {
      return fail(fmt::format("'{}': no checker moves {} pips with {}{}", word_, pips, dice_.high,
                              dice_.low));
    }
    return {};
  }

  Result<void> read_hit(std::uint8_t place) {
    const bool blot = (blots_ & Places{1} << place) != 0;
    if (blot) effect_.hits |= Places{1} << place;
    if (rest_.empty() || rest_.front() != '*') return {};
    rest_.remove_prefix(1);
    if (!blot) return fail(fmt::format("'{}': there is no blot to hit on {}", word_, place));
    return {};
  }

  const Dice dice_;
  const Places blots_;
  Effect effect_;
  int checkers_ = 0;
  std::string_view word_, rest_;
};

Result<Action> read_roll(std::string_view text, bool opening) {
  const std::optional<Dice> dice =
      text.size() == 2 ? backgammon::make_dice(text[0] - '0', text[1] - '0') : std::nullopt;
  if (!dice) return fail(fmt::format("a roll is two digits 1..6, not '{}'", text));
  if (opening && dice->is_double()) {
    return fail(fmt::format("an opening roll is no double, so not '{}'", text));
  }
  return backgammon::roll_action(*dice);
}

}  // namespace

std::string Backgammon::action_text(Action action) const {
  if (dice_.high == 0) {
    const Dice dice = backgammon::dice_of(action);
    return fmt::format("{}{}", dice.high, dice.low);
  }
  if (action == kPass) return std::string(kPassText);
  const Places blots = backgammon::opponent_blots(checkers_[1 - on_roll_]);
  const Paths paths = paths_of(action, dice_);
  Places passing_hits = blots;
  for (const Path& path : paths) passing_hits &= ~(Places{1} << path.end());

  std::string text, last;
  int times = 0;
  const auto add_last = [&] {
    if (times == 0) return;
    if (!text.empty()) text += ' ';
    text += last;
    if (times > 1) text += fmt::format("({})", times);
  };
  for (const Path& path : paths) {
    std::string next = path_text(path, blots, passing_hits);
    if (next == last) {
      ++times;
      continue;
    }
    add_last();
    last = std::move(next);
    times = 1;
  }
  add_last();
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
    return fail(fmt::format("{}{} can be played, so no pass", dice_.high, dice_.low));
  }
  if (must_pass) return fail(fmt::format("{}{} cannot be played: pass", dice_.high, dice_.low));

  const Places blots = backgammon::opponent_blots(checkers_[1 - on_roll_]);
  const Result<Effect> told = TurnReader(dice_, blots).read(text);
  if (!told) return fail(told.error().reason());

  // A checker told to move with both dice may have two ways that hit differently. Without a hit
  // told between, the way without one is meant, or the only way there is.
  std::optional<Action> found;
  bool ambiguous = false;
  for (const Action action : actions) {
    const Effect effect = effect_of(action, dice_, blots);
    if (effect.change != told->change) continue;
    if (effect.hits == told->hits) return action;
    if ((told->hits & ~effect.hits) != 0) continue;
    ambiguous = found.has_value();
    found = action;
  }
  if (!found) {
    return fail(fmt::format("'{}' is not a legal play of {}{}", text, dice_.high, dice_.low));
  }
  if (ambiguous) {
    return fail(fmt::format("'{}' can hit in more than one way: tell the point between", text));
  }
  return *found;
}

}  // namespace senet
