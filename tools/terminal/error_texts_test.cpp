// Each sentence that the sources throw is known in Chinese: a person reads it after "lab: ".
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tools/terminal/testing/known_text.h"

namespace terminal {
namespace {

namespace fs = std::filesystem;

// The string literals that stand one after another from `at` on, as one text.
std::string text_at(const std::string& source, std::size_t at) {
  std::string text;
  for (; at < source.size() && source[at] == '"'; at = source.find_first_not_of(" \n", at + 1)) {
    for (++at; source[at] != '"'; ++at) {
      if (source[at] != '\\') {
        text += source[at];
      } else {
        text += source[++at] == 'n' ? '\n' : source[at];
      }
    }
  }
  return text;
}

// The lines of each text that is thrown, or given to fail(), as it is or by fmt::format, with {}
// for what varies.
std::vector<std::string> thrown_in(const std::string& source) {
  static const std::regex before(R"((?:throw [A-Za-z:]+|\bfail)\(\s*(fmt::format\(\s*)?(?="))");
  static const std::regex gap(R"(\{[^{}]*\})");
  std::vector<std::string> lines;
  for (std::sregex_iterator match(source.begin(), source.end(), before), end; match != end;
       ++match) {
    const auto at = static_cast<std::size_t>(match->position() + match->length());
    auto text = std::regex_replace(text_at(source, at), gap, "{}");
    if (text.ends_with(' ')) text += "{}";  // more is put after it
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  return lines;
}

bool is_of_the_program(const fs::path& file) {
  const auto& name = file.native();
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  // Those below preload/ and shim/ run in a lock's own program.
  return name.ends_with(".cpp") && !name.ends_with("_test.cpp") && !has("/testing/") &&
         !has("/preload/") && !has("/shim/");
}

// Without a gap that is often empty: `";{} ./lab list` and `benchmark{} has`.
std::string without_glued_gap(const std::string& line) {
  static const std::regex glued(R"(([a-z;}])\{\})");
  return std::regex_replace(line, glued, "$1");
}

TEST(ErrorTexts, AreKnownInChinese) {
  const auto chinese = Language::named("zh");
  std::size_t count = 0;
  for (const auto* room : {"core", "faults", "production/operating", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(LAB_SOURCE_DIR) / room)) {
      if (!is_of_the_program(entry.path())) continue;
      std::ifstream file(entry.path());
      for (const auto& line : thrown_in({std::istreambuf_iterator<char>(file), {}})) {
        if (english_in(line).empty()) continue;
        const bool is_known = chinese(line) != line && english_in(chinese(line)).empty();
        SCOPED_TRACE(entry.path());
        expect_known(is_known ? line : without_glued_gap(line));
        ++count;
      }
    }
  }
  EXPECT_GT(count, 150U);
}

}  // namespace
}  // namespace terminal
