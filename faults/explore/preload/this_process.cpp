#include "faults/explore/preload/this_process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "faults/explore/preload/entry_lock.h"
#include "faults/explore/preload/places.h"

namespace explore {
namespace {

Page* page = nullptr;
ProcessEntry* process = nullptr;

// A wall clock that is stepped while the process runs (faults/kit/clock.h): by so much.
const std::atomic<Instant>* clock_step = nullptr;

// Initial-exec: read without a call that could allocate.
[[gnu::tls_model("initial-exec")]] thread_local ThreadEntry* self = nullptr;

// How often the thread has asked for the time since it last rested, and what it was told last.
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t asked = 0;
[[gnu::tls_model("initial-exec")]] thread_local Instant told = 0;

// A signal's handler has ended its last rest.
[[gnu::tls_model("initial-exec")]] thread_local std::optional<Restarts> interrupted;

pthread_key_t end_of_thread;

// Has an entry of its creator's, and does not run yet.
constexpr std::uint64_t not_named_yet = 0;

template <typename T>
T* map_file(const char* path) {
  const auto file =
      static_cast<int>(raw_syscall(SYS_openat, AT_FDCWD, address_of(path), O_RDWR | O_CLOEXEC, 0));
  if (file < 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  (void)raw_syscall(SYS_close, file);
  return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

// An entry for a thread that runs, or will. Null: there are too many.
ThreadEntry* take_entry() {
  const EntryLock guard(*process);
  for (auto& thread : process->threads) {
    if (thread.state.load() != absent) continue;
    thread.id.store(0);
    thread.self = not_named_yet;
    thread.until.store(no_limit);
    thread.state.store(running);
    return &thread;
  }
  refuse("more than 64 threads");
  return nullptr;
}

// True if no thread runs any more, but for those that sleep in the kernel: then the caller tells
// the explorer, without the lock. (With it, the explorer would wake up and find it taken.)
bool stop_counting_self() {
  return process->running.fetch_sub(1) - 1 <= process->asleep.load();
}

void tell_of_rest() {
  if (!is_participant()) return futex_wake(process->running);
  page->rests.fetch_add(1);
  futex_wake(page->rests);
}

bool waits_for_a_thread(const ThreadEntry& thread) {
  return thread.waits_for == WaitsFor::thread;
}

// Runs in the thread, after everything else of it has been destroyed.
void leave_thread(void* /*entry*/) {
  if (self == nullptr || process == nullptr) return;
  {
    const EntryLock guard(*process);
    self->state.store(absent);
    self = nullptr;
  }
  notify(*process, waits_for_a_thread);
  if (stop_counting_self()) tell_of_rest();
}

// A child has the same memory and no place in the page: it would be taken for its parent.
void after_fork_in_child() {
  if (process != nullptr) process->other_processes.fetch_add(1);
  process = nullptr;
  self = nullptr;
}

void ignore_signal(int /*number*/) {}

// A server's thread hears of the time only where it waits.
void block_time_signal() {
  struct sigaction action {};
  action.sa_handler = ignore_signal;
  sigaction(look_at_time_signal, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, look_at_time_signal);
  pthread_sigmask(SIG_BLOCK, &only, nullptr);
}

// The place of that number, if it is this process's to take.
ProcessEntry* given_place(std::size_t number) {
  auto& mine = page->processes[number];
  const auto id = static_cast<std::int32_t>(getpid());
  std::int32_t nobody = 0;
  if (mine.id.compare_exchange_strong(nobody, id) || nobody == id) return &mine;
  mine.other_processes.fetch_add(1);  // a program that was started by the one whose place this is
  return nullptr;
}

void enter(ProcessEntry& mine) {
  process = &mine;
  for (auto& thread : mine.threads) thread.state.store(absent);  // of a program before, as a shell
  mine.running.store(1);
  enter_thread(take_entry());
}

[[gnu::constructor]] void take_place() {
  serve_as_template();
  const char* path = std::getenv(page_variable);
  if (path == nullptr) return;
  const char* place = std::getenv(place_variable);
  const auto number = place == nullptr ? 0 : static_cast<std::size_t>(std::atoi(place));
  page = number < Page::most_processes ? map_file<Page>(path) : nullptr;
  if (page == nullptr && place == nullptr) _exit(127);  // its keeper is gone
  if (page == nullptr) return;
  auto* mine = place == nullptr ? place_of(*page, getpid()) : given_place(number);
  if (mine == nullptr && place == nullptr) _exit(127);  // the keeper refuses the run
  if (mine == nullptr) return;
  pthread_key_create(&end_of_thread, leave_thread);
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  enter(*mine);
  if (const char* clock = std::getenv("LAB_CLOCK")) {
    clock_step = map_file<std::atomic<Instant>>(clock);
  }
  if (mine->role == Role::server) block_time_signal();
  if (mine->role != Role::participant) return;
  mine->has_entered.store(1);
  note_activity();  // whoever has begun it may wait for the end of a pipe that it has closed
}

// The time as a running thread of a client is told it: it stands still, but not for one that asks
// without end, as some do until the clock shows another microsecond.
Instant time_told() {
  constexpr std::uint32_t often = 100'000;
  constexpr Instant microsecond = 1'000;
  const auto now = page->now.load();
  if (!counts_waits()) return now;
  told = std::max(told, now) + (++asked > often ? microsecond : 0);
  return told;
}

// With the lock held. True if no thread runs any more.
bool put_down(const Wait& wait) {
  self->waits_for = wait.what;
  self->until.store(wait.until);
  self->object = wait.object;
  const bool fits = wait.descriptor_count <= ThreadEntry::most_descriptors;
  self->descriptor_count = fits ? wait.descriptor_count : ThreadEntry::any_descriptor;
  for (int i = 0; i < self->descriptor_count; ++i) {
    self->descriptors[static_cast<std::size_t>(i)] = wait.descriptors[i];
  }
  asked = 0;
  self->state.store(waiting);
  return stop_counting_self();
}

Woken sleep_until_woken(Restarts restarts) {
  while (self->state.load() == waiting) (void)futex_wait(self->state, waiting);
  if (const auto interruption = std::exchange(interrupted, std::nullopt)) {
    const bool goes_on = restarts == Restarts::yes && interruption == Restarts::yes;
    return goes_on ? Woken::by_notice : Woken::by_signal;
  }
  return self->state.load() == woken_by_time ? Woken::by_time : Woken::by_notice;
}

}  // namespace

bool counts_waits() {
  return process != nullptr && self != nullptr && process->role != Role::server;
}

bool is_client() {
  return process != nullptr && self != nullptr && process->role == Role::client;
}

bool is_participant() {
  return process != nullptr && process->role == Role::participant;
}

bool is_server() {
  return process != nullptr && process->role == Role::server;
}

ProcessEntry& this_process() {
  return *process;
}

bool is_virtual(clockid_t clock) {
  switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return page != nullptr;
    default: return false;
  }
}

namespace {

// The time of `clock` when virtual time is 0.
Instant start_of(clockid_t clock) {
  const bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  if (!wall) return monotonic_start;
  const auto step = clock_step == nullptr ? 0 : clock_step->load();
  return wall_start + step + (process == nullptr ? 0 : process->wall_offset.load());
}

}  // namespace

Instant time_by(clockid_t clock) {
  if (is_virtual(clock)) return start_of(clock) + time_told();
  timespec time{};
  (void)raw_syscall(SYS_clock_gettime, clock, address_of(&time));
  return duration_of(time);
}

Instant now() {
  return page->now.load();
}

Instant after(Instant duration) {
  const auto time = now();
  return duration < no_limit - time ? time + duration : no_limit;
}

Instant when(clockid_t clock, const timespec& shown) {
  return duration_of(shown) - start_of(clock);
}

Instant duration_of(const timespec& time) {
  constexpr Instant longest = no_limit / second - 1;
  return time.tv_sec >= longest ? no_limit : time.tv_sec * second + time.tv_nsec;
}

timespec to_timespec(Instant duration) {
  return {.tv_sec = duration / second, .tv_nsec = duration % second};
}

std::uint32_t generation() {
  return process->generation.load();
}

Woken rest(const Wait& wait, std::uint32_t seen, Restarts restarts) {
  bool rests = false;
  {
    const EntryLock guard(*process);
    if (process->generation.load() != seen) return Woken::by_notice;
    if (now() >= wait.until) return Woken::by_time;
    rests = put_down(wait);
  }
  if (rests) tell_of_rest();
  return sleep_until_woken(restarts);
}

Woken rest_after(const Wait& wait, void (*let_go)(void*), void* argument) {
  bool is_over = false;
  bool rests = false;
  {
    const EntryLock guard(*process);
    is_over = now() >= wait.until;
    rests = !is_over && put_down(wait);
  }
  let_go(argument);
  if (rests) tell_of_rest();
  return is_over ? Woken::by_time : sleep_until_woken(Restarts::yes);
}

bool stop_waiting() {
  return process != nullptr && self != nullptr && set_going(*process, *self, /*by_time=*/false);
}

void note_interruption(Restarts restarts) {
  interrupted = restarts;
}

void note_activity() {
  if (is_participant()) page->activity.fetch_add(1);
}

void note_unsettled() {
  if (is_participant()) page->unsettled.fetch_add(1);
}

void note_output() {
  // The output of the first participant goes to people, who read it when they like.
  if (!is_participant() || process == page->processes.data()) return;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    int unread = 0;
    const auto failed = raw_syscall(SYS_ioctl, descriptor, FIONREAD, address_of(&unread));
    if (failed == 0 && unread > 0) note_activity();
  }
}

void notify_object(std::uint64_t object, std::size_t most) {
  notify(
      *process,
      [object](const ThreadEntry& thread) {
        return thread.waits_for == WaitsFor::object && thread.object == object;
      },
      most);
}

void notify_descriptor(int descriptor) {
  notify(*process,
         [descriptor](const ThreadEntry& thread) { return waits_for(thread, descriptor); });
}

void notify_all_descriptors() {
  notify(*process,
         [](const ThreadEntry& thread) { return thread.waits_for == WaitsFor::descriptors; });
}

ThreadEntry* count_thread() {
  process->running.fetch_add(1);
  return take_entry();
}

void uncount_thread(ThreadEntry* entry) {
  if (entry != nullptr) entry->state.store(absent);
  if (stop_counting_self()) tell_of_rest();
}

void enter_thread(ThreadEntry* entry) {
  self = entry;
  if (self == nullptr) return;
  self->id.store(static_cast<std::int32_t>(raw_syscall(SYS_gettid)));
  {
    const EntryLock guard(*process);
    self->self = pthread_self();
  }
  notify(*process, waits_for_a_thread);
  pthread_setspecific(end_of_thread, self);
}

void rest_until_end_of(std::uint64_t thread) {
  note_output();
  const Wait wait{.what = WaitsFor::thread};
  const auto is_it = [thread](const ThreadEntry& other) {
    const bool may_be = other.self == thread || other.self == not_named_yet;
    return may_be && other.state.load() != absent;
  };
  for (;;) {
    bool rests = false;
    {
      const EntryLock guard(*process);
      if (std::none_of(process->threads.begin(), process->threads.end(), is_it)) return;
      rests = put_down(wait);
    }
    if (rests) tell_of_rest();
    (void)sleep_until_woken(Restarts::yes);
  }
}

void become_child(ProcessEntry& place) {
  place.id.store(static_cast<std::int32_t>(getpid()));
  place.has_entered.store(1);
  enter(place);
}

Page* kept_page() {
  return is_participant() ? page : nullptr;
}

void refuse(const char* what) {
  auto& said = process->refused;
  if (said[0] == '\0') std::strncpy(said.data(), what, said.size() - 1);
}

}  // namespace explore
