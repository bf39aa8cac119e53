#include "core/lock.h"

#include <algorithm>
#include <exception>

namespace core {
namespace {

using std::chrono::milliseconds;

bool acquired_or_throw(Acquire outcome) {
  if (outcome == Acquire::unknown) {
    throw OutcomeUnknown("the reply to the acquiring command was lost: the lock may be held");
  }
  return outcome == Acquire::acquired;
}

}  // namespace

Acquire Lock::join(const std::string& /*hold_token*/) {
  throw std::logic_error("this lock cannot be joined");
}

Waiting Lock::usual_waiting() const {
  return Waiting::exponential(milliseconds(1), milliseconds(50)).jitter(0.5);
}

Acquire Lock::acquire(const Waiting& waiting, const std::stop_token& stop) {
  if (!waiting.waits()) return try_acquire();
  Pauses pauses(waiting);
  for (;;) {
    const auto outcome = try_in_line();
    if (outcome != Acquire::contended) return outcome;
    const auto time = pauses.next();
    if (!time || !pause(*time, stop)) break;
  }
  leave_line();
  return Acquire::contended;
}

void Lock::lock() {
  while (!acquired_or_throw(acquire(usual_waiting()))) {
  }
}

bool Lock::try_lock() {
  return acquired_or_throw(try_acquire());
}

bool Lock::try_lock_for(std::chrono::nanoseconds time) {
  const auto limit = std::chrono::ceil<Waiting::Duration>(time);
  return acquired_or_throw(
      acquire(usual_waiting().at_most(std::max(limit, Waiting::Duration::zero()))));
}

bool Lock::pause(Waiting::Duration time, const std::stop_token& stop) {
  return pause_for(time, stop);
}

void Lock::unlock() noexcept {
  try {
    if (release() != Release::unknown) return;
  } catch (const std::exception&) {  // NOLINT: see the declaration, there is nobody to tell
  }
  leave_anyway();
}

}  // namespace core
