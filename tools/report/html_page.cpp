#include "tools/report/html_page.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "faults/kit/errors.h"
#include "report_parts.h"  // made by CMake: parts::html, css and script
#include "tools/terminal/script_data.h"

namespace report {
namespace {

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

}  // namespace

std::string html_page(const nlohmann::json& data) {
  std::string html(parts::html);
  using terminal::put;
  put(html, "/* page.css */", parts::css);
  put(html, "<!-- moment.html -->", parts::moment_html);
  put(html, "/* library */", drawing_library());
  put(html, "/* page.js */", parts::script);
  put(html, "/* data */", terminal::as_script_text(data));  // last: it may contain any text
  return html;
}

}  // namespace report
