// Enforces docs/architecture.md: folders include only folders to their left, headers begin with a
// comment on their purpose, and the top level of the repository contains only the expected entries.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "games/registry.hpp"
#include "tests/repository.hpp"

namespace senet {
namespace {

namespace fs = std::filesystem;

// From left to right.
constexpr std::array<std::string_view, 8> kFolders = {
    "games", "nn", "search", "engine", "selfplay", "train_bridge", "tools", "python"};

// The ordered subfolders of some folders, from left to right. Files outside of them may
// include all rooms, and all rooms may include them.
struct Rooms {
  std::string_view folder;
  std::vector<std::string_view> rooms;
};
const std::vector<Rooms>& rooms() {
  static const std::vector<Rooms> all = {{"engine", {"lanes", "host"}},
                                         {"tools", {"play", "referee", "bench", "run"}}};
  return all;
}

// The folders of the installed headers, which are included as "senet/...", from left to right.
constexpr std::string_view kPublicHeaders = "senet";
constexpr std::array<std::string_view, 3> kPublicFolders = {"games/include", "engine/host/include",
                                                            "train_bridge/include"};

// Examples that are separate projects, like a host's.
constexpr std::array<std::string_view, 2> kHostProjects = {"tools/examples/game_server",
                                                           "tools/examples/train_own_game"};

const fs::path& root() {
  static const fs::path path = repository_path("");
  return path;
}

// The folder that contains an installed header, or "".
std::string_view public_folder_of(const std::string& header) {
  for (const std::string_view folder : kPublicFolders) {
    if (fs::exists(root() / folder / header)) return folder;
  }
  return "";
}

std::optional<std::size_t> rank_of(std::string_view folder) {
  const auto found = std::ranges::find(kFolders, folder);
  if (found == kFolders.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kFolders.begin());
}

std::vector<fs::path> sources_under(std::string_view folder) {
  std::vector<fs::path> sources;
  if (!fs::exists(root() / folder)) return sources;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root() / folder)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".hpp" || extension == ".cpp" || extension == ".h" || extension == ".c" ||
        extension == ".inl" || extension == ".cu" || extension == ".cuh") {
      sources.push_back(entry.path());
    }
  }
  std::ranges::sort(sources);
  return sources;
}

// Excludes C headers, which have include guards.
bool is_header(const fs::path& file) {
  const fs::path extension = file.extension();
  return extension == ".hpp" || extension == ".inl" || extension == ".cuh";
}

std::string shown(const fs::path& file) { return fs::relative(file, root()).generic_string(); }

struct Include {
  std::size_t line;
  char bracket;  // '"' or '<'
  std::string path;
};

std::vector<Include> includes_of(std::istream& source) {
  std::vector<Include> includes;
  std::string line;
  for (std::size_t number = 1; std::getline(source, line); ++number) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const std::size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const std::size_t open = line.find_first_of("\"<", word);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close == std::string::npos) continue;
    includes.push_back({number, line[open], line.substr(open + 1, close - open - 1)});
  }
  return includes;
}

// The index of the room that contains a path, counted from the left; nothing outside of rooms.
std::optional<std::size_t> room_of(std::string_view path, const Rooms& folder) {
  for (std::size_t i = 0; i < folder.rooms.size(); ++i) {
    const std::string room = std::string(folder.folder).append("/").append(folder.rooms[i]);
    if (path == room || path.starts_with(room + "/")) return i;
  }
  return std::nullopt;
}

// The reason why `place` must not include a file in another room, or "" if it may.
std::string objection_between_rooms(std::string_view place, std::string_view included) {
  for (const Rooms& folder : rooms()) {
    const std::optional<std::size_t> from = room_of(place, folder);
    const std::optional<std::size_t> to = room_of(included, folder);
    if (from && to && *to > *from) {
      const std::string prefix = std::string(folder.folder) + "/";
      return prefix + std::string(folder.rooms[*from]) + " is to the left of " + prefix +
             std::string(folder.rooms[*to]);
    }
  }
  return "";
}

// The reason why a file in `place`, a folder or a room, must not have this include, or "".
std::string objection(std::string_view place, const Include& include) {
  const std::string_view folder = place.substr(0, place.find('/'));
  std::string path = include.path;
  std::string first = path.substr(0, path.find('/'));
  if (first == kPublicHeaders && include.bracket == '"') {
    const std::string_view holder = public_folder_of(include.path);
    if (holder.empty()) return "not an installed header";
    path = std::string(holder).append("/").append(path);
    first = holder.substr(0, holder.find('/'));
  }
  const std::optional<std::size_t> rank = rank_of(first);
  const bool is_test = folder == "tests";
  if (include.bracket == '<') {
    // Tests and examples may include the installed library like a host.
    if ((is_test || folder == "tools") && first == kPublicHeaders) return "";
    const bool is_ours = rank || first == "tests" || first == kPublicHeaders;
    return is_ours ? "our own headers must be included with quotes" : "";
  }
  if (first == "tests" && include.path != first) return is_test ? "" : "only tests include tests";
  if (!rank || include.path == first) return "include paths must start at the repository";
  if (is_test) return "";
  if (*rank <= *rank_of(folder)) return objection_between_rooms(place, path);
  return std::string(folder) + " is to the left of " + first;
}

