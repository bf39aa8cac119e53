// Data for the script of an HTML page.
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace terminal {

// JSON that may stand in a <script>: no text of `data` can end its element, since every "<" is
// escaped.
[[nodiscard]] std::string as_script_text(const nlohmann::json& data);

// Replaces `place`, which occurs once in `html`.
void put(std::string& html, std::string_view place, std::string_view content);

}  // namespace terminal
