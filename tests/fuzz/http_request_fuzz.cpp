// Any bytes as input from a client of the example server.
#include "tests/fuzz/fuzz_target.hpp"
#include "tools/examples/game_server/http.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace game_server;
  using senet::promise;
  const std::string_view bytes = senet::text_of(data, size);
  std::optional<Received> received;
  try {
    received = read_request(bytes);
  } catch (const Refusal& refusal) {
    promise(refusal.status >= 400 && refusal.status < 500, "a refusal has a status 4xx");
    promise(!refusal.reason.empty() &&
                error_answer(refusal).result_int() == static_cast<unsigned>(refusal.status),
            "a refusal has a reason");
    return 0;
  }
  if (!received) {
    promise(size <= kLongestHead + 4 + kLongestBody, "an incomplete request is bounded");
    return 0;
  }
  const Request& request = received->request;
  promise(received->size <= size, "a request is part of the input");
  promise(request.body().size() <= kLongestBody && request.target().size() <= kLongestTarget,
          "body and target are bounded");
  promise(received->size <= kLongestHead + 4 + kLongestBody, "a request is bounded");
  promise(bytes.substr(0, received->size).ends_with("\r\n\r\n" + request.body()),
          "a request ends with its body");
  const auto again = read_request(bytes.substr(0, received->size));
  promise(again && again->size == received->size && again->request.target() == request.target() &&
              again->request.body() == request.body(),
          "bytes after a request do not change it");
  promise(!read_request(bytes.substr(0, received->size - 1)), "requests are not read too soon");
  return 0;
}
