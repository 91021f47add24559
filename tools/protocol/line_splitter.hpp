// Bytes as they come, as lines.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tools/protocol/inbox.hpp"

namespace senet::protocol {

/// Parts bytes into lines at every "\n" and "\r" (so that "\r\n" is a line end and an empty line).
/// Of a line that is too long only kLongestLine + 1 bytes are kept: enough to see that it is.
class LineSplitter {
 public:
  /// Calls `use(std::string line)` for each line that these bytes complete, without its end.
  template <class Use>
  void feed(std::string_view bytes, Use&& use) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find_first_of("\r\n");
      const std::string_view part = bytes.substr(0, end);
      line_.append(part.substr(0, kLongestLine + 1 - line_.size()));
      if (end == std::string_view::npos) return;
      use(std::exchange(line_, {}));
      bytes.remove_prefix(end + 1);
    }
  }
  /// The end of input ends the last line too.
  template <class Use>
  void finish(Use&& use) {
    if (!line_.empty()) use(std::exchange(line_, {}));
  }

 private:
  std::string line_;
};

}  // namespace senet::protocol
