// What clients sent: the commands of a history, paired with their answers and with what the servers
// did.
//
// Thread-safety: values.
#pragma once

#include <vector>

#include "faults/judging/history.h"
#include "learning/evidence/calls.h"
#include "learning/evidence/sent.h"

namespace learning {

// In the order in which they were sent; without those of the tidying up after a story that could
// not be told. Places are numbers of events in the record.
[[nodiscard]] std::vector<Sent> commands_of(const faults::Record& record,
                                            const std::vector<Call>& calls);

}  // namespace learning
