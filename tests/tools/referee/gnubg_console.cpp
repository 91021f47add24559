#include "tests/tools/referee/gnubg_console.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <ranges>
#include <string_view>

#include "tests/temporary_folder.hpp"
#include "tools/play/child_process.hpp"
#include "tools/referee/games/backgammon/gnubg.hpp"

namespace senet {
namespace {

constexpr std::string_view kBegin = "TTY boards will be given in ASCII.";
constexpr std::size_t kProcesses = 6;

std::string settings(ConsoleSide side) {
  std::string text =
      "set jacoby off\nset threads 1\nset output digits 6\n"
      "set evaluation chequerplay evaluation plies 0\n"
      "set evaluation chequerplay evaluation cubeful off\n"
      "set evaluation chequerplay evaluation noise 0\n";
  for (const std::string_view what : {"game", "roll", "bearoff", "move"}) {
    text += fmt::format("set automatic {} off\n", what);
  }
  text += "set player 0 human\nset player 1 human\nnew session\nset output rawboard on\n";
  return text + fmt::format("set turn {}\n", side == ConsoleSide::kPlayer0 ? 0 : 1);
}

std::string question(const Backgammon& state) {
  backgammon::SignedPoints points = backgammon::signed_points(state.board());
  // The "simple" format has the player's own bar first and the opponent's last.
  std::swap(points.front(), points.back());
  return fmt::format(
      "set output rawboard off\nset board simple {}\nset output rawboard on\nset board {}\n"
      "set dice {} {}\nhint 9999\n",
      fmt::join(points, " "), backgammon::position_id(state.board()), state.dice()->high,
      state.dice()->low);
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// board:NAME:NAME:LENGTH:SCORE:SCORE:26 places:...
backgammon::SignedPoints read_points(std::string_view line) {
  backgammon::SignedPoints points;
  points.fill(99);
  std::size_t field = 0;
  for (const auto part : line | std::views::split(':')) {
    const std::size_t place = field++ - 6;
    if (place < points.size()) points[place] = std::stoi(std::string(part.begin(), part.end()));
  }
  return points;
}

/// Adds the contents of one line of the console to the answers.
void read_line(const std::string& line, std::vector<ConsoleAnswer>& answers) {
  if (line == kBegin) answers.emplace_back();
  if (answers.empty()) return;
  ConsoleAnswer& answer = answers.back();
  constexpr std::string_view kId = "Position ID: ", kPly = "-ply ", kEquity = "Eq.:";
  if (const std::size_t id = line.find(kId); id != std::string::npos) {
    answer.id = trimmed(std::string_view(line).substr(id + kId.size()));
  }
  if (line.starts_with("board:")) answer.points = read_points(line);
  const std::size_t ply = line.find(kPly), equity = line.find(kEquity);
  if (ply != std::string::npos && equity != std::string::npos) {
    const std::size_t begin = ply + kPly.size();
    answer.plays.emplace_back(trimmed(std::string_view(line).substr(begin, equity - begin)));
    answer.values.emplace_back(trimmed(std::string_view(line).substr(equity + kEquity.size())));
  } else if (!answer.values.empty() && line.starts_with("       0.")) {
    answer.values.back() += line;
  }
}

}  // namespace

Result<std::vector<ConsoleAnswer>> ask_gnubg_console(std::span<const Backgammon> states,
                                                     ConsoleSide side) {
  const auto program = find_gnubg();
  if (!program) return fail("gnubg is not installed");
  struct Part {
    std::size_t end;
    std::string out;
    ChildProcess process;
  };
  const TemporaryFolder folder;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < kProcesses; ++i) {
    const std::size_t begin = states.size() * i / kProcesses;
    const std::size_t end = states.size() * (i + 1) / kProcesses;
    const std::string home = folder.path() / fmt::format("{}", i);
    std::filesystem::create_directory(home);
    std::ofstream script(home + "/script");
    script << settings(side);
    for (std::size_t j = begin; j < end; ++j) script << question(states[j]);
    script.close();
    Result<ChildProcess> process = ChildProcess::start_shell(fmt::format(
        "HOME={0} LC_ALL=C {1} -t -q -r -c {0}/script </dev/null >{0}/out 2>&1; echo done", home,
        program->string()));
    if (!process) return process.error();
    parts.push_back({end, home + "/out", std::move(*process)});
  }
  std::vector<ConsoleAnswer> answers;
  const auto deadline = ChildProcess::Clock::now() + std::chrono::minutes(10);
  for (Part& part : parts) {
    if (const Result<std::string> done = part.process.read_line(deadline); !done) {
      return done.error();
    }
    std::ifstream out(part.out);
    std::vector<ConsoleAnswer> its;
    for (std::string line; std::getline(out, line);) read_line(line, its);
    std::ranges::move(its, std::back_inserter(answers));
    if (answers.size() != part.end) {
      return fail(fmt::format("gnubg gave {} answers to {} questions", answers.size(), part.end));
    }
  }
  return answers;
}

}  // namespace senet
