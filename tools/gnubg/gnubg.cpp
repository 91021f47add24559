#include "tools/gnubg/gnubg.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <ranges>
#include <utility>

namespace senet {
namespace {

using backgammon::Board;
using backgammon::Dice;
using backgammon::Probabilities;

constexpr std::string_view kName = "gnubg";
constexpr std::chrono::seconds kTimeToStart(60);

bool is_program(const std::filesystem::path& file) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(file, unknown) && ::access(file.c_str(), X_OK) == 0;
}

/// Everything that could change an answer is said, so that no default of the program or of a
/// distribution matters.
std::vector<std::string> startup_commands(int ply, const std::filesystem::path& socket) {
  std::vector<std::string> commands = {"set jacoby off", "set cube use off", "set threads 1"};
  for (const std::string_view what : {"chequerplay", "cubedecision"}) {
    const std::string set = fmt::format("set evaluation {} evaluation ", what);
    commands.push_back(set + fmt::format("plies {}", ply));
    commands.push_back(set + "cubeful off");
    commands.push_back(set + "prune off");
    commands.push_back(set + "noise 0");
  }
  // Search ply, ply of the filter's step: keep so many, and up to 8 more within 0.16; -1 skips.
  commands.push_back("set evaluation movefilter 1 0 0 8 0.16");
  commands.push_back("set evaluation movefilter 2 0 0 8 0.16");
  commands.push_back("set evaluation movefilter 2 1 -1");
  commands.push_back(fmt::format("external {}", socket.string()));
  return commands;
}

/// The board as the FIBS server tells it to the player on roll, dice 0 before the roll; a match
/// length of 0 means money.
std::string fibs_board(const Board& board, Dice dice) {
  return fmt::format("board:X:O:0:0:0:{}:1:{}:{}:0:0:1:1:1:0:1:-1:0:25:{}:{}:0:0:0:0:0:1",
                     fmt::join(signed_points(board), ":"), dice.high, dice.low,
                     board.on_roll[backgammon::kOff], board.waiting[backgammon::kOff]);
}

Result<GnubgEvaluation> parse_evaluation(std::string_view text) {
  std::array<double, 6> numbers{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (double& number : numbers) {
    while (at != end && *at == ' ') ++at;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) return fail("is not six numbers");
    at = next;
  }
  if (std::any_of(at, end, [](char c) { return c != ' ' && c != '\r'; })) {
    return fail("is more than six numbers");
  }
  // Written so that a number that is none fails too.
  const auto is_probability = [](double p) { return p >= 0 && p <= 1; };
  if (!std::ranges::all_of(numbers | std::views::take(5), is_probability) ||
      !(numbers[5] >= -3 && numbers[5] <= 3)) {
    return fail("has a number out of its range");
  }
  const auto probability = [&](std::size_t i) { return static_cast<float>(numbers[i]); };
  return GnubgEvaluation{.probabilities = {.win = probability(0),
                                           .win_gammon = probability(1),
                                           .win_backgammon = probability(2),
                                           .lose_gammon = probability(3),
                                           .lose_backgammon = probability(4)},
                         .equity = numbers[5]};
}

/// The worth of a game that `player` has won or lost.
GnubgEvaluation decided(const Backgammon& state, Player player) {
  const std::uint8_t outcome = state.outcome();
  std::array<float, 6> outcomes{};
  outcomes[player == 0 ? outcome : Backgammon::kOutcomeMirror[outcome]] = 1;
  return {.probabilities = backgammon::cumulative(outcomes), .equity = final_value(state, player)};
}

}  // namespace

std::optional<Result<GnubgSettings>> parse_gnubg(std::string_view text) {
  if (!text.starts_with(kName)) return std::nullopt;
  std::string_view rest = text.substr(kName.size());
  GnubgSettings settings;
  if (rest.size() >= 2 && rest[0] == ':' && rest[1] >= '0' && rest[1] <= '0' + kMostGnubgPly) {
    settings.ply = rest[1] - '0';
    rest.remove_prefix(2);
    settings.full = rest == ":full";
    if (rest.empty() || settings.full) return settings;
  }
  return fail(fmt::format("\"{}\" is not gnubg:PLY or gnubg:PLY:full with a PLY of 0 to {}", text,
                          kMostGnubgPly));
}

std::optional<std::filesystem::path> find_gnubg() {
  const char* const path = std::getenv("PATH");
  const std::string folders = fmt::format("{}:/usr/games", path == nullptr ? "" : path);
  for (const auto folder : std::views::split(folders, ':')) {
    if (folder.empty()) continue;
    const auto file = std::filesystem::path(folder.begin(), folder.end()) / kName;
    if (is_program(file)) return file;
  }
  return std::nullopt;
}

SignedPoints signed_points(const Board& board) {
  SignedPoints points{};
  for (std::size_t p = 1; p <= 24; ++p) {
    points[p] = board.on_roll[p] - int{board.waiting[25 - p]};
  }
  points[0] = -int{board.waiting[backgammon::kBar]};
  points[25] = board.on_roll[backgammon::kBar];
  return points;
}

GnubgEvaluation GnubgEvaluation::from_other_side() const {
  return {.probabilities = {.win = 1 - probabilities.win,
                            .win_gammon = probabilities.lose_gammon,
                            .win_backgammon = probabilities.lose_backgammon,
                            .lose_gammon = probabilities.win_gammon,
                            .lose_backgammon = probabilities.win_backgammon},
          .equity = -equity};
}

