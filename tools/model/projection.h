// The projection: what a recorded event of the search is to the model of a lock.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>

#include "tools/model/action_graph.h"
#include "tools/model/recorded_graph.h"

namespace model {

// Nothing: the model does not see it. That is a client's BEGIN, by which the storage notes for the
// judges that it is about to write; and time that advances to a client's timer. Nor does it see
// that a client is notified of a loss.
[[nodiscard]] std::optional<Action> action_of(const RecordedEvent& event);

// Each event of the graph by its action.
[[nodiscard]] ActionGraph project(const RecordedGraph& graph);

}  // namespace model
