// For tests: is a text known in Chinese?
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tools/terminal/language.h"

namespace terminal {

// The English that is left in a Chinese text: two words in a row, outside of quotes, brackets and
// commands.
inline std::string english_in(const std::string& text) {
  static const std::regex no_prose(
      "\"[^\"]*\"|（[^）]*）|\\./lab [a-z0-9_ ]*(--directory [^ ]* [a-z0-9_ ]*)?");
  static const std::regex words("[a-z]+ [a-z]+");
  const auto rest = std::regex_replace(text, no_prose, "");
  std::smatch found;
  return std::regex_search(rest, found, words) ? found.str() : std::string();
}

inline void expect_known(const std::string& english) {
  static const auto chinese = Language::named("zh");
  const auto translated = chinese(english);
  EXPECT_NE(translated, english) << "tools/terminal/texts.zh.json does not have it";
  EXPECT_EQ(english_in(translated), "") << english << "\n" << translated;
}

}  // namespace terminal
