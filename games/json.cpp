#include "games/json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

namespace senet {

Json parse_json(std::string_view text, std::string* repeated) {
  constexpr int kMaxLevels = 64;
  bool is_too_deep = false;
  std::vector<std::set<std::string>> keys;  // of each object that is open
  const auto keep_going = [&](int levels_around, Json::parse_event_t event, const Json& parsed) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    is_too_deep = is_too_deep || (opens && levels_around == kMaxLevels);
    if (repeated == nullptr) return !is_too_deep;
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) *repeated = key;
    }
    return !is_too_deep;
  };
  Json json = Json::parse(text, keep_going, false);
  return json.is_discarded() || is_too_deep ? Json() : json;
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json json_number(float value) {
  if (!std::isfinite(value)) return {};
  std::array<char, 32> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double nearest = 0;
  std::from_chars(text.data(), end, nearest);
  return nearest;
}

const std::string* find_string(const Json& json, std::string_view name) {
  const auto found = json.find(name);
  return found == json.end() ? nullptr : found->get_ptr<const std::string*>();
}

}  // namespace senet
