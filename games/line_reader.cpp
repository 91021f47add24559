#include "games/line_reader.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

namespace senet {

Result<void> for_each_line(const std::filesystem::path& file,
                           const std::function<Result<void>(std::string_view, std::size_t)>& use) {
  constexpr std::size_t kLongest = std::size_t{16} << 20;
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return fail(fmt::format("{}: is a folder", file.string()));
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(fmt::format("{}: {}", file.string(), std::strerror(errno)));
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    const auto wrong = [&](std::string_view reason) {
      return fail(fmt::format("{}: line {}: {}", file.string(), number, reason));
    };
    if (line.size() > kLongest) return wrong("longer than 16 MiB");
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (const Result<void> used = use(line, number); !used) return wrong(used.error().reason());
  }
  if (stream.bad()) return fail(fmt::format("{}: cannot be read to its end", file.string()));
  return {};
}

}  // namespace senet
