#include "tools/terminal/script_data.h"

namespace terminal {

std::string as_script_text(const nlohmann::json& data) {
  const auto plain = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

void put(std::string& html, std::string_view place, std::string_view content) {
  html.replace(html.find(place), place.size(), content);
}

}  // namespace terminal
