// The process that this library was preloaded into: its role in virtual time and its entry in the
// shared page.
//
// A process that was given no slot in a page does not live in virtual time; neither does the child
// of a client's fork, nor a program that is still being loaded.
//
// Thread-safety: safe to share.
#pragma once

#include "faults/explore/preload/shared_page.h"

namespace explore {

// True if this process lives in virtual time and has that role.
[[nodiscard]] bool is_client();
[[nodiscard]] bool is_server();
[[nodiscard]] bool is_participant();
// True if each wait of the calling thread is counted, as in a client and in a participant.
[[nodiscard]] bool counts_waits();

[[nodiscard]] bool lives_in_virtual_time();

// Its entry; only if it lives in virtual time.
[[nodiscard]] ProcessEntry& this_process();
// Its page; null: it has none.
[[nodiscard]] SharedPage* shared_page();
// The page, if a keeper keeps this process's time; else null.
[[nodiscard]] SharedPage* kept_page();

// Called by the child of a participant's fork: from now on it has that slot, and one thread.
void become_child(ProcessEntry& slot);

// Writes once, into the page, what this process does that virtual time does not know.
void refuse(const char* what);

// If this process is a template (template.cpp): serves until its explorer closes the socket, and
// ends. Returns in each process that it begins, and immediately in all others.
void serve_as_template();

}  // namespace explore
