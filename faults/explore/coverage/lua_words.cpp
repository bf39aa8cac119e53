#include "faults/explore/coverage/lua_words.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

namespace explore {
namespace {

bool is_digit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

bool is_of_word(char letter) {
  return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

class WordReader {
 public:
  explicit WordReader(std::string_view script) : script_(script) {}

  [[nodiscard]] std::vector<LuaWord> words() {
    if (script_.starts_with("#!")) pass_line();  // Redis' own first line: its flags
    while (at_ < script_.size()) read_next();
    return std::move(words_);
  }

 private:
  void read_next() {
    const char letter = script_[at_];
    if (script_.substr(at_, 2) == "--") return pass_comment();
    if (letter == '"' || letter == '\'') return pass_string(letter);
    if (const auto level = bracket_level()) return pass_bracket(*level);
    if (is_digit(letter)) return pass_number();
    if (is_of_word(letter)) return read_word();
    move_to(at_ + 1);
  }

  void read_word() {
    const auto first = at_;
    const auto line = line_;
    while (at_ < script_.size() && is_of_word(script_[at_])) ++at_;
    words_.push_back({.text = script_.substr(first, at_ - first), .at = first, .line = line});
  }

  void pass_number() {
    while (at_ < script_.size() && (is_of_word(script_[at_]) || script_[at_] == '.')) ++at_;
  }

  void pass_line() { move_to(script_.find('\n', at_)); }

  void pass_comment() {
    at_ += 2;
    const auto level = bracket_level();
    return level ? pass_bracket(*level) : pass_line();
  }

  void pass_string(char quote) {
    auto end = at_ + 1;
    while (end < script_.size() && script_[end] != quote) end += script_[end] == '\\' ? 2 : 1;
    move_to(end + 1);
  }

  // The number of = between the two brackets of a long string that begins here, such as [==[.
  [[nodiscard]] std::optional<std::size_t> bracket_level() const {
    if (script_[std::min(at_, script_.size() - 1)] != '[') return std::nullopt;
    const auto second = script_.find_first_not_of('=', at_ + 1);
    if (second == std::string_view::npos || script_[second] != '[') return std::nullopt;
    return second - at_ - 1;
  }

  void pass_bracket(std::size_t level) {
    const auto closing = "]" + std::string(level, '=') + "]";
    const auto end = script_.find(closing, at_);
    move_to(end == std::string_view::npos ? end : end + closing.size());
  }

  void move_to(std::size_t place) {
    place = std::min(place, script_.size());
    const auto passed = script_.substr(at_, place - at_);
    line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    at_ = place;
  }

  const std::string_view script_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<LuaWord> words_;
};

}  // namespace

std::vector<LuaWord> lua_words(std::string_view script) {
  return WordReader(script).words();
}

}  // namespace explore
