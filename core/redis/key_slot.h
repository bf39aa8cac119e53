// Which of a Cluster's 16,384 slots a key is in. Each slot is on one master:
// https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model
//
// Only the part between the first "{" and the next "}" counts, if it is not empty: "{orders}:1" and
// "{orders}:2" are in the same slot.
//
// Any thread may call this.
#pragma once

#include <string_view>

namespace core {

[[nodiscard]] int slot_of(std::string_view key);

}  // namespace core
