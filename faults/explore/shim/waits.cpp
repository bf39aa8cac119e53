// Sleeps, and waits for a word of memory (futex(2)).
#include <linux/futex.h>

#include "faults/explore/preload/turns.h"
#include "faults/explore/shim/call_families.h"
#include "faults/explore/shim/go_monitor.h"
#include "faults/explore/shim/shim_process.h"

namespace explore::shim {
namespace {

// The words that the kernel clears when a thread ends, of those that are about to end.
constinit std::array<std::atomic<std::uint64_t>, 16> ending_words{};

bool is_ending(std::uint64_t word) {
  for (const auto& ending : ending_words) {
    if (ending.load() == word) return true;
  }
  return false;
}

void forget_ending(std::uint64_t word) {
  for (auto& ending : ending_words) ending.compare_exchange_strong(word, 0);
}

long sleep_until(Instant until) {
  while (now() < until) {
    if (has_signal()) return -EINTR;
    (void)rest({.until = until}, process.entry->generation.load());
  }
  return 0;
}

// Go's threads sleep by its timers; only its monitor, and a scheduler that spins, call this.
long sleep_in_go(Instant duration) {
  constexpr Instant longest_moment = 10'000'000;
  if (duration > longest_moment) return sleep_until(after(duration));
  auto& mine = this_thread();
  if (monitor.knows() && !monitor.is(mine)) {
    turns.give_way(mine);
    return 0;
  }
  monitor.sleep(mine);
  return 0;
}

long nanosleep(const timespec* time) {
  const auto duration = duration_of(*time);
  return process.is_go ? sleep_in_go(duration) : sleep_until(after(duration));
}

long clock_nanosleep(const Call& call) {
  const auto& [clock, flags, time, left, none, nothing] = call.arguments;
  const auto& shown = *reinterpret_cast<const timespec*>(time);
  if (!shows_time(static_cast<clockid_t>(clock))) {
    return raw_syscall(call.number, clock, flags, time, left);
  }
  if ((flags & TIMER_ABSTIME) == 0) return nanosleep(&shown);
  return sleep_until(duration_of(shown) - shown_at_start(static_cast<clockid_t>(clock)));
}

long wake(const Call& call, long most) {
  const auto word = static_cast<std::uint64_t>(call.arguments[0]);
  if (!monitor.is_woken_by(word)) notify_object(word, static_cast<std::size_t>(most));
  return 1;
}

Instant limit_of(const Call& call, bool is_absolute) {
  const auto* time = reinterpret_cast<const timespec*>(call.arguments[3]);
  if (time == nullptr || monitor.is(this_thread())) return no_limit;
  if (!is_absolute) return after(time);
  const bool by_wall = (call.arguments[1] & FUTEX_CLOCK_REALTIME) != 0;
  const auto clock = by_wall ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  return duration_of(*time) - shown_at_start(clock);
}

long wait(const Call& call, bool is_absolute) {
  const auto word = static_cast<std::uint64_t>(call.arguments[0]);
  const auto& value = *reinterpret_cast<const std::uint32_t*>(word);
  const auto expected = static_cast<std::uint32_t>(call.arguments[2]);
  const auto seen = process.entry->generation.load();
  if (__atomic_load_n(&value, __ATOMIC_SEQ_CST) != expected) return -EAGAIN;
  if (is_ending(word)) {  // the kernel will have cleared it in a moment
    const auto& all = call.arguments;
    const auto result = raw_syscall(SYS_futex, all[0], all[1], all[2], 0, 0, all[5]);
    forget_ending(word);
    return result;
  }
  const auto until = limit_of(call, is_absolute);
  if (now() >= until) return -ETIMEDOUT;
  const auto woken = rest({.what = WaitsFor::object, .until = until, .object = word}, seen);
  return woken == Woken::by_time ? -ETIMEDOUT : 0;
}

// A wait may end for no reason: of those that are to be moved to another word, all are woken.
std::optional<long> futex(const Call& call) {
  switch (call.arguments[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)) {
    case FUTEX_WAIT: return wait(call, /*is_absolute=*/false);
    case FUTEX_WAIT_BITSET: return wait(call, /*is_absolute=*/true);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: return wake(call, call.arguments[2]);
    case FUTEX_REQUEUE: return wake(call, ProcessEntry::most_threads);
    default: return {};
  }
}

}  // namespace

std::optional<long> sleep_or_wait(const Call& call) {
  switch (call.number) {
    case SYS_nanosleep: return nanosleep(reinterpret_cast<const timespec*>(call.arguments[0]));
    case SYS_clock_nanosleep: return clock_nanosleep(call);
    case SYS_futex: return futex(call);
    case SYS_sched_yield: turns.give_way(this_thread()); return 0;
    default: return {};
  }
}

void notify_of_end() {
  constexpr long get_word = 40;  // PR_GET_TID_ADDRESS
  std::uint64_t word = 0;
  if (raw_syscall(SYS_prctl, get_word, address_of(&word)) != 0 || word == 0) return;
  for (auto& ending : ending_words) {
    std::uint64_t none = 0;
    if (ending.compare_exchange_strong(none, word)) break;
  }
  notify_object(word, ProcessEntry::most_threads);
}

}  // namespace explore::shim
