#include "train_bridge/weights_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace senet {
namespace {

constexpr const char* kExtension = ".safetensors";

/// The numbered files, oldest first; nothing else that may lie in the folder.
std::vector<std::filesystem::path> numbered_files(const std::filesystem::path& folder,
                                                  std::error_code& error) {
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string stem = entry.path().stem().string();
    const bool is_number = stem.size() >= 6 && stem.size() <= 18 &&
                           std::ranges::all_of(stem, [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && entry.path().extension() == kExtension) {
      found.emplace_back(std::stoull(stem), entry.path());
    }
  }
  std::ranges::sort(found);
  std::vector<std::filesystem::path> files;
  for (auto& [number, file] : found) files.push_back(std::move(file));
  return files;
}

Result<void> thin_out(const std::filesystem::path& folder, std::size_t most) {
  std::error_code error;
  const auto files = numbered_files(folder, error);
  if (!error && files.size() > most) {
    for (std::size_t i = 1; i < files.size() / 2 && !error; i += 2) {
      std::filesystem::remove(files[i], error);
    }
  }
  if (error) return fail(fmt::format("{}: {}", folder.string(), error.message()));
  return {};
}

}  // namespace

Result<void> save_to_weights_folder(const Network& network, std::uint64_t iteration,
                                    const std::filesystem::path& folder, std::size_t most) {
  const auto numbered = folder / fmt::format("{:06}{}", iteration, kExtension);
  if (const auto saved = save_network(network, numbered); !saved) return saved;
  const auto latest = folder / fmt::format("latest{}", kExtension);
  if (const auto saved = save_network(network, latest); !saved) return saved;
  return most == 0 ? Result<void>{} : thin_out(folder, most);
}

}  // namespace senet
