// Which operations a storage refuses when their fencing token is too low.
#pragma once

namespace faults {

enum class Fence { reads_and_writes, writes_only };

}  // namespace faults
