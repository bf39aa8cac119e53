#include "tools/field/new_violations.h"

#include <fmt/format.h>

#include <map>

#include "tools/field/report_data.h"

namespace field {
namespace {

using nlohmann::json;

// The violations as lines, by lock and scenario.
std::map<std::string, std::string> violations_in(const json& data) {
  std::map<std::string, std::string> found;
  for (const auto& row : data.at("rows")) {
    for (std::size_t i = 0; i < data.at("locks").size(); ++i) {
      const auto& cell = row.at("cells").at(i);
      if (!is_violated(cell)) continue;
      const auto which = fmt::format("{} {}", data["locks"][i].at("name").get<std::string>(),
                                     row.at("scenario").get<std::string>());
      found[which] = fmt::format("{}: {}", which, cell.value("sentence", ""));
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> new_violations(const json& now, const json& before) {
  const auto known = violations_in(before);
  std::vector<std::string> lines;
  for (const auto& [which, line] : violations_in(now)) {
    if (!known.contains(which)) lines.push_back(line);
  }
  return lines;
}

}  // namespace field