Result<Gnubg> Gnubg::start(const GnubgSettings& settings) {
  const std::optional<std::filesystem::path> program = find_gnubg();
  if (!program) {
    return fail(
        "gnubg is not installed: there is none in PATH or /usr/games (Debian: apt-get install "
        "gnubg)");
  }
  Result<ScratchFolder> folder = ScratchFolder::make("senet-gnubg-");
  if (!folder) return folder.error();
  const std::filesystem::path script = folder->path() / "commands";
  const std::filesystem::path socket = folder->path() / "socket";
  std::ofstream stream(script);
  stream << fmt::format("{}\n", fmt::join(startup_commands(settings.ply, socket), "\n"));
  stream.close();
  if (!stream) return fail(fmt::format("cannot write {}", script.string()));

  std::vector<std::string> words = {program->string(), "-t", "-q", "-r", "-c", script.string()};
  // It would wait for its next customer for ever if we were killed.
  if (const std::filesystem::path guard = "/usr/bin/setpriv"; is_program(guard)) {
    words.insert(words.begin(), {guard.string(), "--pdeathsig", "KILL"});
  }
  Result<ChildProcess> process = ChildProcess::start(
      std::move(words), {fmt::format("HOME={}", folder->path().string()), "LC_ALL=C"});
  if (!process) return process.error();
  const auto deadline = ChildProcess::Clock::now() + kTimeToStart;
  for (;;) {
    const Result<std::string> line = process->read_line(deadline);
    if (!line) return line.error();
    if (line->starts_with("Waiting for a connection")) break;
    for (const std::string_view complaint : {"Unknown keyword", "Illegal", "You must"}) {
      if (line->starts_with(complaint)) {
        return fail(fmt::format("gnubg refuses a setting: {}", *line));
      }
    }
  }
  Result<LineSocket> connection = LineSocket::connect(socket);
  if (!connection) return connection.error();
  return Gnubg(settings, std::move(*folder), std::move(*process), std::move(*connection));
}

Result<std::string> Gnubg::ask(std::string_view line) {
  Result<std::string> answer = socket_.ask(line, LineSocket::Clock::now() + settings_.answer_time);
  if (!answer) return fail(fmt::format("gnubg: {}", answer.error().reason()));
  if (answer->starts_with("Error")) {
    return fail(fmt::format("gnubg says \"{}\" to \"{}\"", *answer, line));
  }
  return answer;
}

Result<std::string> Gnubg::best_words(const Backgammon& state) {
  ActionList<Backgammon::kMaxLegal> actions;
  state.legal(actions);
  if (actions.size() == 1) return state.action_text(actions.front());
  if (settings_.full) {
    const Result<std::vector<GnubgPlay>> ranked = rank(state, settings_.ply);
    if (!ranked) return ranked.error();
    return state.action_text(ranked->front().action);
  }
  return ask(fibs_board(state.board(), *state.dice()));
}

Result<Action> Gnubg::read_play(const Backgammon& state, const std::string& words) {
  const Result<Action> action = state.action_from_text(words);
  if (action) return action;
  return fail(fmt::format("illegal move \"{}\" in {} (gnubg); it was told: {}; we made of it: {}",
                          words, state.text(), fibs_board(state.board(), *state.dice()),
                          action.error().reason()));
}

Result<Action> Gnubg::best_play(const Backgammon& state) {
  const Result<std::string> words = best_words(state);
  return words ? read_play(state, *words) : words.error();
}

Result<GnubgEvaluation> Gnubg::evaluate(const Board& board, int ply) {
  const std::string question =
      fmt::format("evaluation fibsboard {} plies {} cubeless prune off noise 0 jacobyrule off",
                  fibs_board(board, {}), ply);
  const Result<std::string> answer = ask(question);
  if (!answer) return answer.error();
  Result<GnubgEvaluation> evaluation = parse_evaluation(*answer);
  if (!evaluation) {
    return fail(fmt::format("gnubg's answer \"{}\" to \"{}\" {}", *answer, question,
                            evaluation.error().reason()));
  }
  return evaluation;
}

Result<GnubgPlay> Gnubg::judge(const Backgammon& state, Action action, int ply) {
  const Player mover = state.viewer();
  Backgammon after = state;
  after.play(action);
  if (after.turn() == Turn::kOver) return GnubgPlay{action, decided(after, mover)};
  const Result<GnubgEvaluation> opponents = evaluate(after.board(), ply);
  if (!opponents) return opponents.error();
  return GnubgPlay{action, opponents->from_other_side()};
}

Result<std::vector<GnubgPlay>> Gnubg::rank(const Backgammon& state, int ply) {
  ActionList<Backgammon::kMaxLegal> actions;
  state.legal(actions);
  std::vector<GnubgPlay> plays;
  for (const Action action : actions) {
    const Result<GnubgPlay> play = judge(state, action, ply);
    if (!play) return play.error();
    plays.push_back(*play);
  }
  std::ranges::stable_sort(plays, std::ranges::greater(),
                           [](const GnubgPlay& play) { return play.evaluation.equity; });
  return plays;
}

}  // namespace senet
