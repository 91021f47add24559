#include "fields.hpp"

#include "http_error.hpp"

namespace game_server {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestText = 128;

std::string quoted(const std::string& name) { return "\"" + name.substr(0, kLongestText) + "\""; }

}  // namespace

Fields::Fields(const std::string& body) : object_(json::object()) {
  if (!body.empty()) object_ = json::parse(body, nullptr, false);
  if (object_.is_discarded()) throw Refusal{400, "the body is not JSON"};
  if (!object_.is_object()) throw Refusal{400, "the body is not a JSON object"};
}

const json* Fields::find(const char* name) {
  known_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

std::optional<std::string> Fields::text(const char* name) {
  const json* field = find(name);
  if (field == nullptr) return std::nullopt;
  if (!field->is_string() || field->get_ref<const std::string&>().size() > kLongestText) {
    throw Refusal{
        400, quoted(name) + " is not a text of at most " + std::to_string(kLongestText) + " bytes"};
  }
  return field->get<std::string>();
}

std::optional<std::uint32_t> Fields::number(const char* name, std::uint32_t least,
                                            std::uint32_t most) {
  const json* field = find(name);
  if (field == nullptr) return std::nullopt;
  if (!field->is_number_unsigned() || field->get<std::uint64_t>() < least ||
      field->get<std::uint64_t>() > most) {
    throw Refusal{400, quoted(name) + " is not a whole number from " + std::to_string(least) +
                           " to " + std::to_string(most)};
  }
  return field->get<std::uint32_t>();
}

std::optional<float> Fields::fraction(const char* name, float least, float most) {
  const json* field = find(name);
  if (field == nullptr) return std::nullopt;
  if (!field->is_number() || !(field->get<double>() >= least && field->get<double>() <= most)) {
    throw Refusal{400, quoted(name) + " is not a number from " + json(least).dump() + " to " +
                           json(most).dump()};
  }
  return field->get<float>();
}

void Fields::done() const {
  for (const auto& [name, value] : object_.items()) {
    if (!known_.contains(name)) throw Refusal{400, "there is no field " + quoted(name) + " here"};
  }
}

}  // namespace game_server
