// The slots of participants in the page: each process takes one, and the keeper clears it when the
// process is dead. Needs no C library: the shim (faults/explore/shim) uses it, too.
//
// Thread-safety: safe to share, among processes too.
#pragma once

#include "faults/explore/preload/shared_page.h"

namespace explore {

// Its process is being forked, and has no number yet.
inline constexpr std::int32_t not_known_yet = -1;

// A slot that was free, for the process of that number. Null: there is none.
[[nodiscard]] ProcessEntry* take_free_slot(SharedPage& page, std::int32_t id);

// The slot that was taken for the process of that number; else a free one, which is then taken for
// it. Null: there is none.
[[nodiscard]] ProcessEntry* slot_of(SharedPage& page, std::int32_t id);

}  // namespace explore
