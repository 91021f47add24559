// senet report: what the moves of recorded games lose, and how lucky their dice were.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "games/games.hpp"
#include "nn/file.hpp"
#include "tools/command.hpp"
#include "tools/play/players.hpp"
#include "tools/play/protocol/analysis.hpp"
#include "tools/play/protocol/engine.hpp"
#include "tools/terminal.hpp"

namespace senet {
namespace {

using protocol::Engine;
using protocol::Json;

// Losses in points from which a move counts as an error and as a blunder, as in GNU Backgammon.
constexpr float kError = 0.04f, kBlunder = 0.08f;

struct ReportArguments {
  std::filesystem::path mat;
  protocol::Options engine;
  bool json = false;
};

/// The figures of one player.
struct Account {
  std::string player;
  std::size_t decisions = 0;  // moves that were not forced
  std::size_t errors = 0, blunders = 0;
  double loss = 0, luck = 0;  // in points

  /// The performance rating: 500 times the mean loss of a decision that was not forced.
  double rating() const { return decisions == 0 ? 0 : 500 * loss / static_cast<double>(decisions); }
};

class Report {
 public:
  Report(const Games& known, const AnyGame& game, std::vector<ReadGame> games,
         const ReportArguments& arguments)
      : game_(game),
        games_(std::move(games)),
        arguments_(arguments),
        engine_(known, arguments.engine) {}

  Result<void> run() {
    ProgressLine progress("games", games_.size());
    for (std::size_t i = 0; i < games_.size(); ++i) {
      account(i);
      progress.show(i + 1);
    }
    print_accounts();
    return {};
  }

 private:
  static bool always() { return true; }

  void account(std::size_t number) {
    const ReadGame& read = games_[number];
    std::array<std::string, 2> players = read.players;
    if (players[0] == players[1]) players = {players[0] + " (first)", players[1] + " (second)"};
    if (!arguments_.json) {
      fmt::print("Game {}: {} against {}\n", number + 1, players[0], players[1]);
      fmt::print(kRow, "move", "player", "roll", "played", "loss", "luck", "best");
    }
    AnyState state = game_.start_of(game_, read.first);
    std::string roll;
    double luck = 0;
    std::size_t moves = 0;
    for (const Action action : read.actions) {
      const std::string& player = players[state.viewer()];
      Account& account = account_of(player);
      if (state.turn() == Turn::kChance) {
        roll = state.action_text(action);
        luck = luck_of(state, action);
        account.luck += luck;
      } else {
        Json line = {{"game", number + 1}, {"move", ++moves}, {"player", player}};
        if (game_.has_dice) line["roll"] = roll, line["luck"] = luck;
        line["played"] = state.action_text(action);
        judge(state, action, account, line);
        arguments_.json ? fmt::print("{}\n", protocol::line_of(line)) : print_move(line);
      }
      state.play(action);
    }
    if (!arguments_.json) fmt::print("\n");
  }

  // What the dice gave, compared to the mean of all rolls.
  double luck_of(const AnyState& state, Action rolled) {
    std::vector<float> chances;
    state.chance(chances);
    std::vector<AnyState> rolls(chances.size(), state);
    for (std::size_t i = 0; i < rolls.size(); ++i) rolls[i].play(static_cast<Action>(i));
    double mean = 0, value = 0;
    engine_.evaluate(rolls, [&](std::size_t i, const Expectation& expected) {
      mean += chances[i] * expected.value;
      if (i == rolled) value = expected.value;
    });
    return value - mean;
  }

  void judge(const AnyState& state, Action action, Account& account, Json& line) {
    std::vector<Action> legal;
    state.legal(legal);
    if (legal.size() == 1) return;
    const SessionLimits limits{.visits = std::max(arguments_.engine.visits, 1u), .lines = 1};
    const SessionResult found = engine_.search(state, limits, always);
    const Choice& best = found.choices.front();
    const auto played = std::ranges::find(found.choices, action, &Choice::action);
    float value = played->value;
    if (played->visits < best.visits) {  // the search has looked at it less closely
      SessionLimits only = limits;
      only.actions = {action};
      value = engine_.search(state, only, always).choices.front().value;
    }
    const float loss = action == best.action ? 0 : std::max(best.value - value, 0.0f);
    ++account.decisions;
    account.loss += loss;
    account.errors += loss >= kError;
    account.blunders += loss >= kBlunder;
    line["loss"] = loss;
    line["value"] = best.value;
    if (loss > 0) line["best"] = state.action_text(best.action);
  }

