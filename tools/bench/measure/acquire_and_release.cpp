#include "tools/bench/measure/acquire_and_release.h"

#include "tools/bench/measure/wrong_result.h"

namespace bench {

void acquire_and_release(core::Lock& lock) {
  if (lock.try_acquire() != core::Acquire::acquired) {
    throw WrongResult("a lock that nobody holds was not acquired");
  }
  if (lock.release() != core::Release::released) {
    throw WrongResult("a lock that was held was not released");
  }
}

}  // namespace bench
