// An operator's questions to the nodes about a lock.
#pragma once

#include <optional>
#include <string>

#include "stage7_redlock/names.h"
#include "stage7_redlock/quorum.h"

namespace stage7 {

// The holder of the lock `key`. Nothing: no node that answers knows of one.
[[nodiscard]] std::optional<Holder> holder_of(Quorum& quorum, const std::string& key);

// Removes the lock `key`, whichever client holds it, and announces that on `channel`. False: there
// was none. Throws LostReply if too few nodes answered to say so.
bool remove(Quorum& quorum, const std::string& key, const std::string& channel);

}  // namespace stage7
