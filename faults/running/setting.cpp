#include "faults/running/setting.h"

namespace faults {
namespace {

using nlohmann::json;

json facts_for_judges(const TestedLock& lock, std::chrono::milliseconds lease) {
  json facts{{"capabilities", lock.facts->capabilities},
             {"key", nullptr},
             {"type", lock.facts->type},
             {"loss", lock.facts->loss}};
  if (const auto key = lock.key_on_server(); !key.empty()) facts["key"] = key;
  if (lock.facts->renewal) facts["renewal_ms"] = lock.facts->renewal_period(lease).count();
  return facts;
}

// Some other lock may promise no notice of a loss.
bool is_promised(const TestedLock& lock, Property property) {
  if (property != Property::holder_was_told || !lock.facts) return true;
  return lock.facts->promises("loss_notice");
}

}  // namespace

json setting_of(const TestedLock& lock, const Setting& setting) {
  std::vector<std::string> judged;
  for (const auto property : setting.judged) {
    if (is_promised(lock, property)) judged.emplace_back(to_string(property));
  }
  json object{{"stage", lock.name},
              {"scenario", setting.scenario},
              {"sentence", setting.sentence},
              {"boundary", setting.boundary},
              {"lease_ms", setting.lease.count()},
              {"nodes", lock.nodes},
              {"judged", judged},
              {"needs", setting.needs},
              {"depends_on_time", setting.depends_on_time}};
  if (lock.facts && setting.with_facts) object["lock"] = facts_for_judges(lock, setting.lease);
  return object;
}

}  // namespace faults
