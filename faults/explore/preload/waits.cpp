#include "faults/explore/preload/waits.h"

#include <optional>
#include <utility>

#include "faults/explore/preload/housekeeping.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/thread_entries.h"
#include "faults/explore/preload/turns.h"

namespace explore {
namespace {

// A signal's handler has ended the thread's last wait. Initial-exec: read without a call that could
// allocate.
[[gnu::tls_model("initial-exec")]] thread_local std::optional<Restarts> interrupted;

// The wait as it is written into the page. Call without the lock of the entries. A wait of up to
// 20 ms keeps its end: so the thread that ends a Java program waits for the others.
Wait as_told(Wait wait) {
  constexpr Instant moment = second / 50;
  const bool may_keep_house =
      wait.what == WaitsFor::object && wait.until != no_limit && wait.until - now() > moment;
  if (may_keep_house && keeps_house()) wait.until = no_limit;
  return wait;
}

// Call with the lock of the entries held.
void write_down(const Wait& wait) {
  write_wait(*this_thread(), wait);
  note_wait();
}

Woken sleep_until_woken(Restarts restarts) {
  auto& mine = *this_thread();
  while (mine.state.load() == waiting) (void)futex_wait(mine.state, waiting);
  turns.await(mine);
  if (const auto interruption = std::exchange(interrupted, std::nullopt)) {
    const bool continues = restarts == Restarts::yes && interruption == Restarts::yes;
    return continues ? Woken::by_notice : Woken::by_signal;
  }
  return mine.state.load() == woken_by_time ? Woken::by_time : Woken::by_notice;
}

}  // namespace

std::uint32_t generation() {
  return this_process().generation.load();
}

Woken rest(const Wait& wait, std::uint32_t seen, Restarts restarts) {
  const auto told = as_told(wait);
  Stop stopped;
  {
    const ProcessEntryGuard guard(this_process());
    if (generation() != seen) return Woken::by_notice;
    if (now() >= wait.until) return Woken::by_time;
    write_down(told);
    stopped = stop(*this_thread());
  }
  announce(stopped);
  return sleep_until_woken(restarts);
}

Woken rest_after(const Wait& wait, void (*release)(void*), void* argument) {
  const auto told = as_told(wait);
  bool has_ended = false;
  {
    const ProcessEntryGuard guard(this_process());
    has_ended = now() >= wait.until;
    if (!has_ended) write_down(told);
  }
  release(argument);
  if (has_ended) return Woken::by_time;
  Stop stopped;
  {
    const ProcessEntryGuard guard(this_process());
    stopped = stop(*this_thread());
  }
  announce(stopped);
  return sleep_until_woken(Restarts::yes);
}

void rest_until_end_of(std::uint64_t thread) {
  note_output();
  for (;;) {
    Stop stopped;
    {
      const ProcessEntryGuard guard(this_process());
      if (!is_alive(thread)) return;
      write_down({.what = WaitsFor::thread});
      stopped = stop(*this_thread());
    }
    announce(stopped);
    (void)sleep_until_woken(Restarts::yes);
  }
}

bool stop_waiting() {
  auto* mine = this_thread();
  return mine != nullptr && end_wait(this_process(), *mine, /*by_time=*/false);
}

void note_interruption(Restarts restarts) {
  interrupted = restarts;
}

void notify_object(std::uint64_t object, std::size_t most) {
  const auto fits = [object](const ThreadEntry& thread) {
    return thread.waits_for == WaitsFor::object && thread.object == object;
  };
  notify(this_process(), fits, most);
}

void notify_all_descriptors() {
  notify(this_process(),
         [](const ThreadEntry& thread) { return thread.waits_for == WaitsFor::descriptors; });
}

}  // namespace explore
