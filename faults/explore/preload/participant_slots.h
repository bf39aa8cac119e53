// The slots of participants in the page: each process takes one, and the keeper clears it when the
// process is dead.
//
// Thread-safety: safe to share, among processes too.
#pragma once

#include "faults/explore/preload/shared_page.h"

namespace explore {

// The slot that was taken for the process of that number; else a free one, which is then taken for
// it. Null: there is none.
[[nodiscard]] ProcessEntry* slot_of(SharedPage& page, std::int32_t id);

}  // namespace explore
