// JSON, for what programs print and what files of other programs say.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace senet {

/// A JSON value. The members of an object keep their order.
using Json = nlohmann::ordered_json;

/// The value that `text` is; null where it is no JSON or nested deeper than 64 levels.
Json parse_json(std::string_view text);

/// The text of a value, on one line, or with members and elements on lines of their own that are
/// `indent` spaces deeper. Bytes that are no UTF-8 are replaced.
std::string json_text(const Json& json, int indent = -1);

/// The member of that name where it is a string, or null.
const std::string* find_string(const Json& json, std::string_view name);

}  // namespace senet
