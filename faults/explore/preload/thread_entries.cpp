#include "faults/explore/preload/thread_entries.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "faults/explore/preload/process_entry.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/turns.h"

namespace explore {
namespace {

// Initial-exec: read without a call that could allocate.
[[gnu::tls_model("initial-exec")]] thread_local ThreadEntry* self = nullptr;

pthread_key_t end_of_thread;
bool has_key = false;

// The entry was taken by the thread's creator, and the thread does not run yet.
constexpr std::uint64_t not_named_yet = 0;

// An entry for a thread that runs, or will. Null: there are too many.
ThreadEntry* take_entry() {
  const ProcessEntryGuard guard(this_process());
  auto* taken = take_thread(this_process());
  if (taken == nullptr) refuse("more than 512 threads");
  return taken;
}

bool waits_for_a_thread(const ThreadEntry& thread) {
  return thread.waits_for == WaitsFor::thread;
}

// Runs in the thread, after everything else of it has been destroyed.
void leave_thread(void* /*entry*/) {
  auto* mine = std::exchange(self, nullptr);
  if (mine == nullptr) return;
  {
    const ProcessEntryGuard guard(this_process());
    mine->state.store(absent);
  }
  notify(this_process(), waits_for_a_thread);
  Stop stopped;
  {
    const ProcessEntryGuard guard(this_process());
    stopped = stop(*mine);
  }
  announce(stopped);
}

}  // namespace

ThreadEntry* this_thread() {
  return self;
}

void enter_first_thread() {
  if (!has_key) pthread_key_create(&end_of_thread, leave_thread);
  has_key = true;
  enter_thread(take_entry());
}

void forget_thread() {
  self = nullptr;
}

ThreadEntry* count_thread() {
  this_process().running.fetch_add(1);
  return take_entry();
}

void uncount_thread(ThreadEntry* entry) {
  if (entry != nullptr) entry->state.store(absent);
  announce({.all_rest = stop_running(this_process())});
}

void enter_thread(ThreadEntry* entry) {
  self = entry;
  if (self == nullptr) return;
  turns.await(*self);
  self->id.store(static_cast<std::int32_t>(raw_syscall(SYS_gettid)));
  {
    const ProcessEntryGuard guard(this_process());
    self->self = pthread_self();
  }
  notify(this_process(), waits_for_a_thread);
  pthread_setspecific(end_of_thread, self);
}

bool is_alive(std::uint64_t thread) {
  const auto threads = used_threads(this_process());
  return std::any_of(threads.begin(), threads.end(), [thread](const ThreadEntry& other) {
    const bool may_be = other.self == thread || other.self == not_named_yet;
    return may_be && other.state.load() != absent;
  });
}

Stop stop(const ThreadEntry& thread) {
  const bool all_rest = stop_running(this_process());
  return {.next = turns.pass_on(thread), .all_rest = all_rest};
}

void announce(const Stop& stop) {
  if (stop.next != nullptr) turns.announce(*stop.next);
  if (!stop.all_rest) return;
  if (!is_participant()) return futex_wake(this_process().running);
  shared_page()->rests.fetch_add(1);
  futex_wake(shared_page()->rests);
}

}  // namespace explore
