// One moment of a run as JSON, for a page (moment.js).
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "faults/explore/world/event.h"
#include "faults/explore/world/snapshot.h"
#include "faults/judging/verdict.h"

namespace explore {

// {clients: [{name, state, believes}], keys: [{server, name, value, owner, ends_in_ms}]}
[[nodiscard]] nlohmann::json to_json(const Snapshot& snapshot);
// [{label, fault}]
[[nodiscard]] nlohmann::json to_json(const std::vector<Event>& events);
// [{property, sentence}]
[[nodiscard]] nlohmann::json to_json(const faults::Judgement& judgement);

}  // namespace explore
