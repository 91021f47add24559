// The body of a request: a JSON object with known fields, each checked when it is taken out.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>

#include "refusal.hpp"

namespace game_server {

using json = nlohmann::json;

/// Throws Refusal 400 for whatever is not as it is asked for.
class Fields {
 public:
  /// An empty body is an empty object.
  explicit Fields(const std::string& body)
      : left_(body.empty() ? json::object() : json::parse(body, nullptr, false)) {
    require(!left_.is_discarded(), 400, "the body is not JSON");
    require(left_.is_object(), 400, "the body is not a JSON object");
  }

  /// None when the field is not there.
  std::optional<std::string> text(const char* name) {
    const auto field = take(name);
    if (!field) return std::nullopt;
    require(field->is_string() && field->get_ref<const std::string&>().size() <= kLongest, 400, '"',
            name, "\" is not a text of at most ", kLongest, " bytes");
    return field->get<std::string>();
  }

  /// The same; integers are whole numbers.
  template <class Number>
  std::optional<Number> number(const char* name, Number least, Number most) {
    const auto field = take(name);
    if (!field) return std::nullopt;
    constexpr bool kWhole = std::integral<Number>;
    require((kWhole ? field->is_number_unsigned() : field->is_number()) && *field >= json(least) &&
                *field <= json(most),
            400, '"', name, "\" is not a ", kWhole ? "whole " : "", "number from ", json(least),
            " to ", json(most));
    return field->get<Number>();
  }

  /// To be called when all fields were taken: there must be no other.
  void done() const {
    require(left_.empty(), 400, "there is no field \"",
            left_.empty() ? "" : left_.begin().key().substr(0, kLongest), "\" here");
  }

 private:
  static constexpr std::size_t kLongest = 128;  // bytes of a text

  std::optional<json> take(const char* name) {
    const auto field = left_.find(name);
    if (field == left_.end()) return std::nullopt;
    std::optional<json> taken = std::move(*field);
    left_.erase(field);
    return taken;
  }

  json left_;  // what was not taken yet
};

}  // namespace game_server