  Account& account_of(const std::string& player) {
    const auto found = std::ranges::find(accounts_, player, &Account::player);
    if (found != accounts_.end()) return *found;
    return accounts_.emplace_back(Account{.player = player});
  }

  // A forced move has no loss.
  void print_move(const Json& line) const {
    const auto text = [&](const char* key) {
      const auto found = line.find(key);
      if (found == line.end()) return std::string();
      return found->is_number_float() ? fmt::format("{:+.3f}", found->get<double>())
             : found->is_number()     ? std::to_string(found->get<std::size_t>())
                                      : found->get<std::string>();
    };
    const std::string loss =
        line.contains("loss") ? fmt::format("{:.3f}", line["loss"].get<double>()) : "";
    fmt::print(kRow, text("move"), text("player"), text("roll"), text("played"), loss, text("luck"),
               text("best"));
  }

  void print_accounts() const {
    for (const Account& a : accounts_) {
      if (arguments_.json) {
        fmt::print("{}\n", protocol::line_of({{"player", a.player},
                                              {"decisions", a.decisions},
                                              {"errors", a.errors},
                                              {"blunders", a.blunders},
                                              {"loss", a.loss},
                                              {"pr", a.rating()},
                                              {"luck", a.luck}}));
        continue;
      }
      const std::string luck = game_.has_dice ? fmt::format(", luck {:+.3f}", a.luck) : "";
      fmt::print(
          "{}: PR {:.2f}, {:.3f} points lost in {} unforced decisions, {} errors, {} of "
          "them blunders{}\n",
          a.player, a.rating(), a.loss, a.decisions, a.errors, a.blunders, luck);
    }
  }

  static constexpr std::string_view kRow = "{:>4}  {:<12.12}  {:<4}  {:<24}  {:>6}  {:>6}  {}\n";

  const AnyGame& game_;
  const std::vector<ReadGame> games_;
  const ReportArguments arguments_;
  Engine engine_;
  std::vector<Account> accounts_;
};

Job prepare(const Games& known, const ReportArguments& arguments) {
  const AnyGame& game = *value_for("--game", known.find(arguments.engine.game));
  const auto has_format = [](const AnyGame& any) { return any.read_match != nullptr; };
  if (!has_format(game)) {
    throw fail(fmt::format("--mat: the format is only for {}", games_that(has_format)));
  }
  const FileBytes file = value_for("--mat", read_whole_file(arguments.mat));
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  std::vector<ReadGame> games = value_for("--mat", game.read_match(text));
  auto report = std::make_unique<Report>(known, game, std::move(games), arguments);
  return [report = std::move(report)] { return report->run(); };
}

}  // namespace

void add_report_command(const Command& program, const Games& games) {
  auto arguments = std::make_shared<ReportArguments>();
  protocol::Options& engine = arguments->engine;
  engine.reuse_tree = false;  // the figures of a move depend on its position only
  engine.visits = 1;
  engine.threads = std::clamp(std::thread::hardware_concurrency(), 1u, protocol::kMaxThreads);
  const Command command = program.add_command(
      "report", "Report what the moves of recorded games lose, and how lucky the dice were");
  command.heading("Report");
  command.option("--game", engine.game, "the game").shows_type("NAME").shows_default();
  command.option("--mat", arguments->mat, "file with games in the .mat format")
      .shows_type("FILE")
      .required();
  add_weights_option(command, engine.weights, "the network that judges");
  command.flag("--json", arguments->json, "print one JSON object per line");
  command.heading("Search");
  auto visits = kVisitsSetting;
  add_setting(command, visits, engine.visits);
  auto threads = setting("threads", &protocol::Options::threads, "threads of a search",
                         {.least = 1, .most = protocol::kMaxThreads});
  add_setting(command, threads, engine.threads);
  add_search_options(command, engine.search);
  command.footer(
      "A loss is the difference in points between the best move and the one played. An error loses "
      "0.04 points or more, a blunder 0.08. PR, the performance rating, is 500 times the mean loss "
      "of the unforced decisions. Luck compares the value after a roll with the mean of all "
      "rolls.");
  command.runs([&games, arguments] { return prepare(games, *arguments); });
}

}  // namespace senet
