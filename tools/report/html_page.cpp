#include "tools/report/html_page.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>
#include <unordered_map>

#include "faults/kit/errors.h"
#include "report_parts.h"  // made by CMake: parts::html, css and script

namespace report {
namespace {

using nlohmann::json;

// Replaces `place`, which occurs once in `html`.
void put(std::string& html, std::string_view place, std::string_view content) {
  html.replace(html.find(place), place.size(), content);
}

// As Debian's package has it.
constexpr const char* library_file = "/usr/share/nodejs/d3/dist/d3.min.js";

std::string drawing_library() {
  std::ifstream file(library_file);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.empty()) {
    throw faults::CannotRun(fmt::format(
        "the page draws with D3, and {} is not there; install the package node-d3", library_file));
  }
  return text;
}

std::string as_script_text(const json& data) {
  const auto plain = data.dump(-1, ' ', false, json::error_handler_t::replace);
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

// The strings that drawings say again and again, each kept once. In a drawing's lines a negative
// number is in the place of one: -1 of the first (page/build.js puts them back).
class StringTable {
 public:
  json numbered(const json& node) {
    if (node.is_array()) {
      auto copy = json::array();
      for (const auto& part : node) copy.push_back(numbered(part));
      return copy;
    }
    if (!node.is_string()) return node;
    const auto [place, is_new] = numbers_.try_emplace(node.get<std::string>(), strings_.size());
    if (is_new) strings_.push_back(node);
    return -1 - static_cast<long>(place->second);
  }
  [[nodiscard]] const json& strings() const { return strings_; }

 private:
  json strings_ = json::array();
  std::unordered_map<std::string, std::size_t> numbers_;
};

void keep_strings_once(json& data) {
  if (!data.contains("cells")) return;
  StringTable table;
  for (auto& cell : data["cells"]) {
    if (!cell.contains("executions")) continue;
    for (auto& drawing : cell["executions"]) drawing["lines"] = table.numbered(drawing["lines"]);
  }
  data["strings"] = table.strings();
}

}  // namespace

std::string html_page(json data) {
  keep_strings_once(data);
  std::string html(parts::html);
  put(html, "/* page.css */", parts::css);
  put(html, "<!-- moment.html -->", parts::moment_html);
  put(html, "/* library */", drawing_library());
  put(html, "/* page.js */", parts::script);
  put(html, "/* data */", as_script_text(data));  // last: it may contain any text
  return html;
}

}  // namespace report
