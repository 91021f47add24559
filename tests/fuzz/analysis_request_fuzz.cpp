// Any line as a request to `senet analyse`, for each game.
#include "games/registry.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tools/play/protocol/analysis.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  constexpr std::uint32_t kVisits = 100;
  for (const AnyGame* const game : all_games<AnyGame>()) {
    protocol::AnalysisRequest request;
    const auto read =
        protocol::read_analysis_request(text_of(data, size), 1, *game, kVisits, request);
    if (!read) {
      promise(!read.error().reason().empty(), "a refused request has a reason");
      const std::string refusal = protocol::refusal_text(request.id, 1, read.error().reason());
      promise(protocol::Json::accept(refusal) && refusal.find('\n') == std::string::npos,
              "a refusal is one JSON object on one line");
      continue;
    }
    promise(request.analyses.empty() || request.cancelled.is_null(),
            "a request analyses or cancels");
    for (const protocol::Analysis& analysis : request.analyses) {
      promise(is_decision(analysis.position.turn()), "a player moves in what is analysed");
      promise(analysis.limits.visits >= 1 && analysis.limits.visits <= kVisits,
              "visits are as bounded");
      promise(analysis.limits.lines >= 1 && analysis.limits.lines <= kMaxLines,
              "lines are as bounded");
      promise(protocol::Json::accept(protocol::cancelled_text(analysis)), "an answer is JSON");
    }
  }
  return 0;
}
