#include "report/page.h"

#include "report_parts.h"  // made by CMake: parts::html, css, library and script

namespace report {
namespace {

// Replaces `place`, which occurs once in `html`.
void put(std::string& html, std::string_view place, std::string_view content) {
  html.replace(html.find(place), place.size(), content);
}

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

}  // namespace

std::string page_with(const nlohmann::json& data) {
  std::string html(parts::html);
  put(html, "/* page.css */", parts::css);
  put(html, "/* library */", parts::library);
  put(html, "/* page.js */", parts::script);
  put(html, "/* data */", as_script_text(data));  // last: it may contain any text
  return html;
}

}  // namespace report
