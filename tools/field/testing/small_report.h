// A small report (report_data.h), for tests of what is made of one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace field {

// One lock and its cells, each with the state "held" or another, in the order of the scenarios.
struct SmallLock {
  std::string name;
  std::string language = "python";
  std::vector<std::string> states = {};
};

inline nlohmann::json small_cell(const std::string& state) {
  nlohmann::json cell{{"state", state}, {"sign", "!"}};
  if (state == "violated" || state == "documented") {
    cell["sentence"] = "two were inside.";
    cell["because"] = "it never looks (lock.py).";
    cell["again"] = "./lab run it";
    cell["timeline"] = "   ms     A\n";
  } else if (state != "held") {
    cell["why"] = "so it is";
  }
  return cell;
}

inline nlohmann::json small_report(const std::vector<std::string>& scenarios,
                                   const std::vector<SmallLock>& locks) {
  nlohmann::json data{{"made", "Made today."}, {"locks", nlohmann::json::array()}};
  data["rows"] = nlohmann::json::array();
  for (const auto& lock : locks) {
    data["locks"].push_back({{"name", lock.name}, {"language", lock.language}, {"says", "a lock"}});
  }
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    auto cells = nlohmann::json::array();
    for (const auto& lock : locks) cells.push_back(small_cell(lock.states.at(i)));
    data["rows"].push_back({{"scenario", scenarios[i]}, {"cells", std::move(cells)}});
  }
  return data;
}

}  // namespace field
