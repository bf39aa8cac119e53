#include "tools/book/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include "faults/kit/errors.h"
#include "faults/kit/history.h"
#include "faults/running/result_text.h"
#include "faults/scenarios/scenario.h"
#include "tools/book/catalogue.h"
#include "tools/book/translations.h"
#include "tools/terminal/language.h"

namespace book {

namespace fs = std::filesystem;
using faults::TestedLock;

fs::path recordings_of(const TestedLock& stage) {
  return fs::path(LAB_SOURCE_DIR) / "faults" / "recorded" / stage.name;
}

fs::path recorded_history(const TestedLock& stage, const std::string& scenario) {
  return recordings_of(stage) / (scenario + ".jsonl");
}

fs::path golden_file(const TestedLock& stage, const std::string& scenario) {
  return recordings_of(stage) / (scenario + ".txt");
}

std::vector<std::string> red_scenarios(const TestedLock& stage) {
  std::vector<std::string> names;
  for (const auto& [scenario, declared] : stage.declared) {
    if (!declared.broken.empty()) names.push_back(scenario);
  }
  return names;
}

std::vector<fs::path> chapters() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(LAB_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

fs::path picture_file(const TestedLock& stage, const std::string& scenario) {
  const auto number = stage.name.substr(0, stage.name.find('_'));
  return fs::path(LAB_SOURCE_DIR) / "docs" / "pictures" /
         fmt::format("{}_{}.svg", number, scenario);
}

std::vector<std::string> pictured_scenarios(const TestedLock& stage) {
  std::vector<std::string> names;
  for (const auto& [scenario, declared] : stage.declared) {
    if (fs::exists(picture_file(stage, scenario))) names.push_back(scenario);
  }
  return names;
}

std::vector<std::string> shown_scenarios(const TestedLock& stage) {
  auto names = red_scenarios(stage);
  const auto lesson = read_file(stage.directory / "README.md");
  std::string book;
  for (const auto& chapter : chapters()) book += read_file(chapter);
  for (const auto& [scenario, declared] : stage.declared) {
    const auto in_lesson = fmt::format("<!-- timeline: {} -->\n", scenario);
    const auto in_book = fmt::format("<!-- timeline: {} {} -->\n", stage.name, scenario);
    const bool is_shown = lesson.find(in_lesson) != std::string::npos ||
                          book.find(in_book) != std::string::npos ||
                          fs::exists(picture_file(stage, scenario));
    if (declared.broken.empty() && is_shown) names.push_back(scenario);
  }
  return names;
}

std::string timeline_from_recorded(const TestedLock& stage, const std::string& scenario) {
  const auto record = faults::read_record(recorded_history(stage, scenario));
  return faults::describe_record(record, faults::Paint{});
}

std::vector<std::string> rows_in_readme() {
  return {"killed_holder", "killed_mid_acquire",    "stranger_release", "frozen_mid_release",
          "slow_holder",   "nested_lock",           "minority_down",    "failover",
          "frozen_holder", "failover_bare_majority"};
}

std::string with_block(const std::string& text, const std::string& marker,
                       const std::string& content) {
  const auto begin = fmt::format("<!-- {} -->\n", marker);
  const auto start = text.find(begin);
  if (start == std::string::npos) return text;
  const auto from = start + begin.size();
  const auto to = text.find("<!-- end -->", from);
  if (to == std::string::npos) return text;
  return text.substr(0, from) + content + text.substr(to);
}

std::string as_fence(const std::string& golden) {
  return "```text\n" + golden + "```\n";
}

std::string read_file(const fs::path& file) {
  std::ifstream input(file);
  if (!input) throw faults::CannotRun(fmt::format("cannot read {}", file.native()));
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream output(file);
  output << text << std::flush;
  if (!output) throw faults::CannotRun(fmt::format("cannot write {}", file.native()));
}

std::string with_blocks_of(const std::string& english, std::string text) {
  static const std::regex marker("<!-- ([^>]+) -->\n");
  static const auto chinese = terminal::Language::named("zh");
  for (std::sregex_iterator found(english.begin(), english.end(), marker), none; found != none;
       ++found) {
    const auto from = static_cast<std::size_t>(found->position() + found->length());
    const auto to = english.find("<!-- ", from);
    const bool is_block = to != std::string::npos && english.compare(to, 12, "<!-- end -->") == 0;
    if (!is_block || (*found)[1] == "end") continue;
    const auto name = (*found)[1].str();
    const auto block = english.substr(from, to - from);
    text = with_block(text, name, name.starts_with("timeline: ") ? chinese(block) : block);
  }
  return text;
}

namespace {

// Each Chinese page, with the blocks of its English page in `documents`, and the catalogue.
void add_translations(std::vector<Document>& documents, const std::string& catalogue) {
  for (const auto& [english, chinese, in_short] : translations()) {
    if (!fs::exists(chinese)) continue;
    const auto original = std::find_if(documents.begin(), documents.end(),
                                       [&](const auto& one) { return one.path == english; });
    if (original == documents.end()) continue;
    const auto text = with_blocks_of(original->text, read_file(chinese));
    documents.push_back({.path = chinese, .text = with_block(text, "catalogue", catalogue)});
  }
}

}  // namespace

std::vector<Document> up_to_date(const std::vector<TestedLock>& stages,
                                 const std::vector<TestedLock>& relatives) {
  std::vector<fs::path> anywhere = chapters();  // where a block names the stage too
  anywhere.push_back(fs::path(LAB_SOURCE_DIR) / "README.md");
  std::vector<Document> of_all;
  for (const auto& path : anywhere) of_all.push_back({.path = path, .text = read_file(path)});
  std::vector<Document> documents;
  for (const auto& stage : stages) {
    const auto lesson = stage.directory / "README.md";
    auto text = read_file(lesson);
    for (const auto& scenario : shown_scenarios(stage)) {
      const auto fence = as_fence(timeline_from_recorded(stage, scenario));
      text = with_block(text, "timeline: " + scenario, fence);
      const auto marker = fmt::format("timeline: {} {}", stage.name, scenario);
      for (auto& document : of_all) document.text = with_block(document.text, marker, fence);
    }
    documents.push_back({.path = lesson, .text = text});
  }
  const auto all = catalogue(faults::all_scenarios(), stages, relatives);
  for (auto& document : of_all) {
    document.text = with_block(document.text, "catalogue", all);
    documents.push_back(document);
  }
  add_translations(documents, catalogue(faults::all_scenarios(), stages, relatives, "../../",
                                        terminal::Language::named("zh")));
  return documents;
}

}  // namespace book
