#include "tools/report/data.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tools/field/report_data.h"
#include "tools/report/drawing.h"
#include "tools/report/packed.h"
#include "tools/report/price.h"
#include "tools/table/cell_text.h"
#include "tools/table/lock_files.h"
#include "tools/terminal/unified_diff.h"

namespace report {
namespace {

using nlohmann::json;
using terminal::Language;

json scenario_data(const faults::Scenario& scenario, const Language& language) {
  auto judged = json::array();
  for (const auto property : scenario.judged) judged.push_back(faults::to_string(property));
  return {{"name", scenario.name}, {"sentence", language(scenario.sentence)}, {"judged", judged}};
}

json cell_data(const table::Cell& cell, Packer& packer, const Language& language) {
  json data{{"word", language(table::cell_text(cell))}};
  if (!cell.result) {
    data["why"] = language(cell.does_not_apply);
    return data;
  }
  const auto& result = *cell.result;
  auto executions = json::array();
  std::size_t shown = 0;
  for (const auto& execution : result.executions) {
    if (&execution == &result.shown()) shown = executions.size();
    executions.push_back(drawing_of(faults::read_record(execution.history)));
    translate(executions.back(), language);
    packer.pack(executions.back());
  }
  data["verdict"] = faults::to_string(result.verdict());
  data["sentence"] = language(result.shown().judgement.sentence());
  data["difference"] = language(cell.difference);
  data["again"] = result.again;
  data["executions"] = std::move(executions);
  data["shown"] = shown;
  return data;
}

json diff_data(const faults::TestedLock& from, const faults::TestedLock& to,
               const Language& language) {
  auto files = json::array();
  for (const auto& pair : table::lock_files(from, to)) {
    auto text = terminal::difference(pair.from, pair.to);
    if (!text.empty()) files.push_back(std::move(text));
  }
  return {{"from", from.name},
          {"to", to.name},
          {"adds", language(to.adds)},
          {"files", std::move(files)}};
}

// Without variants and timelines, which `./lab field run --html` shows.
json in_short(json field) {
  auto& locks = field["locks"];
  for (std::size_t i = locks.size(); i-- > 0;) {
    if (locks[i]["name"].get<std::string>().find('/') == std::string::npos) continue;
    locks.erase(i);
    for (auto& row : field["rows"]) row["cells"].erase(i);
  }
  for (auto& row : field["rows"]) {
    for (auto& cell : row["cells"]) cell.erase("timeline");
  }
  return field;
}

// The data that `./lab field run --report docs/field-report.md` wrote beside that page; null: none.
json field_data(const Language& language) {
  std::ifstream file(std::filesystem::path(LAB_SOURCE_DIR) / "docs" / "field-report.json");
  if (!file) return {};
  auto field = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!field.is_object()) return {};
  return field::in_language(in_short(std::move(field)), language);
}

// The trees that `./lab explore --tree FILE` has written; null: none.
json tree_data() {
  const auto directory = std::filesystem::path(LAB_SOURCE_DIR) / "tools" / "report" / "trees";
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  json trees;
  for (const auto& name : files) {
    std::ifstream file(name);
    auto tree = json::parse(file, nullptr, /*allow_exceptions=*/false);
    if (tree.is_object()) trees.push_back(std::move(tree));
  }
  return trees;
}

// The words of the play about a tree, for the page to look up.
void add_texts(json& texts, const json& tree, const Language& language) {
  const auto add = [&](const std::string& english) { texts[english] = language(english); };
  for (const auto& label : tree["labels"]) add(label[0]);
  for (const auto& findings : tree["broken"]) {
    for (const auto& finding : findings) {
      add(finding["property"]);
      add(finding["sentence"]);
    }
  }
}

}  // namespace

json page_data(const table::Grid& grid, const std::optional<std::filesystem::path>& bench,
               const Language& language) {
  const auto now = fmt::localtime(std::time(nullptr));
  json data{{"made", fmt::format("{:%Y-%m-%d %H:%M}", now)},
            {"stages", json::array()},
            {"scenarios", json::array()},
            {"cells", json::array()},
            {"words", json::array()},
            {"diffs", json::array()},
            {"price", price_of(grid, bench)}};
  if (!language.catalogue().empty()) data["texts"] = json::parse(language.catalogue());
  for (const auto& meaning : table::legend()) data["words"].push_back(language(meaning));
  for (const auto& stage : grid.stages) {
    data["stages"].push_back({{"name", stage.name}, {"adds", language(stage.adds)}});
  }
  for (const auto& scenario : grid.scenarios) {
    data["scenarios"].push_back(scenario_data(scenario, language));
  }
  Packer packer;
  for (const auto& cell : grid.cells) data["cells"].push_back(cell_data(cell, packer, language));
  data["repeated"] = packer.repeated();
  if (auto& measured = data["price"]["measured"]; measured.is_string()) {
    measured = language(measured.get<std::string>());
  }
  for (std::size_t i = 1; i < grid.stages.size(); ++i) {
    data["diffs"].push_back(diff_data(grid.stages[i - 1], grid.stages[i], language));
  }
  auto field = field_data(language);
  if (field.is_object()) data["field"] = std::move(field);
  auto trees = tree_data();
  if (data.contains("texts")) {
    for (const auto& tree : trees) add_texts(data["texts"], tree, language);
  }
  if (trees.is_array()) data["trees"] = std::move(trees);
  return data;
}

}  // namespace report
