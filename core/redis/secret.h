// A text that must not be shown: a password. It prints as "(secret)", whatever prints it.
//
// Thread-safety: a value.
#pragma once

#include <ostream>
#include <string>
#include <utility>

namespace core {

class Secret {
 public:
  Secret() = default;
  Secret(std::string text) : text_(std::move(text)) {}  // NOLINT: so that `.password = text` works
  Secret(const char* text) : text_(text) {}             // NOLINT

  [[nodiscard]] bool empty() const { return text_.empty(); }
  // The text itself, for the server alone.
  [[nodiscard]] const std::string& reveal() const { return text_; }

  friend std::ostream& operator<<(std::ostream& out, const Secret& /*secret*/) {
    return out << "(secret)";
  }

 private:
  std::string text_;
};

}  // namespace core
