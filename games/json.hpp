// JSON, for output to programs and for files of other programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace senet {

/// A JSON value. The members of an object keep their order.
using Json = nlohmann::ordered_json;

/// Parses a JSON text; null when it is invalid or nested deeper than 64 levels. Of members with the
/// same key the last one counts; `repeated`, unless null, gets the last such key.
Json parse_json(std::string_view text, std::string* repeated = nullptr);

/// Writes a value on one line or, with `indent` >= 0, each member and element on a separate line
/// that is indented by `indent` spaces per level. Invalid UTF-8 bytes are replaced.
std::string json_text(const Json& json, int indent = -1);

/// A number with the shortest decimal digits of the float: 0.2, not 0.20000000298023224. Null if it
/// is not finite.
Json json_number(float value);

/// The member of that name if it is a string; otherwise null.
const std::string* find_string(const Json& json, std::string_view name);

}  // namespace senet
