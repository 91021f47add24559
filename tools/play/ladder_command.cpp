// senet ladder: finds levels of strength of a network, by matches between neighbours.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "nn/levels.hpp"
#include "nn/network.hpp"
#include "selfplay/match.hpp"
#include "tools/command.hpp"
#include "tools/play/players.hpp"
#include "tools/terminal.hpp"

namespace senet {
namespace {

struct LadderArguments {
  std::string game, weights;
  std::uint32_t levels = 10;
  float most_loss = 0.5f;
  double step = 0.65;
  std::size_t pairs = 1000;
  std::uint64_t seed = 1;
  PlayerSettings player;
  std::filesystem::path write;
};

constexpr auto settings_of(std::type_identity<LadderArguments>) {
  using A = LadderArguments;
  return std::tuple{
      setting("levels", &A::levels, "number of levels", {.least = 2, .most = kMaxLevels}),
      setting("most-loss", &A::most_loss,
              "largest loss that the weakest level accepts in a move whose value the search knows; "
              "the higher levels accept less, the top none",
              {.least = 0, .most = 100, .unit = "points"}),
      setting("step", &A::step, "expected score of a level against the one below it",
              {.least = 0.51, .most = 0.99}),
      setting("pairs", &A::pairs,
              "pairs of games that measure a step; each temperature tried gets a third as many",
              {.least = 3, .most = 1'000'000}),
      setting("seed", &A::seed, "seed for openings, dice and moves")};
}

// A temperature near 0 plays the best move, a high one all moves alike.
constexpr double kLeastTemperature = 0.1, kMostTemperature = 30;

/// The score of a level, with its standard error, against the level below it or random moves.
struct Step {
  double score, error;
};

class Ladder {
 public:
  Ladder(const AnyGame& game, LadderArguments arguments, Network network)
      : game_(game), arguments_(std::move(arguments)), network_(std::move(network)) {}

  Result<void> run() {
    std::vector<Level> levels = {
        {.visits = arguments_.player.visits, .temperature = 0, .rating = 0}};
    std::vector<Step> steps;
    while (levels.size() < arguments_.levels) {
      levels.push_back(below(levels.back(), levels.size()));
      // Other games than those of the search for the temperature.
      steps.push_back(match(*player(levels[levels.size() - 2]).player,
                            *player(levels.back()).player, arguments_.pairs, arguments_.seed + 1));
      const std::size_t number = arguments_.levels - levels.size() + 1;
      print_step(number, levels.back(), steps.back());
      if (steps.back().score < 0.5 + (arguments_.step - 0.5) / 2) {
        return fail(fmt::format(
            "level {} is not weaker by --step even if it draws its moves almost uniformly: ask for "
            "fewer levels, more visits or a smaller step",
            number));
      }
    }
    std::ranges::reverse(levels);
    std::ranges::reverse(steps);
    const Step first = against_random(levels.front());
    levels.front().rating = std::max(rating(first.score), 0.0f);
    for (std::size_t i = 1; i < levels.size(); ++i) {
      levels[i].rating = levels[i - 1].rating + std::max(rating(steps[i - 1].score), 1.0f);
    }
    steps.insert(steps.begin(), first);
    print_table(levels, steps);
    if (arguments_.write.empty()) return {};
    network_.set_levels(levels);
    return save_network(network_, arguments_.write);
  }

 private:
  static float rating(double score) {
    // A score of 1 has no finite rating. Whole numbers: the error is of some points.
    return static_cast<float>(std::round(elo_difference(std::clamp(score, 0.0005, 0.9995))));
  }

  PlayerHolder player(const Level& level) const {
    PlayerSettings settings = arguments_.player;
    settings.search.level = level;
    settings.visits = level.visits;
    return value_for("--weights",
                     programs_of(game_).make_network_player(game_, arguments_.weights, settings));
  }
  Step match(MatchPlayer& first, MatchPlayer& second, std::size_t pairs, std::uint64_t seed) const {
    const MatchSettings settings{.pairs = pairs, .seed = seed};
    const MatchResult result = match_result(game_, first, second, settings).value();
    return {result.score, result.score_error};
  }
  Step against_random(const Level& level) const {
    SimpleMatchPlayer random(game_.players.front());
    return match(*player(level).player, random, arguments_.pairs, arguments_.seed + 1);
  }

