// senet inspect: say what a file of a run holds, whichever of them it is.
#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>

#include "nn/file.hpp"
#include "nn/safetensors.hpp"
#include "tools/command.hpp"
#include "tools/inspect.hpp"

namespace senet {
namespace {

struct InspectArguments {
  std::string file;
  std::optional<std::uint64_t> game_number;
  bool json = false;
};

/// Whether the file looks like safetensors: JSON behind the eight bytes of its length.
Result<bool> is_safetensors(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return fail(fmt::format("{}: is a folder", file));
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(fmt::format("{}: {}", file, std::strerror(errno)));
  std::array<char, 9> start{};
  stream.read(start.data(), start.size());
  return start.back() == '{';
}

Result<void> inspect(const InspectArguments& arguments) {
  const Result<bool> tensors = is_safetensors(arguments.file);
  if (!tensors) return tensors.error();
  if (!*tensors) {
    return arguments.game_number
               ? inspect_game(arguments.file, *arguments.game_number, arguments.json)
               : inspect_games(arguments.file, arguments.json);
  }
  if (arguments.game_number) return fail("--game-number: the file is no game log");
  const Result<MappedFile> mapped = MappedFile::open(arguments.file);
  if (!mapped) return mapped.error();
  const Result<SafetensorsHeader> header = parse_safetensors(mapped->bytes());
  if (!header) return fail(fmt::format("{}: {}", arguments.file, header.error().reason()));
  const auto format = header->metadata.find("format");
  const bool is_checkpoint =
      format != header->metadata.end() && format->second.starts_with("senet-checkpoint");
  return is_checkpoint ? inspect_checkpoint(arguments.file, arguments.json)
                       : inspect_network(arguments.file, arguments.json);
}

}  // namespace

void add_inspect_command(const Command& program) {
  auto arguments = std::make_shared<InspectArguments>();
  const Command command = program.add_command(
      "inspect", "Say what a file holds: weights, a checkpoint or a log of games");
  command.option("file", arguments->file, "the file").required();
  command.option("--game-number", arguments->game_number,
                 "of a game log: print this game turn by turn");
  command.flag("--json", arguments->json, "print one JSON object");
  command.runs([arguments] { return report("inspect", inspect(*arguments)); });
}

}  // namespace senet
