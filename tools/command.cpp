#include "tools/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace senet {

int run_command(std::string_view command, absl::FunctionRef<Job()> prepare) {
  int failure = kExitBadInput;
  try {
    Job job = prepare();
    failure = kExitFailed;
    return report(command, job(), failure);
  } catch (const Error& error) {
    return report(command, error, failure);
  }
}

int run_command(std::string_view command, Result<Job> prepared) {
  return run_command(command, [&] { return std::move(prepared).value(); });
}

int report(std::string_view command, const Result<void>& result, int failure) {
  if (result) return 0;
  // A reason may quote a file or an option; whatever is in there, it stays one line.
  std::string reason = result.error().reason();
  std::ranges::replace_if(
      reason, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  fmt::print(stderr, "senet {}: {}\n", command, reason);
  return failure;
}

Result<void> flush_output() {
  const bool was_written = std::ferror(stdout) == 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && was_written) return {};
  return fail("cannot write to stdout: " +
              (errno == 0 ? "a part of it was lost" : std::generic_category().message(errno)));
}

}  // namespace senet
