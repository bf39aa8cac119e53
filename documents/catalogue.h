// The catalogue of scenarios in docs/scenarios.md: what each tells, what it judges, and how every
// stage is declared to fare. That the declarations are true, the stages' tests show.
#pragma once

#include <string>
#include <vector>

#include "faults/scenarios/scenario.h"
#include "faults/world/stage.h"

namespace documents {

// `relatives`: the stages' wrong turns and variants.
[[nodiscard]] std::string catalogue(const std::vector<faults::Scenario>& scenarios,
                                    const std::vector<faults::Stage>& stages,
                                    const std::vector<faults::Stage>& relatives);

}  // namespace documents
