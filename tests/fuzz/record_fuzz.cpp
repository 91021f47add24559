// Any bytes as the header of a log, as a frame and as a game record.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "selfplay/record_frame.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace senet;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  if (const Result<FileHeader> header = parse_file_header(bytes)) {
    promise(header->bytes <= size, "a header is inside its file");
  }
  if (size >= kFrameHeaderBytes) {
    if (std::optional<FrameHeader> header = parse_frame_header(bytes)) {
      // Skips the checksum, which a fuzzer cannot match, to reach the code behind it.
      const std::span<const std::byte> stored = bytes.subspan(kFrameHeaderBytes);
      header->stored_bytes = static_cast<std::uint32_t>(stored.size());
      FrameUnpacker unpacker;
      if (const auto payload = unpacker.unpack(*header, stored)) {
        GameRecord record;
        (void)decode(*payload, record);
      }
    }
  }
  GameRecord record;
  if (!decode(bytes, record)) return 0;
  std::vector<std::byte> again;
  promise(encode(record, again).has_value(), "a decoded record can be encoded");
  promise(std::ranges::equal(again, bytes), "each record has exactly one encoding");
  return 0;
}
