#include "tools/field/page_words.h"

#include "field_page_parts.h"  // made by CMake

namespace field {

using nlohmann::json;

const std::vector<FaultClass>& fault_classes() {
  static const auto all = [] {
    std::vector<FaultClass> classes;
    for (const auto& each : json::parse(parts::classes)) {
      classes.push_back({.name = each.at("class"), .scenarios = each.at("scenarios")});
    }
    return classes;
  }();
  return all;
}

const json& page_words() {
  static const auto words = json::parse(parts::words);
  return words;
}

json page_words_in(const terminal::Language& language) {
  auto words = page_words();
  if (!language.catalogue().empty()) words.merge_patch(json::parse(parts::words_zh));
  return words;
}

}  // namespace field
