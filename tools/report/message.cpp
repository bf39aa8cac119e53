#include "tools/report/message.h"

#include <fmt/format.h>

namespace report {
namespace {

// "lease_ms 300, wait_ms 10000": the fields that its lane, kind and text do not show.
std::string fields_of(const faults::Event& event) {
  std::string text;
  for (const auto& [name, value] : event.data.items()) {
    if (name == "op" || name == "id" || name == "outcome" || name == "key") continue;
    const auto word = value.is_string() ? value.get<std::string>() : value.dump();
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, word);
  }
  return text;
}

}  // namespace

nlohmann::json whole_message(const faults::Event& event) {
  const auto at = event.at.count();
  if (event.kind == faults::Kind::command) return {at, ">", event.text("to"), event.text("text")};
  if (event.kind == faults::Kind::reply) return {at, "<", event.text("from"), event.text("text")};
  return {at, "", fields_of(event)};
}

}  // namespace report
