#include "tools/field/html_page.h"

#include "field_page_parts.h"  // made by CMake
#include "tools/field/lock_views.h"
#include "tools/field/page_words.h"
#include "tools/field/report_data.h"
#include "tools/terminal/script_data.h"

namespace field {
namespace {

// The classes in their order, which the keys of an object do not keep.
nlohmann::json class_names() {
  auto names = nlohmann::json::array();
  for (const auto& each : fault_classes()) names.push_back(each.name);
  return names;
}

nlohmann::json sentences_of_scenarios(const nlohmann::json& data) {
  auto sentences = nlohmann::json::object();
  for (const auto& row : data.at("rows")) {
    sentences[row.at("scenario").get<std::string>()] = row.value("sentence", "");
  }
  return sentences;
}

}  // namespace

std::string html_page(const nlohmann::json& report, const terminal::Language& language) {
  const auto data = in_language(report, language);
  const nlohmann::json shown{{"made", data.value("made", "")},
                             {"note", data.value("note", "")},
                             {"words", page_words_in(language)},
                             {"classes", class_names()},
                             {"scenarios", sentences_of_scenarios(data)},
                             {"locks", lock_views(data)}};
  std::string html(parts::html);
  using terminal::put;
  put(html, "/* page.css */", parts::css);
  put(html, "/* page.js */", parts::script);
  put(html, "/* data */", terminal::as_script_text(shown));  // last: it may contain any text
  return html;
}

}  // namespace field
