// The catalogue of scenarios in docs/scenarios.md and its Chinese page: each scenario's sentence,
// the properties it judges, and the locks that are declared to break. The stages' tests show that
// the declarations are true.
#pragma once

#include <string>
#include <vector>

#include "faults/scenarios/scenario.h"
#include "faults/world/tested_lock.h"
#include "tools/terminal/language.h"

namespace book {

// `relatives`: the stages' wrong turns and variants. `root` leads from the page to the repository.
[[nodiscard]] std::string catalogue(const std::vector<faults::Scenario>& scenarios,
                                    const std::vector<faults::TestedLock>& stages,
                                    const std::vector<faults::TestedLock>& relatives,
                                    const std::string& root = "../",
                                    const terminal::Language& language = {});

}  // namespace book
