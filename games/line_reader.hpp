// A text file line by line, for readers whose errors name the line.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "senet/result.hpp"

namespace senet {

/// Calls `use(line, number)` for every line of `file` that is not blank, without its line end;
/// numbers count from 1. Stops at the first reason and returns it as "<file>: line <number>:
/// <reason>". Fails when the file cannot be read or a line is longer than 16 MiB.
Result<void> for_each_line(const std::filesystem::path& file,
                           const std::function<Result<void>(std::string_view, std::size_t)>& use);

}  // namespace senet
