// A lock's own section of the Markdown page: what it is, what was violated and how to see it again,
// what every other scenario says, and the same of its variants where they differ. `words` are those
// of a language (page_words.h).
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace field {

using Names = std::vector<std::string>;

// So many words at most has the paragraph that says what a lock is.
inline constexpr int most_words_about_a_lock = 60;

// The section of `lock`, one of the `views` of lock_views().
[[nodiscard]] std::string section_of(const nlohmann::json& lock, const nlohmann::json& views,
                                     const nlohmann::json& words);

// True if a view is that of a variant whose lock is there.
[[nodiscard]] bool is_variant(const nlohmann::json& view);

// The word for a key of a list of words, such as "python" of "languages"; else the key itself.
[[nodiscard]] std::string word_for(const nlohmann::json& words, const char* list,
                                   const std::string& key);

// The names of scenarios.
[[nodiscard]] std::string say_names(const nlohmann::json& words, const Names& scenarios);

}  // namespace field
