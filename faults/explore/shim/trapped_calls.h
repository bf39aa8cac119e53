// Answers the system calls that are trapped: the clocks are those of the page, and each wait is
// written there.
//
// Thread-safety: safe to share.
#pragma once

namespace explore::shim {

// This process answers SIGSYS from now on. An instruction that reads the processor's clock gets
// the same number in each run.
void install_handlers();

}  // namespace explore::shim
