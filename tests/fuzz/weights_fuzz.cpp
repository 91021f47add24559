// Any bytes as a safetensors file.
#include <span>

#include "nn/safetensors.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  const Result<SafetensorsHeader> header = parse_safetensors(std::as_bytes(std::span(data, size)));
  if (!header) return 0;
  std::uint64_t end = 0;
  for (const StoredTensor& tensor : header->tensors) {
    promise(tensor.begin == end && tensor.end >= end, "tensors are contiguous");
    end = tensor.end;
  }
  promise(header->data_start + end == size, "tensors cover the file");
  return 0;
}
