#include "faults/explore/stepping/moment_json.h"

namespace explore {

using nlohmann::json;

json to_json(const Snapshot& snapshot) {
  json clients = json::array();
  for (const auto& [name, state, believes] : snapshot.clients) {
    clients.push_back({{"name", name}, {"state", state}, {"believes", believes}});
  }
  json keys = json::array();
  for (const auto& [server, name, value, owner, ends_in] : snapshot.keys) {
    keys.push_back({{"server", server},
                    {"name", name},
                    {"value", value},
                    {"owner", owner},
                    {"ends_in_ms", ends_in ? json(ends_in->count()) : json(nullptr)}});
  }
  return {{"clients", clients}, {"keys", keys}};
}

json to_json(const std::vector<Event>& events) {
  json all = json::array();
  for (const auto& event : events) {
    all.push_back({{"label", event.label}, {"fault", is_fault(event.kind)}});
  }
  return all;
}

json to_json(const faults::Judgement& judgement) {
  json broken = json::array();
  for (const auto& finding : judgement.findings) {
    broken.push_back(
        {{"property", faults::to_string(finding.property)}, {"sentence", finding.sentence}});
  }
  return broken;
}

}  // namespace explore
