// The words of the field report's pages, and the class of fault of each scenario: from the files in
// page/ and classes.json, which the build puts into this program.
//
// Thread-safety: pure functions.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/terminal/language.h"

namespace field {

struct FaultClass {
  std::string name;  // as a key of the words
  std::vector<std::string> scenarios;
};

// The class of scenarios without a fault: only a lock's own section has it.
inline constexpr const char* behaviour = "behaviour";

// Every class, in the order of the table; `behaviour` is the last.
[[nodiscard]] const std::vector<FaultClass>& fault_classes();

// page/words.json.
[[nodiscard]] const nlohmann::json& page_words();
// The same in `language`, as page/words.zh.json has them; the signs, and what is not in it, stay.
[[nodiscard]] nlohmann::json page_words_in(const terminal::Language& language);

// The sentence at `path` of `words`, such as "/page/again", with its {places} filled in, as in
// worded_in(words, "/promise", fmt::arg("says", "..."), ...).
template <typename... Places>
std::string worded_in(const nlohmann::json& words, const char* path, const Places&... places) {
  const auto& text = words.at(nlohmann::json::json_pointer(path)).get_ref<const std::string&>();
  return fmt::format(fmt::runtime(text), places...);
}

// The same in English.
template <typename... Places>
std::string worded(const char* path, const Places&... places) {
  return worded_in(page_words(), path, places...);
}

}  // namespace field
