// The places of participants in the page: each process takes one, and the keeper
// clears it when the process is dead.
//
// Thread-safety: safe to share, among processes too.
#pragma once

#include "faults/explore/preload/page.h"

namespace explore {

// The place that was taken for the process of that number; else a free one, now taken for it. Null
// if there is none.
[[nodiscard]] ProcessEntry* place_of(Page& page, std::int32_t id);

// The page, if a keeper keeps this process's time; else null.
[[nodiscard]] Page* kept_page();

// Called by the child of a fork: from now on this process has that place, and one thread.
void become_child(ProcessEntry& place);

}  // namespace explore
