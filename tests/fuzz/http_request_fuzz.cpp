// Any bytes as what a client sends the example server.
#include "tests/fuzz/fuzz_target.hpp"
#include "tools/examples/game_server/request_frame.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace game_server;
  using senet::promise;
  const std::string_view received = senet::text_of(data, size);
  const FrameLimits limits;
  std::optional<Frame> frame;
  try {
    frame = read_frame(received, limits);
  } catch (const Refusal& refusal) {
    promise(refusal.status >= 400 && refusal.status < 500, "the client is told that it is wrong");
    promise(!refusal.reason.empty() && error_answer(refusal).starts_with("HTTP/1.1 4"), "and why");
    return 0;
  }
  if (!frame) {
    promise(size <= limits.head + 4 + limits.body, "what is waited for has a bound");
    return 0;
  }
  promise(frame->size <= size, "a request is a part of what came");
  promise(frame->size <= limits.head + 4 + limits.body, "requests have a bound");
  const auto again = read_frame(received.substr(0, frame->size), limits);
  promise(again && again->request == frame->request, "what follows a request does not change it");
  promise(!read_frame(received.substr(0, frame->size - 1), limits),
          "a request is not read too soon");
  const FrameLimits larger{.head = limits.head + 128, .target = limits.target, .body = limits.body};
  const auto rewritten = read_frame(frame->request, larger);
  promise(rewritten && rewritten->request == frame->request &&
              rewritten->size == frame->request.size() &&
              rewritten->keep_alive == frame->keep_alive,
          "what is passed on is the same request");
  return 0;
}
