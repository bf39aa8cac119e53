// The truthful answers to "do I hold the lock now?" and "did I release it?".
//
// A boolean cannot express the answer that matters most in a distributed system: *unknown*, the
// command may have been applied and its reply was lost. A library that returns `false` then tells
// its caller something that may be untrue.
#pragma once

#include <string_view>

namespace core {

// The outcome of `Lock::try_acquire()`.
enum class Acquire {
  acquired,   // the server said yes: this thread holds the lock
  contended,  // the server said no: somebody else holds the lock
  unknown,    // the command may have been applied; its reply was lost
};

// The outcome of `Lock::release()`.
enum class Release {
  released,    // the lock was ours, and we removed it
  still_held,  // one level was released, the hold goes on
  // After `unknown` and a second release, these two may also mean that the first one did it:
  expired,   // the hold was over, and nobody holds the lock now; somebody may have in between
  stolen,    // the hold was over, and somebody else holds the lock now
  not_held,  // the calling thread held nothing
  unknown,   // the command may have been applied; its reply was lost
};

[[nodiscard]] constexpr std::string_view to_string(Acquire outcome) {
  switch (outcome) {
    case Acquire::acquired: return "acquired";
    case Acquire::contended: return "contended";
    case Acquire::unknown: return "unknown";
  }
  return "?";
}

[[nodiscard]] constexpr std::string_view to_string(Release outcome) {
  switch (outcome) {
    case Release::released: return "released";
    case Release::still_held: return "still_held";
    case Release::expired: return "expired";
    case Release::stolen: return "stolen";
    case Release::not_held: return "not_held";
    case Release::unknown: return "unknown";
  }
  return "?";
}

}  // namespace core