  // The level `depth` below the top, which `above` beats by the step: bisects the logarithm of its
  // temperature, to a tenth.
  Level below(const Level& above, std::size_t depth) const {
    const double share = static_cast<double>(depth) / (arguments_.levels - 1);
    const double visits = std::pow(arguments_.player.visits, 1 - share);
    Level level = {.visits = static_cast<std::uint32_t>(std::lround(visits)),
                   .most_loss = rounded(arguments_.most_loss * share)};
    const PlayerHolder stronger = player(above);
    double low = std::log(kLeastTemperature), high = std::log(kMostTemperature);
    while (high - low > 0.1) {
      const double middle = (low + high) / 2;
      level.temperature = rounded(std::exp(middle));
      const Step tried =
          match(*stronger.player, *player(level).player, arguments_.pairs / 3, arguments_.seed);
      (tried.score < arguments_.step ? low : high) = middle;
    }
    level.temperature = rounded(std::exp((low + high) / 2));
    return level;
  }
  // To three digits.
  static float rounded(double value) {
    if (!(value > 0)) return 0;
    const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
    return static_cast<float>(std::round(value / unit) * unit);
  }

  static void print_step(std::size_t number, const Level& level, const Step& step) {
    print_stderr("level {}: {} visits, temperature {}; the level above scores {:.1f} %\n", number,
                 level.visits, level.temperature, 100 * step.score);
  }
  static void print_table(const std::vector<Level>& levels, const std::vector<Step>& steps) {
    constexpr std::string_view kRow = "{:>5}  {:>6}  {:>11}  {:>9}  {:>6}  {}\n";
    fmt::print(kRow, "level", "visits", "temperature", "most loss", "rating",
               "score against the one below");
    for (std::size_t i = 0; i < levels.size(); ++i) {
      fmt::print(kRow, i + 1, levels[i].visits, levels[i].temperature, levels[i].most_loss,
                 levels[i].rating,
                 fmt::format("{:.1f} % (+- {:.1f}){}", 100 * steps[i].score,
                             100 * 1.96 * steps[i].error, i == 0 ? ", random moves" : ""));
    }
  }

  const AnyGame& game_;
  const LadderArguments arguments_;
  Network network_;
};

Job prepare(LadderArguments arguments, const Games& games) {
  const AnyGame& game = *value_for("--game", games.find(arguments.game));
  if (const auto has = check_has_matches(game); !has) throw fail("--game: " + has.error().reason());
  if (arguments.weights.empty()) arguments.weights = default_source(game.name);
  if (!arguments.write.empty()) {  // before hours of matches
    const std::filesystem::path folder = std::filesystem::absolute(arguments.write).parent_path();
    if (::access(folder.c_str(), W_OK) != 0) {
      throw fail(fmt::format("--write: {}: {}", folder.string(), std::strerror(errno)));
    }
  }
  const NetworkSpec reference = reference_spec(game);
  Network network = value_for("--weights", open_network(arguments.weights, reference));
  auto ladder = std::make_unique<Ladder>(game, std::move(arguments), std::move(network));
  return [ladder = std::move(ladder)] { return ladder->run(); };
}

}  // namespace

void add_ladder_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<LadderArguments>();
  const Command command = program.add_command(
      "ladder",
      "Find levels at which a network plays below full strength, by matches between them");
  command.heading("Ladder");
  command.option("--game", arguments->game, "the game").shows_type("NAME").required();
  add_weights_option(command, arguments->weights);
  add_settings(command, *arguments);
  command
      .option("--write", arguments->write,
              "write the network with these levels to this weights file, which may be the same")
      .shows_type("FILE");
  command.heading("Search of networks");
  auto entry = kVisitsSetting;
  entry.help = "visits of the top level, which plays its best move";
  entry.range.least = 1;
  add_setting(command, entry, arguments->player.visits);
  add_search_options(command, arguments->player.search);
  add_workers_option(command, arguments->player.search);
  command.footer(
      "The visits of a level are a fixed share of those of the level above it, down to 1. Its "
      "temperature is found so that the level above scores --step. Ratings are in Elo; uniformly "
      "random moves are rated 0.");
  command.runs([arguments, &games] { return prepare(*arguments, games); });
}

}  // namespace senet
