#include "selfplay/start_settings.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>

#include "games/fields.hpp"

namespace senet {
namespace {

constexpr std::string_view kFile = "file:";

Result<StartSource> read_source(std::string_view text) {
  StartSource source;
  std::string_view name = text;
  if (const std::size_t at = text.rfind('@'); at != text.npos) {
    const std::optional<float> share = number_of<float>(text.substr(at + 1));
    if (!share || !(*share > 0) || !std::isfinite(*share)) {
      return fail(fmt::format("starts: the share of \"{}\" is not a number above 0", text));
    }
    source.share = *share;
    name = text.substr(0, at);
  }
  if (name == "game") return source;
  if (name == "scrambles") {
    source.kind = StartSource::Kind::kScrambles;
  } else if (name == "hard") {
    source.kind = StartSource::Kind::kHard;
  } else if (name.starts_with(kFile) && name.size() > kFile.size()) {
    source.kind = StartSource::Kind::kFile;
    source.file = name.substr(kFile.size());
  } else {
    return fail(fmt::format("starts: \"{}\" is none of game, scrambles, hard, file:FILE", name));
  }
  return source;
}

}  // namespace

Result<std::vector<StartSource>> read_sources(std::string_view text) {
  std::vector<StartSource> sources;
  float total = 0;
  for (const std::string_view word : split(text, ",")) {
    Result<StartSource> source = read_source(word);
    if (!source) return source.error();
    total += source->share;
    sources.push_back(std::move(*source));
  }
  for (StartSource& source : sources) source.share /= total;
  return sources;
}

std::string with_absolute_files(const std::string& text) {
  if (!read_sources(text)) return text;
  std::string all;
  for (const std::string_view word : split(text, ",")) {
    if (!all.empty()) all += ',';
    if (!word.starts_with(kFile)) {
      all += word;
      continue;
    }
    // Of the file's name and the share after it, the beginning becomes absolute.
    std::error_code unknown;
    const std::string_view relative = word.substr(kFile.size());
    const std::filesystem::path path = std::filesystem::absolute(relative, unknown);
    all.append(kFile).append(unknown ? relative : path.string());
  }
  return all;
}

}  // namespace senet
