// Whether the machine, and the limits set for this process, have the memory that a run asks for.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "games/settings.hpp"

namespace senet {

/// An upper limit for memory, and where it comes from.
struct MemoryLimit {
  double bytes;
  std::string_view source;  // "that the machine has"

  void lower(double other, std::string_view other_source) {
    if (other < bytes) *this = {other, other_source};
  }
};

/// The lowest memory limit of the control groups of a process: version 2, or the memory controller
/// of version 1. Infinite if there is none. `groups`: /proc/self/cgroup; `root`: where the control
/// groups are mounted. In a container the path may be the host's, so that only the root exists.
inline double control_group_memory(const std::filesystem::path& groups = "/proc/self/cgroup",
                                   const std::string& root = "/sys/fs/cgroup") {
  double least = std::numeric_limits<double>::infinity();
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // "0::/a/b", "4:cpu,memory:/a/b"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool is_version_2 = controllers == ",,";
    if (!is_version_2 && controllers.find(",memory,") == std::string::npos) continue;
    const std::string folder = root + (is_version_2 ? "" : "/memory");
    const char* const file = is_version_2 ? "/memory.max" : "/memory.limit_in_bytes";
    for (std::string group = line.substr(second + 1);; group.resize(group.rfind('/'))) {
      if (group.ends_with('/')) group.pop_back();
      double bytes = 0;
      if (std::ifstream(folder + group + file) >> bytes)
        least = std::fmin(least, bytes);  // or "max"
      if (group.find('/') == std::string::npos) break;
    }
  }
  return least;
}

/// The memory that this process can get: the machine's, or what its limits leave. `freed`:
/// addresses that it is about to give back or, if negative, that it needs besides.
inline MemoryLimit memory_limit(double freed = 0) {
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  MemoryLimit limit{static_cast<double>(sysconf(_SC_PHYS_PAGES)) * page, "that the machine has"};
  limit.lower(control_group_memory(), "that its control group allows");
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    double pages = 0;  // of address space that are taken
    std::ifstream("/proc/self/statm") >> pages;
    limit.lower(std::fmax(static_cast<double>(space.rlim_cur) - pages * page + freed, 0),
                "that its limit of address space (ulimit -v) leaves");
  }
  return limit;
}

/// Fails if `wanted` bytes are more than 80 % of memory_limit(): allocating more could kill the
/// program instead of failing the call. `what` takes the memory, and the settings that lower it are
/// named first: "visits: with these workers and lanes, searches and caches".
inline Result<void> check_memory(double wanted, const std::string& what,
                                 const MemoryLimit& limit = memory_limit()) {
  if (wanted < 0.8 * limit.bytes) return {};
  const auto text = [](double bytes) {
    const bool is_small = bytes < (1 << 30);
    return setting_text(std::round(bytes / (is_small ? 1 << 20 : 1 << 30) * 10) / 10) +
           (is_small ? " MiB" : " GiB");
  };
  return fail(what + " would take " + text(wanted) + ": at most 80 % of the " + text(limit.bytes) +
              " " + std::string(limit.source) + " can be used");
}

/// The same for the searches and caches of `workers`.
inline Result<void> check_memory(std::size_t workers, std::size_t searches_each,
                                 std::size_t search_bytes, std::size_t cache_mib_each) {
  const double wanted = static_cast<double>(workers) *
                        (static_cast<double>(searches_each) * static_cast<double>(search_bytes) +
                         static_cast<double>(cache_mib_each) * (1 << 20));
  return check_memory(wanted, "visits: with these workers and lanes, searches and caches");
}

}  // namespace senet
