// What the C++ face's functions answer: a value or an error. See senet.hpp.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "senet/senet.h"

namespace senet::api {

/// What went wrong: a kind for programs, a sentence for people.
class Error : public std::exception {
 public:
  Error(senet_status status, std::string reason) : status_(status), reason_(std::move(reason)) {}
  senet_status status() const { return status_; }
  const std::string& reason() const { return reason_; }
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  senet_status status_;
  std::string reason_;
};

/// A value, or the error there is instead.
template <class T>
class [[nodiscard]] Answer {
 public:
  Answer(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Answer(Error error) : content_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return content_.index() == 0; }
  /// Throws the error when there is no value.
  T& value() & { return throw_error(), std::get<0>(content_); }
  const T& value() const& { return throw_error(), std::get<0>(content_); }
  T value() && { return throw_error(), std::get<0>(std::move(content_)); }
  /// Only with a value.
  T& operator*() & { return std::get<0>(content_); }
  const T& operator*() const& { return std::get<0>(content_); }
  T operator*() && { return std::get<0>(std::move(content_)); }
  T* operator->() { return &std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }
  /// Only without a value.
  const Error& error() const { return std::get<1>(content_); }

 private:
  void throw_error() const {
    if (content_.index() == 1) throw std::get<1>(content_);
  }
  std::variant<T, Error> content_;
};

/// Nothing, or an error.
template <>
class [[nodiscard]] Answer<void> {
 public:
  Answer() = default;
  Answer(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  void value() const {
    if (error_) throw *error_;
  }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace senet::api
