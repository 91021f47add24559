// Any text as an XGID.
#include "games/backgammon/text.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  using namespace senet::backgammon;
  const Result<Xgid> xgid = parse_xgid(text_of(data, size));
  if (!xgid) return 0;
  promise(check({xgid->bottom, xgid->top}).has_value(), "what is read is possible");
  promise(parse_xgid(xgid_text(*xgid)) == *xgid, "an XGID is read back");
  return 0;
}
