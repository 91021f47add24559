// A fake engine for tests: plays the first legal move until it starts to misbehave.
//
//   fake_engine GAME PROTOCOL [BEHAVIOUR [COUNT]]
//
// PROTOCOL is uci or ubgi. After COUNT (default 0) correct answers, BEHAVIOUR is:
//   good      continues to answer correctly
//   illegal   answers an illegal move
//   garbage   answers bytes that are not a move
//   crash     ends with exit code 3 and a line on stderr
//   hang      prints nothing more
//   error     answers "error ..."
//   chatter   prints other lines for ever
//   reported      always answers, but refuses every "go" line that differs from COUNT
//   deaf      never answers the greeting, whatever COUNT is
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "games/any_game.hpp"
#include "games/registry.hpp"

namespace senet {
namespace {

void say(const std::string& line) { std::cout << line << std::endl; }

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

void misbehave(const std::string& behaviour) {
  if (behaviour == "illegal") say("bestmove 24/1");
  if (behaviour == "garbage") say("bestmove \x01\xff*?");
  if (behaviour == "error") say("error internal I give up");
  if (behaviour == "hang") wait_for_ever();
  if (behaviour == "crash") {
    std::cerr << "I am not well" << std::endl;
    std::_Exit(3);
  }
  if (behaviour == "chatter") {
    for (;;) say("info string still thinking");
  }
}

int serve(const AnyGame& game, const std::string& protocol, const std::string& behaviour,
          const std::string& what) {
  int count = std::atoi(what.c_str());
  AnyState state(game);
  std::string id;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "quit") return 0;
    if (word == protocol) {
      if (behaviour == "deaf") wait_for_ever();
      say("id name fake");
      say(protocol + "ok");
    } else if (word == "setoption") {
      if (line != "setoption name Level value 7") say("error bad_argument " + line);
    } else if (word == "isready") {
      say("readyok");
    } else if (word == "position") {
      words >> word >> id;
      if (protocol == "uci") state = *AnyState::from_text(game, id);
    } else if (word == "dice") {
      std::string first, second;
      words >> first >> second;
      state = *AnyState::from_text(game, id + ":0:" + first + second);
    } else if (word == "go") {
      if (behaviour == "reported") {
        if (line != what) say("error bad_argument " + line);
      } else if (behaviour != "good" && count-- == 0) {
        misbehave(behaviour);
        continue;
      }
      say("info string nothing to say");
      std::vector<Action> legal;
      state.legal(legal);
      say("bestmove " + state.action_text(legal.front()) +
          (protocol == "uci" ? " ponder something" : ""));
    }
  }
  return 0;
}

}  // namespace
}  // namespace senet

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string protocol = argv[2], behaviour = argc > 3 ? argv[3] : "good";
  const std::string count = argc > 4 ? argv[4] : "0";
  const auto game = senet::find_game<senet::AnyGame>(argv[1]);
  return game ? senet::serve(**game, protocol, behaviour, count) : 2;
}
