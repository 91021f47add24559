// Errors as values: a function that can fail returns a Result, which holds a value or an Error.
#pragma once

#if __cplusplus < 202002L
#error "senet needs C++20: compile with -std=c++20, or link the CMake target senet::senet"
#endif

#include <concepts>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "senet/status.h"

namespace senet {

/// An error: a status for programs, and one sentence for people that names what is wrong and where.
/// It derives from std::exception so that Result::value() can throw it.
class Error : public std::exception {
 public:
  explicit Error(std::string reason) : Error(SENET_BAD_ARGUMENT, std::move(reason)) {}
  Error(senet_status status, std::string reason) : status_(status), reason_(std::move(reason)) {}

  senet_status status() const { return status_; }
  const std::string& reason() const { return reason_; }
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  senet_status status_;
  std::string reason_;
};

/// Shorthands for returning an error from a function that returns a Result.
inline Error fail(std::string reason) { return Error(std::move(reason)); }
inline Error fail(senet_status status, std::string reason) { return {status, std::move(reason)}; }

/// A value or an error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result() requires std::default_initializable<T>
  = default;
  /// Accepts anything that converts to T, except errors.
  template <class From = T>
  requires(std::convertible_to<From, T> && !std::same_as<std::remove_cvref_t<From>, Result> &&
           !std::same_as<std::remove_cvref_t<From>, Error>) Result(From&& value)
      : content_(std::in_place_index<0>, std::forward<From>(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// The value; undefined behaviour when there is none.
  T& operator*() & { return *std::get_if<0>(&content_); }
  const T& operator*() const& { return *std::get_if<0>(&content_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&content_)); }
  T* operator->() { return std::get_if<0>(&content_); }
  const T* operator->() const { return std::get_if<0>(&content_); }
  /// The error; undefined behaviour when there is none.
  Error& error() { return *std::get_if<1>(&content_); }
  const Error& error() const { return *std::get_if<1>(&content_); }

  /// The value; throws the error when there is none.
  T& value() & { return throw_error(), **this; }
  const T& value() const& { return throw_error(), **this; }
  T value() && { return throw_error(), *std::move(*this); }
  /// Whether there is a value and it equals `value`.
  friend bool operator==(const Result& result,
                         const T& value) requires std::equality_comparable<T> {
    return result.has_value() && *result == value;
  }
  /// The value, or `other` when there is none.
  T value_or(T other) const& { return has_value() ? **this : std::move(other); }

 private:
  void throw_error() const {
    if (!has_value()) throw error();
  }
  std::variant<T, Error> content_;
};

/// Nothing, or an error.
template <>
class [[nodiscard]] Result<void> : public Result<std::monostate> {
 public:
  using Result<std::monostate>::Result;
  /// Throws the error if there is one.
  void value() const { Result<std::monostate>::value(); }
};

}  // namespace senet
