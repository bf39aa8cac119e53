#include "core/wrappers/fallback_lock.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/redis/redirection.h"
#include "core/shared_instances.h"

namespace core {
namespace {

using std::chrono::milliseconds;

// A server that cannot be used is away, too, but a replica (READONLY) is not: its master may serve
// other processes, which a degraded hold would not exclude. `error` is an ErrorReply's sentence:
// the server's words follow a colon, after those of this library.
bool says_that_it_is_away(std::string_view error) {
  constexpr std::string_view colon = ": ";
  for (auto at = error.find(colon); at != std::string_view::npos; at = error.find(colon, at + 1)) {
    if (says_away(error.substr(at + colon.size()))) return true;
  }
  return false;
}

}  // namespace

WhenAway WhenAway::wait(milliseconds limit) {
  if (limit <= milliseconds::zero()) throw std::invalid_argument("a wait must be longer than 0 ms");
  WhenAway policy;
  policy.limit_ = limit;
  return policy;
}

WhenAway WhenAway::degrade(milliseconds pause) {
  if (pause < milliseconds::zero()) throw std::invalid_argument("a pause must not be negative");
  WhenAway policy;
  policy.degrades_ = true;
  policy.pause_ = pause;
  return policy;
}

std::shared_ptr<FallbackLock::Process> FallbackLock::Process::of(const std::string& name) {
  static SharedInstances<std::string, Process> all;
  return all.get(name, [] { return std::make_shared<Process>(); });
}

FallbackLock::FallbackLock(Lock& lock, const std::string& name, WhenAway policy,
                           std::shared_ptr<Observer> observer)
    : lock_(lock), policy_(policy), observer_(std::move(observer)), process_(Process::of(name)) {}

FallbackLock::~FallbackLock() = default;

Acquire FallbackLock::try_acquire() {
  if (process_->holds.get()) return enter_again();
  if (!process_->mutex.try_lock()) return Acquire::contended;
  return enter([this] { return lock_.try_acquire(); }, {});
}

Acquire FallbackLock::acquire(const Waiting& waiting, const std::stop_token& stop) {
  if (process_->holds.get()) return enter_again();
  const auto start = Clock::now();
  if (!enter_process(waiting, stop)) return Acquire::contended;
  return enter(
      [&] {
        if (!waiting.time_limit()) return lock_.acquire(waiting, stop);
        const auto passed = std::chrono::duration_cast<Waiting::Duration>(Clock::now() - start);
        const auto left = std::max(*waiting.time_limit() - passed, Waiting::Duration::zero());
        return lock_.acquire(waiting.at_most(left), stop);
      },
      stop);
}

bool FallbackLock::enter_process(const Waiting& waiting, const std::stop_token& stop) {
  if (process_->mutex.try_lock()) return true;
  Pauses pauses(waiting);
  while (!stop.stop_requested()) {
    const auto time = waiting.waits() ? pauses.next() : std::nullopt;
    if (!time) return false;
    if (process_->mutex.try_lock_for(*time)) return true;
  }
  return false;
}

Acquire FallbackLock::enter_again() {
  auto hold = *process_->holds.get();
  // A hold stays as it began: the server does not know a degraded one.
  const auto outcome = hold.reason ? Acquire::acquired : lock_.try_acquire();
  if (outcome != Acquire::acquired) return outcome;
  ++hold.depth;
  process_->holds.set(std::move(hold));
  return outcome;
}

Acquire FallbackLock::enter(const Ask& ask, const std::stop_token& stop) {
  std::unique_lock process(process_->mutex, std::adopt_lock);
  auto reason = known_reason();
  if (!reason) {
    const auto answer = ask_until(ask, Clock::now() + policy_.limit(), stop);
    if (answer.reason.empty() || !policy_.degrades()) {
      if (answer.error) std::rethrow_exception(answer.error);
      if (answer.outcome != Acquire::acquired) return answer.outcome;
    } else {
      reason = answer.reason;
      const std::lock_guard guard(mutex_);
      reason_ = answer.reason;
      ask_again_ = Clock::now() + policy_.pause();
    }
  }
  if (reason && observer_) observer_->degraded(*reason);
  process_->holds.set({.depth = 1, .reason = std::move(reason)});
  process.release();  // `release()` unlocks it
  return Acquire::acquired;
}

std::optional<std::string> FallbackLock::known_reason() {
  const std::lock_guard guard(mutex_);
  return Clock::now() < ask_again_ ? std::optional(reason_) : std::nullopt;
}

FallbackLock::Answer FallbackLock::ask_until(const Ask& ask, Clock::time_point until,
                                             const std::stop_token& stop) {
  Pauses pauses(Waiting::exponential(milliseconds(10), milliseconds(500)).jitter(0.5));
  for (;;) {
    const bool is_last = Clock::now() >= until;
    auto answer = ask_once(ask);
    if (answer.reason.empty() || is_last) return answer;
    const auto left = std::chrono::ceil<Waiting::Duration>(until - Clock::now());
    const auto pause = std::clamp(left, Waiting::Duration::zero(), *pauses.next());
    if (!pause_for(pause, stop)) return answer;
  }
}

FallbackLock::Answer FallbackLock::ask_once(const Ask& ask) {
  try {
    const auto outcome = ask();
    if (outcome != Acquire::unknown) return {.outcome = outcome};
    return {.outcome = outcome, .reason = "the server did not answer"};
  } catch (const AccessDenied&) {
    throw;
  } catch (const Unreachable& error) {
    return {.reason = error.what(), .error = std::current_exception()};
  } catch (const ErrorReply& error) {
    if (!says_that_it_is_away(error.what())) throw;
    return {.reason = error.what(), .error = std::current_exception()};
  }
}

Release FallbackLock::release() {
  const auto hold = process_->holds.get();
  if (!hold) return lock_.release();  // asked again
  if (hold->reason) return release_degraded(*hold);
  if (hold->depth == 1) {
    process_->holds.clear();
    // The caller has left, even if the server cannot be notified.
    const std::unique_lock process(process_->mutex, std::adopt_lock);
    return lock_.release();
  }
  const auto outcome = lock_.release();
  if (outcome != Release::unknown) process_->holds.set({.depth = hold->depth - 1, .reason = {}});
  return outcome;
}

Release FallbackLock::release_degraded(ThreadState hold) {
  if (--hold.depth > 0) {
    process_->holds.set(std::move(hold));
    return Release::still_held;
  }
  process_->holds.clear();
  process_->mutex.unlock();
  return Release::released;
}

void FallbackLock::abandon_level() {
  const auto hold = process_->holds.get();
  if (hold && !hold->reason) process_->holds.set({.depth = hold->depth - 1, .reason = {}});
  lock_.abandon_level();
}

std::optional<std::string> FallbackLock::degraded() const {
  const auto hold = process_->holds.get();
  return hold ? hold->reason : std::nullopt;
}

std::optional<milliseconds> FallbackLock::remaining() const {
  return degraded() ? std::nullopt : lock_.remaining();
}

std::stop_token FallbackLock::lost() const {
  return degraded() ? std::stop_token() : lock_.lost();
}

std::optional<std::uint64_t> FallbackLock::fencing_token() const {
  return degraded() ? std::nullopt : lock_.fencing_token();
}

}  // namespace core
