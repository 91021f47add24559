#include "engine/host/game_object.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/host/c_struct.hpp"

namespace senet {
namespace {

using Code = std::unique_ptr<void, GameObject::Unload>;

Result<GameObject> read_exported(const std::string& file, Code code,
                                 const senet_game_library& exported) {
  const auto library = read_struct(&exported, senet_game_library{}, "senet_game_library");
  if (!library) return library.error();
  if (library->version != SENET_GAME_LIBRARY_VERSION) {
    return fail(fmt::format("its version is {}; this program reads version {}", library->version,
                            SENET_GAME_LIBRARY_VERSION));
  }
  const auto functions = read_struct(library->table, senet_game_table{}, "senet_game_table");
  if (!functions) return functions.error();
  GameTable table(*functions);
  if (const auto checked = check_table(table); !checked) return checked.error();
  return GameObject{file, std::move(code), std::move(table),
                    library->recipe == nullptr ? "" : library->recipe};
}

}  // namespace

void GameObject::Unload::operator()(void* code) const { ::dlclose(code); }

Result<GameObject> GameObject::open(const std::string& file) {
  // Without a slash, dlopen would search the system's libraries.
  std::error_code error;
  const std::string path = std::filesystem::absolute(file, error).string();
  if (error) return fail(fmt::format("\"{}\": {}", file, error.message()));
  Code code(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (code == nullptr) return fail(::dlerror());
  constexpr const char* kSymbol = "senet_exported_game";
  const void* const symbol = ::dlsym(code.get(), kSymbol);
  if (symbol == nullptr) return fail(fmt::format("{}: it exports no {}", file, kSymbol));
  auto object =
      read_exported(file, std::move(code), *static_cast<const senet_game_library*>(symbol));
  if (!object) return fail(fmt::format("{}: {}", file, object.error().reason()));
  return object;
}

}  // namespace senet
