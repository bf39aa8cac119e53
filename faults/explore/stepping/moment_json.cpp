#include "faults/explore/stepping/moment_json.h"

namespace explore {

using nlohmann::json;

json to_json(const Snapshot& snapshot) {
  json clients = json::array();
  for (const auto& client : snapshot.clients) {
    clients.push_back(
        {{"name", client.name}, {"state", client.state}, {"believes", client.believes}});
  }
  json keys = json::array();
  for (const auto& key : snapshot.keys) {
    keys.push_back({{"server", key.server},
                    {"name", key.name},
                    {"value", key.value},
                    {"owner", key.owner},
                    {"ends_in_ms", key.ends_in ? json(key.ends_in->count()) : json(nullptr)}});
  }
  return {{"clients", clients}, {"keys", keys}};
}

json to_json(const std::vector<Event>& events) {
  json all = json::array();
  for (const auto& event : events) {
    all.push_back({{"label", event.label}, {"fault", is_fault(event.deed)}});
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
