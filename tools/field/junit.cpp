#include "tools/field/junit.h"

#include <fmt/format.h>

#include "tools/field/page_words.h"
#include "tools/field/report_data.h"
#include "tools/terminal/xml_text.h"

namespace field {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* field) {
  return terminal::xml_text(object.value(field, ""));
}

// The element inside a case; empty if the lock held.
std::string outcome_of(const json& cell) {
  if (is_violated(cell)) {
    return fmt::format("<failure message=\"{}\">{}\n{}\n{}</failure>", text_of(cell, "sentence"),
                       text_of(cell, "because"), text_of(cell, "again"), text_of(cell, "timeline"));
  }
  const auto state = cell.value("state", "");
  if (state == "held" || state == "refused") return {};
  const auto why = text_of(cell, "why");
  const std::string name = page_words().at("states").at(state).at("name");
  return fmt::format("<skipped message=\"{}{}{}\"/>", name, why.empty() ? "" : ": ", why);
}

struct Suite {
  std::string cases;
  int tests = 0;
  int failures = 0;
  int skipped = 0;
};

Suite suite_of(const json& rows, std::size_t column, const std::string& lock) {
  Suite suite;
  for (const auto& row : rows) {
    const auto outcome = outcome_of(row.at("cells").at(column));
    ++suite.tests;
    suite.failures += outcome.starts_with("<failure") ? 1 : 0;
    suite.skipped += outcome.starts_with("<skipped") ? 1 : 0;
    suite.cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n", lock,
                               text_of(row, "scenario"), outcome);
  }
  return suite;
}

}  // namespace

std::string junit_xml(const json& data) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  const auto& locks = data.at("locks");
  for (std::size_t i = 0; i < locks.size(); ++i) {
    const auto name = text_of(locks[i], "name");
    const auto suite = suite_of(data.at("rows"), i, name);
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{}"
        "  </testsuite>\n",
        name, suite.tests, suite.failures, suite.skipped, suite.cases);
  }
  return text + "</testsuites>\n";
}

}  // namespace field
