// Reads a history and says what it shows.
//
// First: did the fault happen at all? The setting names what must be in the history (`needs`): a
// freeze that reached state T, a death by SIGKILL, a message that was held, a client that wanted
// the lock while another had it. If one is missing the verdict is *not exercised*, whatever else
// the history holds. Then each property that the scenario judges.
//
// Judges know nothing of stages, scripts or commands, so that they can judge any lock.
#pragma once

#include "faults/judging/trace.h"
#include "faults/judging/verdict.h"
#include "faults/kit/history.h"

namespace faults {

// A word of a setting's `needs` that is not a fault: a client asked for the lock, or tried to give
// it back, while the server held it for another.
inline constexpr std::string_view needs_contention = "contended";

[[nodiscard]] Judgement judge(const Record& record);

// True if a client said that it has the lock, whose key no server ever had.
[[nodiscard]] bool only_claimed(const Trace& trace);

// The judged properties that are broken in a history, which may go on; whether it shows anything
// does not count.
[[nodiscard]] std::vector<Property> broken_properties(const Trace& trace);

}  // namespace faults
