#include "tools/referee/games/backgammon/gnubg.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <ranges>
#include <sstream>
#include <utility>

namespace senet {
namespace {

using backgammon::Board;
using backgammon::Dice;

constexpr std::string_view kName = "gnubg";
constexpr std::chrono::seconds kTimeToStart(60);
constexpr std::size_t kLongestLine = std::size_t{1} << 16;

bool is_program(const std::filesystem::path& file) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(file, unknown) && ::access(file.c_str(), X_OK) == 0;
}

/// Sets everything that could change an answer, so that no default matters.
std::vector<std::string> startup_commands(int ply, const std::filesystem::path& socket) {
  std::vector<std::string> commands = {"set jacoby off", "set cube use off", "set threads 1"};
  for (const std::string_view what : {"chequerplay", "cubedecision"}) {
    const std::string set = fmt::format("set evaluation {} evaluation ", what);
    commands.push_back(set + fmt::format("plies {}", ply));
    commands.push_back(set + "cubeful off");
    commands.push_back(set + "prune off");
    commands.push_back(set + "noise 0");
  }
  // Search ply, ply of the filter step, plays to keep (-1: skip), and up to 8 more within 0.16.
  commands.push_back("set evaluation movefilter 1 0 0 8 0.16");
  commands.push_back("set evaluation movefilter 2 0 0 8 0.16");
  commands.push_back("set evaluation movefilter 2 1 -1");
  commands.push_back(fmt::format("external {}", socket.string()));
  return commands;
}

/// The board in the format of the FIBS server, for the player on roll. Dice are 0 before the roll;
/// match length 0 means a money game.
std::string fibs_board(const Board& board, Dice dice) {
  return fmt::format("board:X:O:0:0:0:{}:1:{}:{}:0:0:1:1:1:0:1:-1:0:25:{}:{}:0:0:0:0:0:1",
                     fmt::join(backgammon::signed_points(board), ":"), dice.high, dice.low,
                     board.on_roll[backgammon::kOff], board.waiting[backgammon::kOff]);
}

Result<GnubgEvaluation> parse_evaluation(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  std::array<double, 6> numbers{};
  for (double& number : numbers) {
    if (!(stream >> number)) return fail("is not six numbers");
  }
  if (!(stream >> std::ws).eof()) return fail("is more than six numbers");
  const auto is_probability = [](double p) { return p >= 0 && p <= 1; };
  if (!std::ranges::all_of(numbers | std::views::take(5), is_probability) ||
      std::abs(numbers[5]) > 3) {
    return fail("has a number out of its range");
  }
  const auto probability = [&](std::size_t i) { return static_cast<float>(numbers[i]); };
  return GnubgEvaluation{
      {probability(0), probability(1), probability(2), probability(3), probability(4)}, numbers[5]};
}

/// The exact evaluation of a finished game for `player`.
GnubgEvaluation decided(const Backgammon& state, Player player) {
  const std::uint8_t outcome = state.outcome();
  std::array<float, 6> outcomes{};
  outcomes[player == 0 ? outcome : Backgammon::kOutcomeMirror[outcome]] = 1;
  return {.probabilities = backgammon::cumulative(outcomes), .equity = final_value(state, player)};
}

/// The same evaluation from the other player's perspective.
GnubgEvaluation mirrored(const GnubgEvaluation& of) {
  return {.probabilities = {.win = 1 - of.probabilities.win,
                            .win_gammon = of.probabilities.lose_gammon,
                            .win_backgammon = of.probabilities.lose_backgammon,
                            .lose_gammon = of.probabilities.win_gammon,
                            .lose_backgammon = of.probabilities.win_backgammon},
          .equity = -of.equity};
}

}  // namespace

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

Result<LineSocket> LineSocket::connect(const std::filesystem::path& file) try {
  LineSocket socket;
  socket.stream_ = std::make_unique<boost::asio::local::stream_protocol::iostream>();
  socket.stream_->connect(boost::asio::local::stream_protocol::endpoint(file.string()));
  if (*socket.stream_) return socket;
  return fail(
      fmt::format("cannot connect to {}: {}", file.string(), socket.stream_->error().message()));
} catch (const boost::system::system_error&) {
  return fail(fmt::format("the socket name {} is too long", file.string()));
}

