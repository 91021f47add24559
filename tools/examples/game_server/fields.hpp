// The body of a request: a JSON object with known fields, each checked when it is read.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace game_server {

/// Throws Refusal 400 for whatever is not as it is asked for.
class Fields {
 public:
  /// An empty body is an empty object.
  explicit Fields(const std::string& body);

  /// None when the field is not there.
  std::optional<std::string> text(const char* name);
  std::optional<std::uint32_t> number(const char* name, std::uint32_t least, std::uint32_t most);
  std::optional<float> fraction(const char* name, float least, float most);
  /// To be called when all fields were read: there must be no other.
  void done() const;

 private:
  const nlohmann::json* find(const char* name);

  nlohmann::json object_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace game_server
