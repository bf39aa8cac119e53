#include "faults/running/setting.h"

namespace faults {
namespace {

using nlohmann::json;

json facts_for_judges(const Stage& stage, std::chrono::milliseconds lease) {
  json facts{{"capabilities", stage.facts->capabilities},
             {"key", nullptr},
             {"type", stage.facts->type},
             {"loss", stage.facts->loss}};
  if (const auto key = stage.key_on_server(); !key.empty()) facts["key"] = key;
  if (stage.facts->renewal) facts["renewal_ms"] = stage.facts->renewal_period(lease).count();
  return facts;
}

}  // namespace

json setting_of(const Stage& stage, const Setting& setting) {
  std::vector<std::string> judged;
  for (const auto property : setting.judged) judged.emplace_back(to_string(property));
  json object{{"stage", stage.name},
              {"scenario", setting.scenario},
              {"sentence", setting.sentence},
              {"boundary", setting.boundary},
              {"lease_ms", setting.lease.count()},
              {"nodes", stage.nodes},
              {"judged", judged},
              {"needs", setting.needs},
              {"depends_on_time", setting.depends_on_time}};
  if (stage.facts && setting.with_facts) object["lock"] = facts_for_judges(stage, setting.lease);
  return object;
}

}  // namespace faults
