// What the lab says, in the language of the person who reads it.
//
// The code speaks English. texts.zh.json has its sentences in Chinese, with {} for a part that
// varies; it is looked up as well, or each word of a list. A part in "quotes" stays as it is, for
// words to type; of n parts, {n} is the first as it is. What a lane of a timeline says has keys of
// its own, "lane: …": commands, operations and outcomes stay as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace terminal {

// Thread-safety: its const members may be called from any thread.
class Language {
 public:
  // English.
  Language() = default;
  // `name`: "en", "zh", or a locale such as "zh_CN.UTF-8". Throws CannotRun for another language.
  [[nodiscard]] static Language named(std::string_view name);
  // That of LC_ALL, LC_MESSAGES or LANG; English if it is none of ours.
  [[nodiscard]] static Language of_environment();

  // For a page that puts texts together itself: {"English": "translation"}, as JSON. Empty:
  // English.
  [[nodiscard]] std::string_view catalogue() const { return catalogue_; }

  // `text`, line by line, in this language. What has no translation stays as it is.
  [[nodiscard]] std::string operator()(std::string_view text) const;

  // The text of one lane of a timeline.
  [[nodiscard]] std::string lane(std::string_view text) const;

 private:
  struct Pattern {
    std::vector<std::string> literals;  // around each {}
    std::string translation;
  };
  [[nodiscard]] static Language of_catalogue(std::string_view json);
  [[nodiscard]] std::string line(std::string_view english) const;
  [[nodiscard]] std::string sentence(std::string_view english) const;
  [[nodiscard]] std::string filled(const std::string& translation,
                                   const std::vector<std::string_view>& parts) const;

  std::string_view catalogue_;     // of static storage
  std::vector<Pattern> patterns_;  // the longest first
  std::vector<Pattern> lanes_;     // the same
};

}  // namespace terminal
