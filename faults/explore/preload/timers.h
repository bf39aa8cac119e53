// A participant's timers that are descriptors (timerfd_create(2)), in virtual time. The kernel's
// timers stay unset until their time has come.
//
// Thread-safety: safe to share.
#pragma once

namespace explore {

// Sets off those whose time has come: their descriptors can be read then.
void ring_due_timers();
// To be called after a read that may have been of such a timer: puts there how often its time has
// come since the read before, as the kernel would.
void count_expirations(int descriptor, void* count);
// To be called when that descriptor is closed.
void forget_timer(int descriptor);

}  // namespace explore
