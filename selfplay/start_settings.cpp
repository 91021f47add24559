#include "selfplay/start_settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>

namespace senet {
namespace {

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
  constexpr std::string_view kFile = "file:";
  if (name == "game") return source;
  if (name == "scrambles") {
    source.kind = StartSource::Kind::kScrambles;
  } else if (name.starts_with(kFile) && name.size() > kFile.size()) {
    source.kind = StartSource::Kind::kFile;
    source.file = name.substr(kFile.size());
  } else {
    return fail(fmt::format("starts: \"{}\" is none of game, scrambles, file:FILE", name));
  }
  return source;
}

}  // namespace

Result<std::vector<StartSource>> read_sources(std::string_view text) {
  std::vector<StartSource> sources;
  float total = 0;
  for (;;) {
    const std::size_t comma = text.find(',');
    Result<StartSource> source = read_source(text.substr(0, comma));
    if (!source) return source.error();
    total += source->share;
    sources.push_back(std::move(*source));
    if (comma == text.npos) break;
    text.remove_prefix(comma + 1);
  }
  for (StartSource& source : sources) source.share /= total;
  return sources;
}

std::string with_absolute_files(const std::string& text) {
  const Result<std::vector<StartSource>> sources = read_sources(text);
  if (!sources) return text;
  std::string all;
  std::size_t begin = 0;
  for (const StartSource& source : *sources) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    if (source.kind == StartSource::Kind::kFile) {
      std::error_code unknown;
      const std::string path = std::filesystem::absolute(source.file, unknown).string();
      if (!unknown) word.replace(word.find(source.file), source.file.size(), path);
    }
    all += (begin == 0 ? "" : ",") + word;
    begin = end + 1;
  }
  return all;
}

}  // namespace senet
