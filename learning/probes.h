// Stories that learners' locks are told beside the scenarios: mistakes that our own locks and their
// wrong turns do not make. They are written like scenarios, and stand in no table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/scenario.h"

namespace learning {

struct Probe {
  faults::Scenario scenario;
  std::string from_stage;  // the first stage that has to withstand it, such as "stage5"
};

[[nodiscard]] const std::vector<Probe>& probes();

// The probe of that name, or null.
[[nodiscard]] const faults::Scenario* find_probe(std::string_view name);

}  // namespace learning
