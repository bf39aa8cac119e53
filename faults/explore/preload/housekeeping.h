// The threads of a Java virtual machine that only keep house: they compile, collect garbage and
// count, and the waits between are of no use to the program. So their deadlines are none of the
// world's.
//
// Thread-safety: safe to share.
#pragma once

namespace explore {

// True if the calling thread is one. It is asked at each wait that has an end: a thread gets its
// name after it has begun.
[[nodiscard]] bool keeps_house();

}  // namespace explore
