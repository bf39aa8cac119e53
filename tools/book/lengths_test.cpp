// The README, the lessons and the book stay short enough to be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "tools/book/documents.h"
#include "tools/book/pages.h"

namespace book {
namespace {

namespace fs = std::filesystem;

// A sign without a letter or a digit is no word.
bool is_word(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char sign) { return std::isalnum(sign) != 0; });
}

std::size_t words_in(const std::string& text) {
  std::istringstream words(text);
  using Words = std::istream_iterator<std::string>;
  return static_cast<std::size_t>(std::count_if(Words(words), Words(), is_word));
}

// Without blocks, comments and the addresses of links.
std::size_t prose_words_in(const fs::path& chapter) {
  std::string text;
  for (const auto& line : read_page(chapter).prose) text += line + '\n';
  static const std::regex no_words(R"(<!--[^>]*-->|\]\([^)]*\)|[|])");
  return words_in(std::regex_replace(text, no_words, " "));
}

TEST(Lengths, OfTheReadmeAndTheLessons) {
  const fs::path root = LAB_SOURCE_DIR;
  EXPECT_LE(words_in(read_file(root / "README.md")), 1'200U);
  for (const auto& entry : fs::directory_iterator(root)) {
    if (!entry.path().filename().native().starts_with("stage")) continue;
    EXPECT_LE(words_in(read_file(entry.path() / "README.md")), 1'300U) << entry.path().filename();
  }
}

TEST(Lengths, OfTheBook) {
  const std::set<std::string> made_or_printed{
      "atlas",        "benchmarks", "cards",     "explored", "explored-field",
      "field-report", "handout",    "scenarios", "slides",   "survival"};
  std::size_t words = 0;
  for (const auto& chapter : chapters()) {
    if (!made_or_printed.contains(chapter.stem())) words += prose_words_in(chapter);
  }
  EXPECT_LE(words, 25'000U);
  EXPECT_GE(words, 10'000U) << "chapters are missing";
}

}  // namespace
}  // namespace book
