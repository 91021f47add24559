#include "nn/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace senet {
namespace {

Error fail_with_errno(const std::filesystem::path& file, const char* what) {
  return fail(fmt::format("{}: {}: {}", file.string(), what,
                          std::error_code(errno, std::generic_category()).message()));
}

}  // namespace

MappedFile::MappedFile(MappedFile&& from) noexcept : bytes_(std::exchange(from.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& from) noexcept {
  std::swap(bytes_, from.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return fail_with_errno(file, "cannot open");
  const auto map = [&]() -> Result<MappedFile> {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return fail_with_errno(file, "cannot stat");
    if (!S_ISREG(status.st_mode)) return fail(fmt::format("{}: not a regular file", file.string()));
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return MappedFile();
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED) return fail_with_errno(file, "cannot map");
    return MappedFile({static_cast<const std::byte*>(address), size});
  };
  Result<MappedFile> mapped = map();
  ::close(descriptor);  // the mapping stays
  return mapped;
}

}  // namespace senet
