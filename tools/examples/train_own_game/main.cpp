// Trains one of two games that are not part of Senet, then plays a match against random moves to
// measure the result.
#include <senet/train.hpp>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "breakthrough.hpp"
#include "ur.hpp"

/// Settings that train a good player within minutes.
template <>
senet::Kit senet::kit_of<Breakthrough>() {
  static constexpr auto kRecipe = std::to_array<RecipeEntry>({{"width", "64"},
                                                              {"blocks", "1"},
                                                              {"visits", "60"},
                                                              {"fast-visits", "60"},
                                                              {"temperature-plies", "8"},
                                                              {"random-plies", "4"},
                                                              {"begin-after", "2000"},
                                                              {"window-minimum", "20000"}});
  return {.recipe = kRecipe};
}

/// Settings that train a good player within minutes. The dice provide enough variety, so there is
/// no noise; with one visit the network alone chooses the moves.
template <>
senet::Kit senet::kit_of<Ur>() {
  static constexpr auto kRecipe = std::to_array<RecipeEntry>({{"width", "64"},
                                                              {"blocks", "1"},
                                                              {"visits", "1"},
                                                              {"fast-visits", "1"},
                                                              {"noise", "0"},
                                                              {"temperature-plies", "0"},
                                                              {"reuse-tree", "0"},
                                                              {"batch", "256"},
                                                              {"lambda", "0.7"},
                                                              {"begin-after", "5000"},
                                                              {"window-minimum", "50000"}});
  return {.recipe = kRecipe};
}

namespace {

constexpr int kIsBetter = 0, kIsNot = 1, kBadInput = 2;

struct Arguments {
  std::string game;
  senet::RunOptions options;
  std::vector<std::string> settings;  // of senet selfplay: "--visits", "60", ...
};

volatile std::sig_atomic_t interrupts = 0;

// Prints a line every ten seconds. Ctrl-C parks the games in play: with --resume they continue.
senet::RunHooks hooks() {
  senet::RunHooks hooks;
  hooks.progresses = [shown = 0.0](const senet::RunProgress& now) mutable {
    if (now.seconds - shown < 10) return;
    shown = now.seconds;
    std::printf("%4.0f s: %zu games, step %zu, loss %.3f + %.3f\n", now.seconds, now.learn.games,
                now.learn.steps, now.learn.policy_loss, now.learn.value_loss);
    std::fflush(stdout);
  };
  hooks.order = [] {
    return interrupts == 0 ? senet::RunOrder::kContinue : senet::RunOrder::kPark;
  };
  hooks.warning = [](const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); };
  return hooks;
}

/// Trains, then plays the match. Throws an error with the reason on failure.
template <senet::Game G>
int train(const Arguments& arguments) {
  senet::check_game<G>().value();
  senet::RunConfig config =
      (arguments.options.resume ? senet::load_config<G>(arguments.options.folder)
                                : senet::default_config<G>())
          .value();
  for (std::size_t i = 0; i < arguments.settings.size(); i += 2) {
    const std::string& name = arguments.settings[i];
    if (!name.starts_with("--") || i + 1 == arguments.settings.size()) {
      throw senet::fail(name + ": settings must be pairs --NAME VALUE");
    }
    senet::apply_setting(config, name.substr(2), arguments.settings[i + 1]).value();
  }
  const senet::RunSummary ended = senet::run<G>(config, arguments.options, hooks()).value();
  std::printf("%zu games, %zu steps, weights: %s\n", ended.progress.learn.games,
              ended.progress.learn.steps, ended.weights.c_str());

  // The network plays without search, because search alone would beat random moves.
  const auto player = senet::load_player<G>(ended.weights, 1).value();
  const auto result = senet::match_result<G>(*player, {.pairs = 200}).value();
  // A 95 % confidence interval: 1.96 standard errors of a normal distribution.
  const double low = result.score - 1.96 * result.score_error;
  const double high = result.score + 1.96 * result.score_error;
  std::printf("%s against random moves: score %.3f (%.3f .. %.3f) in %zu games\n",
              arguments.game.c_str(), result.score, low, high, result.games);
  return low > 0.5 ? kIsBetter : kIsNot;
}

}  // namespace

int main(int count, char** words) try {
  Arguments arguments;
  CLI::App app("Trains a game, then plays a match against random moves.", "train_own_game");
  app.add_option("GAME", arguments.game)->required()->check(CLI::IsMember({"ur", "breakthrough"}));
  app.add_option("--run", arguments.options.folder, "the run folder")->required();
  app.add_option("--minutes", arguments.options.minutes, "stop after this time");
  app.add_option("--games", arguments.options.games, "stop after this number of games");
  app.add_flag("--resume", arguments.options.resume, "continue the run in the folder");
  app.allow_extras()->footer("Other options are settings of senet selfplay, such as --visits 60.");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  arguments.settings = app.remaining();
  std::signal(SIGINT, [](int) { interrupts = interrupts + 1; });
  return arguments.game == Ur::kName ? train<Ur>(arguments) : train<Breakthrough>(arguments);
} catch (const std::exception& error) {
  std::fprintf(stderr, "train_own_game: %s\n", error.what());
  return kBadInput;
}