// The same for a file of a host project, which may include the files in its folder and the
// installed library.
std::string objection_in_host_project(const Include& include) {
  const std::string first = include.path.substr(0, include.path.find('/'));
  if (include.bracket == '<')
    return rank_of(first) && first != kPublicHeaders ? "not installed" : "";
  return include.path == first ? "" : "a host project must include its own files by name";
}

bool is_in_host_project(const fs::path& file) {
  return std::ranges::find(kHostProjects, shown(file.parent_path())) != kHostProjects.end();
}

// Whether CMake generates the header, from a template in the same folder or for a game of the list.
bool is_made(const fs::path& file, const std::string& path) {
  return fs::exists(file.string() + ".in") ||
         std::ranges::any_of(game_names(), [&](std::string_view game) {
           return path == std::string("games/list/").append(game).append(".hpp");
         });
}

TEST(Architecture, FoldersIncludeOnlyWhatStandsToTheirLeft) {
  std::vector<std::string_view> folders(kFolders.begin(), kFolders.end());
  folders.push_back("tests");
  std::size_t files = 0;
  for (const std::string_view folder : folders) {
    for (const fs::path& file : sources_under(folder)) {
      ++files;
      std::ifstream source(file);
      for (const Include& include : includes_of(source)) {
        const bool is_host = is_in_host_project(file);
        const std::string reason = is_host ? objection_in_host_project(include)
                                           : objection(shown(file.parent_path()), include);
        EXPECT_EQ(reason, "") << shown(file) << ":" << include.line << " includes " << include.path;
        if (include.bracket != '"' || !reason.empty()) continue;
        const bool is_public = include.path.starts_with(kPublicHeaders);
        const fs::path base = is_host     ? file.parent_path()
                              : is_public ? root() / public_folder_of(include.path)
                                          : root();
        const fs::path included = base / include.path;
        EXPECT_TRUE(fs::exists(included) || is_made(included, include.path))
            << shown(file) << ":" << include.line << ": no such file " << include.path;
      }
    }
  }
  EXPECT_GT(files, 10u) << "the source tree was not found at " << root();
}

// Tests the rule itself on made-up includes.
TEST(Architecture, TheRuleSeesWhatItShould) {
  const auto verdict = [](std::string_view folder, const std::string& text) {
    std::istringstream source(text);
    const std::vector<Include> includes = includes_of(source);
    EXPECT_EQ(includes.size(), 1u) << text;
    return includes.empty() ? "no include" : objection(folder, includes[0]);
  };
  EXPECT_EQ(verdict("search", "#include \"games/random.hpp\""), "");
  EXPECT_EQ(verdict("search", "#include \"search/tree.hpp\""), "");
  EXPECT_EQ(verdict("search", "#include <vector>"), "");
  EXPECT_EQ(verdict("search", "  #  include \"engine/lanes/worker.hpp\"  // why"),
            "search is to the left of engine");
  EXPECT_EQ(verdict("games", "#include \"nn/batch.hpp\""), "games is to the left of nn");
  EXPECT_EQ(verdict("search", "#include \"senet/senet.h\""), "search is to the left of engine");
  EXPECT_EQ(verdict("tools", "#include \"senet/senet.h\""), "");
  EXPECT_EQ(verdict("games", "#include \"senet/game.hpp\""), "");
  EXPECT_EQ(verdict("engine/lanes", "#include \"search/tree.hpp\""), "");
  EXPECT_EQ(verdict("engine", "#include \"engine/lanes/worker.hpp\""), "");
  EXPECT_NE(verdict("engine/lanes", "#include \"engine/host/service.hpp\""), "");
  EXPECT_NE(verdict("engine/lanes", "#include \"senet/senet.h\""), "");
  EXPECT_EQ(verdict("engine/host", "#include \"engine/lanes/worker.hpp\""), "");
  EXPECT_EQ(verdict("tools/referee/games/x", "#include \"tools/play/players.hpp\""), "");
  EXPECT_EQ(verdict("tools/play/protocol", "#include \"tools/command.hpp\""), "");
  EXPECT_EQ(verdict("tools/play/protocol", "#include \"tools/bench/timing.hpp\""),
            "tools/play is to the left of tools/bench");
  EXPECT_NE(verdict("search", "#include \"tree.hpp\""), "");
  EXPECT_NE(verdict("search", "#include \"../games/random.hpp\""), "");
  EXPECT_NE(verdict("search", "#include <games/random.hpp>"), "");
  EXPECT_NE(verdict("search", "#include \"tests/search/fakes.hpp\""), "");
  EXPECT_EQ(verdict("tests", "#include \"tests/search/fakes.hpp\""), "");
  EXPECT_EQ(verdict("tests", "#include \"tools/command.hpp\""), "");
  EXPECT_EQ(verdict("tests", "#include <senet/senet.hpp>"), "");
  EXPECT_EQ(verdict("tools", "#include <senet/senet.hpp>"), "");
  EXPECT_NE(verdict("selfplay", "#include <senet/senet.hpp>"), "");
  EXPECT_EQ(objection_in_host_project({1, '"', "board.hpp"}), "");
  EXPECT_EQ(objection_in_host_project({1, '<', "senet/senet.hpp"}), "");
  EXPECT_NE(objection_in_host_project({1, '"', "senet/senet.hpp"}), "");
  EXPECT_NE(objection_in_host_project({1, '"', "games/random.hpp"}), "");
  EXPECT_NE(objection_in_host_project({1, '<', "games/random.hpp"}), "");
}