Result<std::string> LineSocket::ask(std::string_view line, Clock::time_point deadline) {
  if (!stream_) return fail("the connection is closed after an earlier failure");
  stream_->expires_at(deadline);
  *stream_ << fmt::format("{}\n", line) << std::flush;  // each `<<` sends
  std::string answer(kLongestLine + 1, '\0');
  std::size_t size = 0;
  for (;;) {
    stream_->getline(answer.data() + size, static_cast<std::streamsize>(answer.size() - size));
    size += static_cast<std::size_t>(stream_->gcount());
    if (stream_->error() != boost::asio::error::interrupted) break;
    stream_->clear();  // a signal interrupted the wait: continue with the rest of the answer
  }
  if (stream_->good()) {
    answer.resize(size - 1);
    return answer;
  }
  const boost::system::error_code error = stream_->error();
  stream_.reset();  // so that a late answer is not taken for that of the next question
  if (!error) return fail("the answer is longer than 64 KiB");
  using namespace boost::asio::error;
  if (error == eof || error == broken_pipe || error == connection_reset) {
    return fail("the connection was closed");
  }
  if (error == timed_out) return fail("no answer in time");
  return fail(fmt::format("communication failed: {}", error.message()));
}

Result<Gnubg> Gnubg::start(const GnubgSettings& settings) {
  const std::optional<std::filesystem::path> program = find_gnubg();
  if (!program) {
    return fail(
        "gnubg is not installed: it is not in PATH or /usr/games (Debian: apt-get install gnubg)");
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
  // If we were killed, gnubg would wait for its next connection for ever.
  if (const std::filesystem::path guard = "/usr/bin/setpriv"; is_program(guard)) {
    words.insert(words.begin(), {guard.string(), "--pdeathsig", "KILL"});
  }
  words.insert(words.begin(), {"env", fmt::format("HOME={}", folder->path().string()), "LC_ALL=C"});
  Result<ChildProcess> process = ChildProcess::start(std::move(words));
  if (!process) return process.error();
  const auto deadline = ChildProcess::Clock::now() + kTimeToStart;
  for (;;) {
    const Result<std::string> line = process->read_line(deadline);
    if (!line) return line.error();
    if (line->starts_with("Waiting for a connection")) break;
    for (const std::string_view complaint : {"Unknown keyword", "Illegal", "You must"}) {
      if (line->starts_with(complaint)) {
        return fail(fmt::format("gnubg refused a setting: {}", *line));
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
    return fail(fmt::format("gnubg answered \"{}\" to \"{}\"", *answer, line));
  }
  return answer;
}

std::string Gnubg::question(const AnyState& state) const {
  return fibs_board(state.as<Backgammon>().board(), *state.as<Backgammon>().dice());
}

Result<std::string> Gnubg::best_words(const AnyState& any_state, const IsStopped&) {
  const Backgammon& state = any_state.as<Backgammon>();
  ActionList<Backgammon::kMaxLegal> actions;
  state.legal(actions);
  if (actions.size() == 1) return state.action_text(actions.front());
  if (!settings_.full) return ask(question(any_state));
  const Result<std::vector<GnubgPlay>> ranked = rank(state, settings_.ply);
  if (!ranked) return ranked.error();
  return state.action_text(ranked->front().action);
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
  return GnubgPlay{action, mirrored(*opponents)};
}

Result<std::vector<GnubgPlay>> Gnubg::rank(const Backgammon& state, int ply,
                                           std::size_t most_in_depth) {
  ActionList<Backgammon::kMaxLegal> actions;
  state.legal(actions);
  std::vector<GnubgPlay> plays;
  for (const Action action : actions) plays.push_back({action, {}});
  const auto judge_first = [&](std::size_t count, int depth) -> Result<void> {
    for (std::size_t i = 0; i < count; ++i) {
      const Result<GnubgPlay> judged = judge(state, plays[i].action, depth);
      if (!judged) return judged.error();
      plays[i] = *judged;
    }
    std::ranges::stable_sort(plays, std::ranges::greater(),
                             [](const GnubgPlay& play) { return play.evaluation.equity; });
    return {};
  };
  const bool is_cut = ply > 1 && plays.size() > most_in_depth;
  Result<void> done = judge_first(plays.size(), is_cut ? 1 : ply);
  if (done && is_cut) done = judge_first(most_in_depth, ply);
  if (!done) return done.error();
  return plays;
}

}  // namespace senet
