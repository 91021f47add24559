// The sessions in docs/protocol.md match the scripts and the program's answers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/repository.hpp"
#include "tests/tools/play/protocol/talk.hpp"

namespace senet::protocol {
namespace {

Lines lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  Lines lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The code block after the line that names the script, without times.
Lines documented_session(const std::string& script) {
  Lines session;
  bool is_there = false, is_inside = false;
  for (const std::string& line : lines_of(repository_path("docs/protocol.md"))) {
    if (line.find("protocol_session.sh tools/examples/" + script) != std::string::npos) {
      is_there = true;
    } else if (is_there && line.starts_with("```")) {
      if (is_inside) return session;
      is_inside = true;
    } else if (is_inside) {
      session.push_back(without_times(line));
    }
  }
  return session;
}

// The answer without the progress lines that a slow machine prints before the last info.
Lines answer_to(Talk& talk, const std::string& line) {
  Lines answer = talk.ask(line);
  while (answer.size() > 2 && answer[answer.size() - 3].starts_with("info ") &&
         line.starts_with("go")) {
    answer.erase(answer.end() - 3);
  }
  return answer;
}

void expect_documented(const std::string& script) {
  Talk talk{Options{}};
  Lines session;
  for (const std::string& line :
       lines_of(repository_path("tools/examples/" + std::string(script)))) {
    session.push_back("> " + line);
    for (const std::string& answer : answer_to(talk, line)) session.push_back(answer);
  }
  EXPECT_GT(session.size(), 20u);
  EXPECT_EQ(documented_session(script), session);
}

TEST(DocumentedSessions, Ubgi) { expect_documented("ubgi_session.txt"); }
TEST(DocumentedSessions, Uci) { expect_documented("uci_session.txt"); }

}  // namespace
}  // namespace senet::protocol
