// JSON, for what programs print and what files of other programs say. nlohmann's library reads and
// writes it, and json.cpp alone includes that: it costs a file six seconds to compile.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace senet {

/// A JSON value. The members of an object keep their order.
class Json {
 public:
  using Elements = std::vector<Json>;
  using Members = std::vector<std::pair<std::string, Json>>;

  /// null
  Json();
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();
  Json(bool value) : value_(value) {}
  Json(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  Json(std::signed_integral auto value) {
    if (value < 0) {
      value_ = std::int64_t{value};
    } else {
      value_ = static_cast<std::uint64_t>(value);
    }
  }
  Json(std::unsigned_integral auto value) : value_(std::uint64_t{value}) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  /// null where there is no value.
  template <class T>
  Json(const std::optional<T>& value) {
    if (value) *this = Json(*value);
  }

  /// An array of these, and an object with these members, each name once.
  static Json array(Elements elements = {});
  static Json object(std::initializer_list<std::pair<std::string_view, Json>> members = {});
  /// The value that `text` is; null where it is no JSON or nested deeper than 64 levels.
  static Json parse(std::string_view text);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  /// A whole number, written without fraction and exponent.
  bool is_integer() const { return is_unsigned() || std::holds_alternative<std::int64_t>(value_); }
  /// A whole number that is not negative.
  bool is_unsigned() const { return std::holds_alternative<std::uint64_t>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Elements>(value_); }
  bool is_object() const { return std::holds_alternative<Members>(value_); }

  /// Each only where the value is of that type. A number becomes the nearest one.
  bool boolean() const { return std::get<bool>(value_); }
  double number() const;
  /// A whole number; above the range of the type it wraps.
  std::int64_t integer() const;
  std::uint64_t unsigned_number() const { return std::get<std::uint64_t>(value_); }
  const std::string& string() const { return std::get<std::string>(value_); }
  const Elements& elements() const { return std::get<Elements>(value_); }
  const Members& members() const { return std::get<Members>(value_); }

  /// The member of that name, or null where there is none or this is no object.
  const Json* find(std::string_view name) const;
  /// The same, where it is a string.
  const std::string* find_string(std::string_view name) const;

  /// The member of that name, which is added where it is missing; null becomes an object.
  Json& operator[](std::string_view name);
  /// Adds an element, and returns it where it stands; null becomes an array.
  Json& push_back(Json element);
  /// Removes the member if it is there.
  void erase(std::string_view name);

  /// The text, on one line, or with members and elements on lines of their own that are `indent`
  /// spaces deeper. Bytes that are no UTF-8 are replaced.
  std::string dump(int indent = -1) const;

  friend bool operator==(const Json& a, const Json& b);

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Elements,
               Members>
      value_;
};

}  // namespace senet
