// The memory that a clock which can be stepped shares with its process.
//
// Thread-safety: of the atomics.
#pragma once

#include <atomic>
#include <cstdint>

namespace faults {

struct ClockFile {
  std::atomic<std::int64_t> offset;  // in nanoseconds, added to the wall clock
  std::atomic<bool> is_read;         // the process has asked for a time
};

}  // namespace faults