TEST(Architecture, HeadersSayWhatTheyAreForAndGuardThemselves) {
  std::vector<std::string_view> folders(kFolders.begin(), kFolders.end());
  folders.push_back("tests");
  for (const std::string_view folder : folders) {
    for (const fs::path& file : sources_under(folder)) {
      if (!is_header(file)) continue;
      std::ifstream source(file);
      std::string line;
      std::getline(source, line);
      EXPECT_TRUE(line.starts_with("// ") && line.size() > 12)
          << shown(file) << " does not begin with a comment on its purpose";
      bool is_guarded = false;
      while (!is_guarded && std::getline(source, line)) is_guarded = line == "#pragma once";
      EXPECT_TRUE(is_guarded) << shown(file) << " has no #pragma once";
    }
  }
}

// Lower case without word separators, so that ConnectFour and connect_four become equal.
std::string plain(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (c != '_' && c != ' ' && c != '-')
      letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return letters;
}

// The lines of a source that name the game outside of comments.
std::vector<std::size_t> lines_that_name(std::istream& source, std::string_view game) {
  std::vector<std::size_t> lines;
  std::string line;
  bool is_comment = false;  // continued from an earlier line
  for (std::size_t number = 1; std::getline(source, line); ++number) {
    std::string code;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (is_comment) {
        if (line.compare(i, 2, "*/") == 0) is_comment = false, ++i;
      } else if (line.compare(i, 2, "/*") == 0) {
        is_comment = true;
      } else if (line.compare(i, 2, "//") == 0 && (i == 0 || line[i - 1] != ':')) {
        break;
      } else {
        code += line[i];
      }
    }
    if (plain(code).find(plain(game)) != std::string::npos) lines.push_back(number);
  }
  return lines;
}

// The folder of a game may name that game. Examples may name all games.
bool may_name_games(const std::string& file) {
  return file.starts_with("tools/examples/") ||
         std::ranges::any_of(game_names(), [&](std::string_view game) {
           return file.find(std::string("/").append(game).append("/")) != std::string::npos;
         });
}

TEST(Architecture, GenericCodeNamesNoGame) {
  for (const std::string_view folder : kFolders) {
    for (const fs::path& file : sources_under(folder)) {
      if (may_name_games(shown(file))) continue;
      for (const std::string_view game : game_names()) {
        std::ifstream source(file);
        for (const std::size_t line : lines_that_name(source, game)) {
          ADD_FAILURE() << shown(file) << ":" << line << " names " << game;
        }
      }
    }
  }
  std::istringstream source(
      "// connect_four\nint x; /* ConnectFour\n connect_four */ ConnectFour y;");
  EXPECT_EQ(lines_that_name(source, "connect_four"), std::vector<std::size_t>{3});
}

// The entries that git tracks at the top level; empty outside of a checkout or without git.
std::set<std::string> tracked_top_level() {
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  std::set<std::string> names;
  if (!fs::exists(root() / ".git")) return names;
  const std::string command = "git -C '" + root().string() + "' ls-files 2>/dev/null";
  const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  if (!pipe) return names;
  std::string output;
  std::array<char, 4096> chunk;
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), pipe.get())) {
    output.append(chunk.data(), size);
  }
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) names.insert(line.substr(0, line.find('/')));
  return names;
}

TEST(Architecture, TopLevelHoldsExactlyWhatItShould) {
  const std::set<std::string> wanted = {
      "games", "nn",    "search",         "engine",     "selfplay", "train_bridge",
      "tests", "tools", "CMakeLists.txt", "README.md",  "LICENSE",  "CMakePresets.json",
      ".ci",   "docs",  ".clang-format",  ".gitignore", "python",   "pyproject.toml"};
  std::set<std::string> present = tracked_top_level();
  if (present.empty()) {
    for (const fs::directory_entry& entry : fs::directory_iterator(root())) {
      const std::string name = entry.path().filename().string();
      // The entries of .gitignore, and git's own folder.
      const bool is_ignored = name == ".git" || name == "build" || name.starts_with("build-") ||
                              name == "runs" || name == ".cache" || name == "compile_commands.json";
      if (!is_ignored) present.insert(name);
    }
  }
  for (const std::string& name : present) {
    EXPECT_TRUE(wanted.contains(name)) << name << " does not belong at the top level";
  }
  for (const std::string& name : wanted) {
    EXPECT_TRUE(present.contains(name)) << name << " is missing at the top level";
  }
}

}  // namespace
}  // namespace senet
