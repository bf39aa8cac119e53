// Tells the keeper, if one keeps this process's time, what it cannot see in the page. Each does
// nothing in a client or a server.
//
// Thread-safety: safe to share.
#pragma once

namespace explore {

// Something was written, closed or begun that another process may wait for.
void note_activity();
// A signal is about to be sent, or a program about to begin: the keeper is to ask the kernel.
void note_unsettled();
// To be called before each wait: the C library may have written to standard output or standard
// error without a call that this library sees.
void note_output();

}  // namespace explore
