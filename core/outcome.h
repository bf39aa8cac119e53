// The truthful answers to "do I hold it now?" and "did I give it back?".
//
// A boolean has no room for the answer that matters most in a distributed system: *unknown*, the
// command may have been applied and its reply was lost on the way. Libraries that fold it into
// `false` tell their callers something that may be untrue.
#pragma once

#include <string_view>

namespace core {

// What `Lock::try_acquire()` learned.
enum class Acquire {
  acquired,   // the server said yes: this thread holds the lock
  contended,  // the server said no: somebody holds it
  unknown,    // the command may have been applied, its reply never came
};

// What `Lock::release()` learned.
enum class Release {
  released,    // it was ours, and we removed it
  still_held,  // one level of it was given back, and somebody is still inside (from stage 6 on)
  // Asked again after `unknown`, these two may also mean that the first time did it:
  expired,   // it was gone, and nobody holds the lock now; somebody may have, in between
  stolen,    // it was gone, and somebody else holds the lock now
  not_held,  // there was nothing to give back
  unknown,   // the command may have been applied, its reply never came
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
