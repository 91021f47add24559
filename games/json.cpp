#include "games/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace senet {
namespace {

using Written = nlohmann::ordered_json;

constexpr std::size_t kMostLevels = 64;

/// Builds a Json while it is read.
class Builder final : public nlohmann::json_sax<Written> {
 public:
  Json take() { return std::move(root_); }

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& name) override { return key_ = std::move(name), true; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return open_.pop_back(), true; }
  bool end_array() override { return open_.pop_back(), true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  Json& place() {
    if (open_.empty()) return root_;
    Json& parent = *open_.back();
    if (parent.is_object()) return parent[key_];
    return parent.push_back({});
  }
  bool add(Json value) { return place() = std::move(value), true; }
  bool open(Json value) {
    if (open_.size() == kMostLevels) return false;
    Json& here = place();
    here = std::move(value);
    open_.push_back(&here);
    return true;
  }

  Json root_;
  std::string key_;
  // No element is added to a list before its last one has been closed, so these stay valid.
  std::vector<Json*> open_;
};

Written written(const Json& json) {
  if (json.is_bool()) return json.boolean();
  if (json.is_unsigned()) return json.unsigned_number();
  if (json.is_integer()) return json.integer();
  if (json.is_number()) return json.number();
  if (json.is_string()) return json.string();
  if (json.is_array()) {
    Written array = Written::array();
    for (const Json& element : json.elements()) array.push_back(written(element));
    return array;
  }
  if (json.is_object()) {
    Written object = Written::object();
    for (const auto& [name, value] : json.members()) object[name] = written(value);
    return object;
  }
  return nullptr;
}

}  // namespace

Json::Json() = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

bool operator==(const Json& a, const Json& b) { return a.value_ == b.value_; }

Json Json::array(Elements elements) {
  Json json;
  json.value_ = std::move(elements);
  return json;
}

Json Json::object(std::initializer_list<std::pair<std::string_view, Json>> members) {
  Json json;
  Members& own = json.value_.emplace<Members>();
  for (const auto& [name, value] : members) own.emplace_back(name, value);
  return json;
}

Json Json::parse(std::string_view text) {
  Builder builder;
  return Written::sax_parse(text, &builder) ? builder.take() : Json();
}

double Json::number() const {
  if (const double* const number = std::get_if<double>(&value_)) return *number;
  return is_unsigned() ? static_cast<double>(unsigned_number()) : static_cast<double>(integer());
}

std::int64_t Json::integer() const {
  if (is_unsigned()) return static_cast<std::int64_t>(unsigned_number());
  return std::get<std::int64_t>(value_);
}

const Json* Json::find(std::string_view name) const {
  const Members* const members = std::get_if<Members>(&value_);
  if (members == nullptr) return nullptr;
  const auto found = std::ranges::find(*members, name, &Members::value_type::first);
  return found == members->end() ? nullptr : &found->second;
}

const std::string* Json::find_string(std::string_view name) const {
  const Json* const member = find(name);
  return member == nullptr ? nullptr : std::get_if<std::string>(&member->value_);
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_.emplace<Members>();
  auto& members = std::get<Members>(value_);
  const auto found = std::ranges::find(members, name, &Members::value_type::first);
  if (found != members.end()) return found->second;
  return members.emplace_back(name, Json()).second;
}

Json& Json::push_back(Json element) {
  if (is_null()) value_.emplace<Elements>();
  auto& elements = std::get<Elements>(value_);
  elements.push_back(std::move(element));
  return elements.back();
}

void Json::erase(std::string_view name) {
  std::erase_if(std::get<Members>(value_),
                [&](const auto& member) { return member.first == name; });
}

std::string Json::dump(int indent) const {
  return written(*this).dump(indent, ' ', false, Written::error_handler_t::replace);
}

}  // namespace senet
