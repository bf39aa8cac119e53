// The alarm of a participant's program (alarm(2)), which outlives it when it becomes another.
//
// Thread-safety: none; for the first thread of a program that begins.
#pragma once

namespace explore {

// Called when a participant's program has begun: an alarm that the one before has set still rings.
void continue_alarm();

}  // namespace explore
