// What a lock.json says to people, in the language of the reader: from field/texts.zh.json, which
// the build puts into this program. Quotes and places in a library's source stay as they are.
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace field {

// ", on 5 servers. A setting; another.", in `words` (page_words.h): the end of a description.
[[nodiscard]] std::string say_settings(int servers, const std::vector<std::string>& settings,
                                       const nlohmann::json& words);

// Puts what is said of the locks of `data` (report_data.h), and why they are violated, into
// Chinese; `words` are those of the page.
void put_locks_into_chinese(nlohmann::json& data, const nlohmann::json& words);

}  // namespace field
