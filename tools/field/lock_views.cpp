#include "tools/field/lock_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "tools/field/page_words.h"
#include "tools/field/report_data.h"

namespace field {
namespace {

using nlohmann::json;

std::string class_of(const std::string& scenario) {
  for (const auto& each : fault_classes()) {
    const auto& all = each.scenarios;
    if (std::find(all.begin(), all.end(), scenario) != all.end()) return each.name;
  }
  return behaviour;
}

bool is_named(const json& locks, const std::string& name) {
  return std::any_of(locks.begin(), locks.end(),
                     [&](const json& lock) { return lock.at("name") == name; });
}

std::string base_of(const json& lock, const json& locks) {
  const std::string name = lock.at("name");
  auto base = name.substr(0, name.find('/'));
  return is_named(locks, base) ? base : name;
}

json cells_of(const json& data, std::size_t column) {
  auto cells = json::array();
  for (const auto& row : data.at("rows")) {
    auto cell = row.at("cells").at(column);
    cell["scenario"] = row.at("scenario");
    cell["class"] = class_of(row.at("scenario"));
    cells.push_back(std::move(cell));
  }
  return cells;
}

// The figure of a class: "4/5, 1 ?", or "1 □", or the sign of what is not asked of the lock.
std::string figure_of(std::map<std::string, int> count) {
  const auto held = count["held"] + count["refused"];
  const auto judged = held + count["violated"] + count["documented"];
  std::string figure = judged == 0 ? "" : fmt::format("{}/{}", held, judged);
  for (const auto* state : {"not_judged", "showed_nothing", "not_run"}) {
    if (count[state] == 0) continue;
    const std::string sign = page_words().at("states").at(state).at("sign");
    figure += fmt::format("{}{} {}", figure.empty() ? "" : ", ", count[state], sign);
  }
  if (!figure.empty()) return figure;
  const auto* state = count["not_promised"] > 0 ? "not_promised" : "not_applicable";
  return page_words().at("states").at(state).at("sign");
}

json class_data(const std::string& name, const json& cells) {
  std::map<std::string, int> count;
  std::string worst;
  for (const auto& cell : cells) {
    if (cell.at("class") != name) continue;
    ++count[cell.at("state")];
    if (is_violated(cell) && worst.empty()) worst = cell.at("scenario");
  }
  return {{"name", name}, {"figure", figure_of(count)}, {"worst", worst}};
}

json view_of(const json& data, std::size_t column) {
  auto view = data.at("locks").at(column);
  view["base"] = base_of(view, data.at("locks"));
  view["cells"] = cells_of(data, column);
  view["classes"] = json::array();
  for (const auto& each : fault_classes()) {
    if (each.name != behaviour) view["classes"].push_back(class_data(each.name, view["cells"]));
  }
  return view;
}

// Downloads a month; 0: not known.
double use_of(const json& views, const std::string& name) {
  const auto view = std::find_if(views.begin(), views.end(),
                                 [&](const json& each) { return each.at("name") == name; });
  return view->value(json::json_pointer("/downloads/per_month"), 0.0);
}

}  // namespace

json lock_views(const json& data) {
  auto views = json::array();
  for (std::size_t i = 0; i < data.at("locks").size(); ++i) views.push_back(view_of(data, i));
  const auto place = [&, unsorted = views](const json& view) {
    const std::string base = view.at("base");
    return std::tuple(view.value("language", ""), -use_of(unsorted, base), base,
                      view.at("name") != base, view.at("name").get<std::string>());
  };
  auto& list = views.get_ref<json::array_t&>();
  std::sort(list.begin(), list.end(),
            [&](const json& one, const json& other) { return place(one) < place(other); });
  return views;
}

}  // namespace field
