// Writing a file so that no reader, and no power cut, ever sees half of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>

#include "senet/result.hpp"

namespace senet {

/// Writes `parts` one after the other to a temporary file beside `file` (its name + ".<process
/// id>.tmp"), flushes it to disk, renames it over `file` and flushes the folder. On failure `file`
/// is untouched and the temporary file removed; the reason names the file and what the system said.
/// One writer per file and process at a time.
Result<void> replace_file(const std::filesystem::path& file,
                          std::initializer_list<std::span<const std::byte>> parts);

/// Waits until the names in the folder of `file` are on the disk, so that a new or renamed file is
/// found after a power failure. File systems that cannot flush a folder count as flushed.
Result<void> flush_folder_of(const std::filesystem::path& file);

}  // namespace senet
