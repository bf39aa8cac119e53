#include "core/lock.h"

#include <algorithm>
#include <exception>

namespace core {
namespace {

using std::chrono::milliseconds;

Waiting usual_waiting() {
  return Waiting::exponential(milliseconds(1), milliseconds(50)).jitter(0.5);
}

bool is_mine(Acquire outcome) {
  if (outcome == Acquire::unknown) {
    throw OutcomeUnknown("the reply to the acquiring command was lost: the lock may be held");
  }
  return outcome == Acquire::acquired;
}

}  // namespace

Acquire Lock::acquire(const Waiting& waiting, const std::stop_token& stop) {
  Pauses pauses(waiting);
  for (;;) {
    const auto outcome = try_acquire();
    if (outcome != Acquire::contended) return outcome;
    const auto pause = pauses.next();
    if (!pause || !pause_for(*pause, stop)) return Acquire::contended;
  }
}

void Lock::lock() {
  while (!is_mine(acquire(usual_waiting()))) {
  }
}

bool Lock::try_lock() {
  return is_mine(try_acquire());
}

bool Lock::try_lock_for(std::chrono::nanoseconds time) {
  const auto limit = std::chrono::ceil<Waiting::Duration>(time);
  return is_mine(acquire(usual_waiting().at_most(std::max(limit, Waiting::Duration::zero()))));
}

void Lock::unlock() noexcept {
  try {
    (void)release();
  } catch (const std::exception&) {  // NOLINT: see the declaration, there is nobody to tell
  }
}

}  // namespace core
