// The filter by which the kernel hands a program's system calls to the shim (seccomp(2)): those
// that tell the time, wait, or end another thread's wait, and all that nobody knows.
//
// Thread-safety: none; one thread.
#pragma once

namespace explore::shim {

// A filter compares half an address at a time. True: this program's code lies where the upper
// halves of all its addresses are the same.
[[nodiscard]] bool lies_well();

// From now on such a call raises SIGSYS, unless it comes from this program's own code. Ends this
// process with a sentence if the kernel has no filters.
void trap_calls();

}  // namespace explore::shim
