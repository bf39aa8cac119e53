#include "faults/explore/shim/shim_process.h"

#include <algorithm>
#include <csignal>

#include "faults/explore/preload/turns.h"
#include "faults/explore/shim/go_monitor.h"

namespace explore::shim {
namespace {

// How often the program has asked for the time since a thread of it last waited, and the last
// answer to one that asks without end.
constinit std::atomic<std::uint32_t> questions{0};
constinit std::atomic<Instant> last_told{0};

ThreadEntry* entry_with(std::int32_t id) {
  for (auto& thread : used_threads(*process.entry)) {
    if (thread.state.load() != absent && thread.id.load() == id) return &thread;
  }
  return nullptr;
}

bool is_participant() {
  return process.entry->role == ProcessRole::participant;
}

}  // namespace

constinit Process process;

Instant now() {
  return process.page->now.load();
}

Instant after(Instant duration) {
  return later(now(), duration);
}

Instant after(const timespec* duration) {
  return duration == nullptr ? no_limit : after(duration_of(*duration));
}

Instant after_ms(long ms) {
  return ms < 0 ? no_limit : after(ms * 1'000'000);
}

Instant shown_at_start(clockid_t clock) {
  const auto step = process.stepped_clock == nullptr ? 0 : process.stepped_clock->offset.load();
  return start_of(clock, step + process.entry->wall_offset.load(),
                  process.entry->monotonic_offset.load());
}

Instant time_by(clockid_t clock) {
  constexpr std::uint32_t many = 100'000;
  constexpr Instant microsecond = 1'000;
  auto told = std::max(last_told.load(), now());
  if (questions.fetch_add(1) > many) {
    told += microsecond;
    last_told.store(told);
  }
  if (process.stepped_clock != nullptr) process.stepped_clock->is_read = true;
  return shown_at_start(clock) + told;
}

ThreadEntry& this_thread() {
  const auto id = static_cast<std::int32_t>(raw_syscall(SYS_gettid));
  if (auto* mine = entry_with(id)) return *mine;
  refuse("a thread of its own making");
  return process.entry->threads.front();
}

ThreadEntry* count_thread() {
  const ProcessEntryGuard guard(*process.entry);
  auto* taken = take_thread(*process.entry);
  if (taken == nullptr) refuse("more than 512 threads");
  if (taken != nullptr) process.entry->running.fetch_add(1);
  return taken;
}

void begin_thread(ThreadEntry* mine) {
  mine->id.store(static_cast<std::int32_t>(raw_syscall(SYS_gettid)));
  turns.await(*mine);
}

Stop stop(const ThreadEntry& thread) {
  if (auto* next = monitor.runs_instead_of(thread)) {
    (void)turns.pass_on(thread);
    return {.next = next, .all_rest = false};
  }
  const bool all_rest = stop_running(*process.entry);
  return {.next = turns.pass_on(thread), .all_rest = all_rest};
}

void announce(const Stop& stop) {
  if (stop.next != nullptr) {
    futex_wake(stop.next->state);
    turns.announce(*stop.next);
  }
  if (!stop.all_rest) return;
  if (!is_participant()) return futex_wake(process.entry->running);
  process.page->rests.fetch_add(1);
  futex_wake(process.page->rests);
}

void await_wake(ThreadEntry& thread) {
  while (thread.state.load() == waiting) (void)futex_wait(thread.state, waiting);
  turns.await(thread);
}

Woken rest(const Wait& wait, std::uint32_t seen) {
  auto& mine = this_thread();
  Stop stopped;
  {
    const ProcessEntryGuard guard(*process.entry);
    if (process.entry->generation.load() != seen) return Woken::by_notice;
    if (now() >= wait.until) return Woken::by_time;
    questions.store(0);
    write_wait(mine, wait);
    stopped = stop(mine);
  }
  announce(stopped);
  await_wake(mine);
  return mine.state.load() == woken_by_time ? Woken::by_time : Woken::by_notice;
}

void leave(ThreadEntry& thread) {
  Stop stopped;
  {
    const ProcessEntryGuard guard(*process.entry);
    thread.state.store(absent);
    stopped = stop(thread);
  }
  announce(stopped);
}

bool has_signal() {
  constexpr long size_of_set = 8;
  constexpr std::uint64_t urgent = 1ULL << (SIGURG - 1U);  // by which Go's threads interrupt others
  std::uint64_t pending = 0;
  (void)raw_syscall(SYS_rt_sigpending, address_of(&pending), size_of_set);
  return is_participant() && (pending & ~urgent) != 0;
}

void note_activity() {
  if (is_participant()) process.page->activity.fetch_add(1);
}

void notify_object(std::uint64_t object, std::size_t most) {
  const auto fits = [object](const ThreadEntry& thread) {
    return thread.waits_for == WaitsFor::object && thread.object == object;
  };
  notify(*process.entry, fits, most);
}

void notify_all_descriptors() {
  notify(*process.entry,
         [](const ThreadEntry& thread) { return thread.waits_for == WaitsFor::descriptors; });
}

void refuse(const char* what) {
  auto& said = process.entry->refused;
  if (said[0] != '\0') return;
  for (std::size_t i = 0; what[i] != '\0' && i + 1 < said.size(); ++i) said[i] = what[i];
}

void refuse_call(long number) {
  char text[] = "system call 000";  // their numbers are below 1,000
  for (auto* digit = text + sizeof text - 2; *digit == '0'; --digit, number /= 10) {
    *digit = static_cast<char>('0' + number % 10);
  }
  refuse(text);
}

}  // namespace explore::shim
