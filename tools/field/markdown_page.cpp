#include "tools/field/markdown_page.h"

#include <fmt/format.h>

#include "field_page_parts.h"  // made by CMake
#include "tools/field/lock_section.h"
#include "tools/field/lock_views.h"
#include "tools/field/page_words.h"
#include "tools/field/report_data.h"

namespace field {
namespace {

using fmt::arg;
using nlohmann::json;

// The name of the heading "redis-py", as web pages make it.
std::string anchor_of(std::string name) {
  std::erase_if(name, [](char c) { return c == '.' || c == '/'; });
  return "#" + name;
}

// Where the row of a lock, or of a stage, leads.
struct Links {
  std::string name;
  std::string worst;
};

std::string row_of(const json& view, const Links& links) {
  auto row = fmt::format("| [{}]({}) |", view.at("name").get<std::string>(), links.name);
  for (const auto& each : view.at("classes")) {
    row += fmt::format(" {}", each.at("figure").get<std::string>());
    const std::string worst = each.at("worst");
    const auto link = links.worst.empty() ? "scenarios.md#" + worst : links.worst;
    if (!worst.empty()) row += fmt::format(" [{}]({})", worst, link);
    row += " |";
  }
  return row + "\n";
}

// A row that begins a group of rows.
std::string group_row(const std::string& name) {
  auto row = fmt::format("| **{}** |", name);
  for (std::size_t i = 1; i < fault_classes().size(); ++i) row += " |";
  return row + "\n";
}

// A table in one language, and where its rows lead.
struct Table {
  json words;                // page_words.h
  std::string stages;        // where the stages are
  std::string lesson;        // the page of a stage
  bool to_scenario = false;  // if the worst scenario of a lock leads to the page of scenarios
};

std::string head_of_table(const json& words) {
  auto head = fmt::format("| {} |", words.at("lock").get<std::string>());
  std::string line = "|---|";
  for (const auto& each : fault_classes()) {
    if (each.name == behaviour) continue;
    head += fmt::format(" {} |", words.at("classes").at(each.name).at("name").get<std::string>());
    line += "---|";
  }
  return head + "\n" + line + "\n";
}

std::string table_of(const json& views, const json& stages, const Table& table) {
  auto text = head_of_table(table.words);
  std::string language;
  for (const auto& view : views) {
    if (is_variant(view)) continue;
    const auto spoken = word_for(table.words, "languages", view.value("language", ""));
    if (spoken != language) text += group_row(spoken);
    language = spoken;
    const auto section = anchor_of(view.at("name"));
    text += row_of(view, {.name = section, .worst = table.to_scenario ? "" : section});
  }
  if (!stages.empty()) text += group_row(table.words.at("stages"));
  for (const auto& stage : stages) {
    const auto page = table.stages + stage.at("name").get<std::string>() + "/" + table.lesson;
    text += row_of(stage, {.name = page, .worst = {}});
  }
  return text;
}

std::string say_classes() {
  std::string text;
  for (const auto& each : fault_classes()) {
    const auto& words = page_words().at("classes").at(each.name);
    text += worded("/class_line", arg("name", words.at("name").get<std::string>()),
                   arg("means", words.at("means").get<std::string>()),
                   arg("scenarios", say_names(page_words(), each.scenarios)));
  }
  return text;
}

std::string say_states() {
  std::string text;
  for (const auto* key : {"held", "refused", "violated", "documented", "not_judged",
                          "showed_nothing", "not_run", "not_promised", "not_applicable"}) {
    const auto& words = page_words().at("states").at(key);
    text += worded("/state_line", arg("sign", words.at("sign").get<std::string>()),
                   arg("name", words.at("name").get<std::string>()),
                   arg("means", words.at("means").get<std::string>()));
  }
  return text;
}

std::string sections_of(const json& views, const json& words) {
  std::string text;
  for (const auto& view : views) {
    if (!is_variant(view)) text += section_of(view, views, words);
  }
  return text;
}

std::string say_not_there(const json& data) {
  const auto reasons = data.value("left_out", Names{});
  if (reasons.empty()) return {};
  auto text = fmt::format("## {}\n\n", worded("/left_out_title"));
  for (const auto& why : reasons) text += worded("/left_out", arg("why", why));
  return text;
}

}  // namespace

std::string markdown_page(const json& data, const json& stages) {
  const auto views = lock_views(data);
  const Table table{.words = page_words(), .stages = "../", .lesson = "README.md"};
  const auto note = data.value("note", "");
  return fmt::format(
      fmt::runtime(parts::markdown), arg("title", worded("/title")),
      arg("made", data.value("made", "")), arg("note", note.empty() ? note : note + "\n\n"),
      arg("table", table_of(views, lock_views(stages), table)), arg("classes", say_classes()),
      arg("states", say_states()), arg("locks", sections_of(views, page_words())),
      arg("left_out", say_not_there(data)));
}

std::string chinese_table(const json& data, const json& stages) {
  return table_of(lock_views(data), lock_views(stages),
                  {.words = page_words_in(terminal::Language::named("zh")),
                   .stages = "../../",
                   .lesson = "README.zh.md",
                   .to_scenario = true});
}

std::string chinese_sections(const json& data) {
  const auto chinese = terminal::Language::named("zh");
  return sections_of(lock_views(in_language(data, chinese)), page_words_in(chinese));
}

}  // namespace field
