// What a storage refuses that comes with a fencing token.
#pragma once

namespace faults {

enum class Fence { reads_and_writes, writes_only };

}  // namespace faults
