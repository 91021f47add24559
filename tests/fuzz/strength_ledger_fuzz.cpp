// Any text as the strength.jsonl of a run.
#include <span>
#include <string>

#include "games/games.hpp"
#include "tests/fuzz/fuzz_file.hpp"
#include "train_bridge/strength_ledger.hpp"

namespace {

using namespace senet;

bool is_interval(const StrengthDifference& difference) {
  return difference.interval.low <= difference.value &&
         difference.value <= difference.interval.high;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzFile file;
  static const Games games;
  constexpr std::uint64_t kBest = 0x197a02471aaf087f;  // in the corpus
  const auto read = [](std::string_view text) {
    file.set(std::as_bytes(std::span(text)));
    return read_ledger(file.path(), kBest);
  };
  const std::string text(text_of(data, size));
  const Result<LedgerState> state = read(text);
  if (!state) {
    promise(state.error().reason().find('\n') == std::string::npos, "an error is one line");
    return 0;
  }
  promise(!state->best || is_interval(state->best->rating), "a rating lies in its interval");
  promise(!state->best || state->best->id == kBest, "it is about the network that was asked for");
  promise(!state->match || is_interval(*state->match), "a difference lies in its interval");

  // A line that follows counts, whatever comes before it.
  const RatedNetwork best{.number = 7, .id = kBest, .rating = {30, {20, 50}}};
  const RatedMatch match{.network = {.number = 9, .id = 1, .rating = {10, {-10, 25}}},
                         .best = best,
                         .tested_pairs = 20,
                         .decision = Sprt::Decision::kH0,
                         .sum = {},
                         .difference = {-20, {-30, -10}},
                         .seconds = 2,
                         .cpu_seconds = 1};
  const Result<LedgerState> longer =
      read(text + '\n' + match_line(*games.all().front(), 1.5, {}, match) + '\n');
  promise(longer.has_value(), "a line more can be read too");
  promise(longer->damaged == state->damaged, "no other line is damaged by it");
  promise(longer->best && longer->best->number == 7 && longer->best->rating.value == 30,
          "the best network is that of the last line");
  promise(longer->match && longer->match->value == -20, "the match is the last");
  promise(longer->time == 1.5, "the time is the last");
  return 0;
}
