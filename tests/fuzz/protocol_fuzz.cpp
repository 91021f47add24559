// Any bytes as a protocol dialogue: every line must be answered as docs/protocol.md promises.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.hpp"
#include "tools/play/protocol/inbox.hpp"
#include "tools/play/protocol/session.hpp"

namespace senet::protocol {
namespace {

Options small_options() {
  Options options;
  options.visits = 4;
  options.hash_mib = 1;
  options.hash_limit_mib = 4;
  options.search.evaluation.kind = EvaluatorKind::kHash;
  return options;
}

class Conversation {
 public:
  Conversation()
      : session_(games_, small_options(), inbox_,
                 [this](std::string_view line) { said_.emplace_back(line); }) {}

  // A session needs a network, so all inputs share one; this resets its settings for each input.
  // Mode comes first, because not every game has a network for each.
  void begin() {
    said_.clear();
    for (const char* const line :
         {"setoption name Mode value auto", "setoption name Ply value 0",
          "setoption name Game value backgammon", "setoption name Evaluator value hash",
          "setoption name Hash value 1", "setoption name Visits value 4",
          "setoption name MultiPV value 1", "setoption name CPuct value 1.5",
          "setoption name FpuReduction value 0.2", "setoption name PolicyTemperature value 1.5",
          "setoption name AfterstateTemperature value 0.1", "setoption name Leaves value 1",
          "setoption name Threads value 1", "setoption name ReuseTree value true",
          "setoption name Ponder value false", "newsession type money"}) {
      promise(session_.handle(line) && said_.empty(), line);
    }
    session_.handle("uci");
    said_.clear();
  }

  // False after quit.
  bool ask(const std::string& line) {
    const std::string word(Words(line).peek());
    const bool is_alone = word == only_word(line);
    // Skips lines that name a file, and queues a "stop" so that long commands end early. Half of
    // the searches that ponder get a hit before it.
    if (names_a_file(line)) return true;
    if (line.find("ponder") != std::string::npos && line.size() % 2 == 0) inbox_.push("ponderhit");
    inbox_.push("stop");
    said_.clear();
    const bool keep_going = session_.handle(line);
    while (inbox_.next_if("")) {
    }
    check(word, line.size());
    promise(keep_going == !(word == "quit" && is_alone), "only a lone quit ends the session");
    if (!is_alone && is_one_word(word)) {
      promise(said_.size() == 1 && count({"error"}) == 1, "extra words are refused");
    }
    return keep_going;
  }

 private:
  static bool is_one_word(const std::string& word) {
    constexpr std::array kWords = {"uci",        "ubgi",    "ugi",      "isready", "ucinewgame",
                                   "uginewgame", "newgame", "stop",     "quit",    "d",
                                   "eval",       "help",    "ponderhit"};
    return std::ranges::find(kWords, word) != kWords.end();
  }
  static bool names_a_file(std::string line) {
    std::ranges::transform(line, line.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return line.find("weightsfile") != std::string::npos ||
           line.find("tablebase") != std::string::npos;
  }

  std::size_t count(std::initializer_list<std::string_view> words) const {
    return static_cast<std::size_t>(std::ranges::count_if(said_, [&](const std::string& line) {
      return std::ranges::find(words, Words(line).peek()) != words.end();
    }));
  }

  void check(const std::string& word, std::size_t size) const {
    for (const std::string& line : said_) {
      promise(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; }),
              "answers are printable");
      promise(!line.empty(), "answers are not empty");
    }
    const std::size_t errors = count({"error"});
    promise(errors <= 1, "a line has at most one error");
    if (size > kLongestLine) return;
    if (word == "go") {
      promise(count({"bestmove", "bestcube", "bestturn", "error"}) == 1, "go has one answer");
    } else if (word == "isready") {
      promise(count({"readyok", "error"}) == 1, "isready has one answer");
    } else if (word == "uci" || word == "ubgi" || word == "ugi") {
      promise(count({word + "ok", "error"}) == 1, "a handshake has one answer");
    } else if (word == "query" || word == "eval" || word == "perft" || word == "bench") {
      promise(count({"response", "eval", "perft", "bench", "error"}) == 1,
              "a query has one answer");
    } else if (word == "d") {
      promise(count({"position"}) + errors == 1, "d prints one board or an error");
    } else if (word == "help") {
      promise(count({"help:"}) + errors == 1, "help prints one list or an error");
    } else if (word.empty()) {
      promise(said_.empty(), "an empty line has no answer");
    } else {
      promise(said_.size() == errors, "a setting command answers only with errors");
    }
  }

  Games games_;
  Inbox inbox_;
  std::vector<std::string> said_;
  Session session_;
};

}  // namespace
}  // namespace senet::protocol

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  static protocol::Conversation conversation;
  conversation.begin();
  bool keep_going = true;
  const auto ask = [&](std::string line) { keep_going = keep_going && conversation.ask(line); };
  protocol::Inbox lines;
  lines.feed(text_of(data, size));
  lines.close();
  while (const auto line = lines.next()) ask(*line);
  return 0;
}
