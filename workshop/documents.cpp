#include "workshop/documents.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "faults/errors.h"
#include "faults/judging/history.h"
#include "faults/telling.h"

namespace workshop {

namespace fs = std::filesystem;
using faults::Stage;

fs::path recorded_history(const Stage& stage, const std::string& scenario) {
  return stage.directory / "recorded" / (scenario + ".jsonl");
}

fs::path golden_file(const Stage& stage, const std::string& scenario) {
  return stage.directory / "recorded" / (scenario + ".txt");
}

std::vector<std::string> red_scenarios(const Stage& stage) {
  std::vector<std::string> names;
  for (const auto& [scenario, declared] : stage.declared) {
    if (!declared.broken.empty()) names.push_back(scenario);
  }
  return names;
}

std::vector<std::string> shown_scenarios(const Stage& stage) {
  auto names = red_scenarios(stage);
  const auto lesson = read_file(stage.directory / "README.md");
  for (const auto& [scenario, declared] : stage.declared) {
    const auto marker = fmt::format("<!-- timeline: {} -->\n", scenario);
    const bool has_a_block = lesson.find(marker) != std::string::npos;
    if (declared.broken.empty() && has_a_block) names.push_back(scenario);
  }
  return names;
}

std::string told_from_recorded(const Stage& stage, const std::string& scenario) {
  const auto record = faults::read_record(recorded_history(stage, scenario));
  return faults::tell_record(record, faults::Paint{});
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

std::vector<Document> documents_with_timelines(const std::vector<Stage>& stages) {
  std::vector<Document> documents;
  const auto top = fs::path(LAB_SOURCE_DIR) / "README.md";
  auto top_text = read_file(top);
  for (const auto& stage : stages) {
    const auto lesson = stage.directory / "README.md";
    auto text = read_file(lesson);
    for (const auto& scenario : shown_scenarios(stage)) {
      const auto fence = as_fence(told_from_recorded(stage, scenario));
      text = with_block(text, "timeline: " + scenario, fence);
      top_text = with_block(top_text, fmt::format("timeline: {} {}", stage.name, scenario), fence);
    }
    documents.push_back({.path = lesson, .text = text});
  }
  documents.push_back({.path = top, .text = top_text});
  return documents;
}

}  // namespace workshop
