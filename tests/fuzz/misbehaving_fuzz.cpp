// A target that fails in each way that the driver must catch, as the input requests.
#include <csignal>
#include <cstdlib>

#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = senet::text_of(data, size);
  senet::promise(text != "break a promise", "promises are kept");
  if (text == "segmentation fault") {
    volatile std::size_t nowhere = 0;
    return *reinterpret_cast<volatile int*>(nowhere);
  }
  if (text == "hang") {
    for (volatile bool keep_going = true; keep_going;) {
    }
  }
  return 0;
}
