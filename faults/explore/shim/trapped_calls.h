// What becomes of the system calls that are trapped: the clocks are those of the page, and each
// wait is written there.
//
// Thread-safety: safe to share.
#pragma once

namespace explore::shim {

// From now on this process answers SIGSYS, and an instruction that reads the processor's clock is
// told a number that is the same in each run.
void install_handlers();

}  // namespace explore::shim
