#include "faults/explore/virtual_time/virtual_process.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "core/deadline.h"
#include "faults/explore/preload/process_entry.h"
#include "faults/explore/shim/program_file.h"
#include "faults/explore/virtual_time/proc.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using std::chrono::milliseconds;

// For how long a client may be busy: far longer than any client has something to compute.
constexpr milliseconds longest_unrest{60'000};

// For how long a process is busy before it is looked at: far longer than it takes to load a
// library.
constexpr milliseconds loads_within{1'000};

bool sleeps(pid_t process) {
  const auto threads = threads_of(process);
  return std::all_of(threads.begin(), threads.end(),
                     [](const Thread& thread) { return thread.state == 'S'; });
}

// True if a program has become one, as a script does, that virtual time would have had to start by
// the shim.
bool has_become_untrapped(pid_t process) {
  const auto program = read_program(fmt::format("/proc/{}/exe", process));
  return program && makes_own_calls(*program) && !is_shim(process);
}

bool is_due(const ThreadEntry& thread, Instant now) {
  return thread.until.load() <= now;
}

}  // namespace

VirtualProcess::VirtualProcess(VirtualTime& time, ProcessRole role)
    : time_(time), slot_(time.take_slot()) {
  auto& mine = entry();
  begin_program(mine);  // it runs until it says otherwise
  mine.lock.store(0);
  mine.generation.store(0);
  mine.role = role;
  mine.other_processes.store(0);
  mine.refused = {};
  mine.wall_offset.store(0);
  mine.monotonic_offset.store(0);
  mine.id.store(0);
}

VirtualProcess::~VirtualProcess() {
  time_.give_back(slot_);
}

void VirtualProcess::must_take_part(const std::string& name) const {
  const auto& mine = entry();
  if (mine.id.load() == 0) {
    throw faults::CannotRun(
        fmt::format("{} keeps real time: it is linked statically, or may not load a library that "
                    "is preloaded (LD_PRELOAD); the scenarios of ./lab run do with real time",
                    name));
  }
  // A child may not have said yet that it is there.
  if (mine.other_processes.load() != 0 || !children_of(mine.id.load()).empty()) {
    throw faults::CannotRun(fmt::format(
        "{} starts other processes, and virtual time follows one: name the program itself, not a "
        "script that starts it; the scenarios of ./lab run do with real time",
        name));
  }
  if (mine.refused[0] != '\0') {
    throw faults::CannotRun(
        fmt::format("{} waits in a way that virtual time does not know: {}; the scenarios of ./lab "
                    "run do with real time",
                    name, mine.refused.data()));
  }
}

void VirtualProcess::must_have_loaded(pid_t process, const std::string& name) const {
  const bool is_outside = entry().id.load() == 0 || !children_of(process).empty();
  if (is_outside && sleeps(process)) return must_take_part(name);
  if (!has_become_untrapped(process)) return;
  throw faults::CannotRun(fmt::format(
      "{} makes its system calls without the C library, as Go does, and another program "
      "has started it: name the program itself",
      name));
}

bool VirtualProcess::await_rest(faults::Process& process, const std::string& name) const {
  auto& running = entry().running;
  core::Deadline deadline(longest_unrest);
  core::Deadline loading(loads_within);
  for (;;) {
    const auto count = running.load();
    if (count == 0) return true;
    const timespec some{.tv_sec = 0, .tv_nsec = 50'000'000};
    if (futex_wait(running, count, &some) != -ETIMEDOUT) continue;
    if (!process.running()) return false;
    if (loading.is_over()) must_have_loaded(process.id(), name);
    if (!deadline.is_over()) continue;
    must_take_part(name);
    throw faults::ClientFailed(
        fmt::format("{} does not come to rest: for {} s {} of its threads ran, or waited in a way "
                    "that virtual time does not know",
                    name, longest_unrest / std::chrono::seconds(1), count));
  }
}

void VirtualProcess::await_end_of_round(const std::string& name) const {
  auto& running = entry().running;
  core::Deadline deadline(faults::standstill);
  while (running.load() != 0) {
    const timespec some{.tv_sec = 0, .tv_nsec = 50'000'000};
    (void)futex_wait(running, 1, &some);
    if (deadline.is_over()) throw faults::Stalled(name + " does not come to rest");
  }
}

std::optional<Duration> VirtualProcess::next_deadline() const {
  auto next = no_limit;
  const auto now = time_.now().count();
  for (const auto& thread : used_threads(entry())) {
    const auto until = thread.until.load();
    if (thread.state.load() == waiting && until > now && until < next) next = until;
  }
  return next == no_limit ? std::nullopt : std::optional(Duration(next));
}

std::map<std::size_t, Duration> VirtualProcess::deadlines_by_thread() const {
  std::map<std::size_t, Duration> all;
  const auto threads = used_threads(entry());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const auto until = threads[i].until.load();
    if (threads[i].state.load() == waiting && until != no_limit) all.emplace(i, until);
  }
  return all;
}

void VirtualProcess::notice(int descriptor) const {
  notify(entry(),
         [descriptor](const ThreadEntry& thread) { return waits_for(thread, descriptor); });
}

void VirtualProcess::notice_time() const {
  const auto now = time_.now().count();
  auto& mine = entry();
  if (mine.role == ProcessRole::client) {
    return notify(
        mine, [now](const ThreadEntry& thread) { return is_due(thread, now); },
        ProcessEntry::most_threads, /*by_time=*/true);
  }
  for (const auto& thread : used_threads(mine)) {
    if (thread.state.load() == absent || !is_due(thread, now)) continue;
    (void)syscall(SYS_tgkill, mine.id.load(), thread.id.load(), time_signal);
  }
}

void VirtualProcess::set_clock_ahead(Duration by) const {
  entry().wall_offset.store(by.count());
}

void VirtualProcess::start_clocks(Duration uptime) const {
  entry().wall_offset.store(-time_.now().count());
  entry().monotonic_offset.store((uptime - time_.now()).count());
}

bool VirtualProcess::wake_next_due() const {
  auto& mine = entry();
  const auto now = time_.now().count();
  const ThreadEntry* first = nullptr;
  for (const auto& thread : used_threads(mine)) {
    if (thread.state.load() != waiting || !is_due(thread, now)) continue;
    if (first == nullptr || thread.until.load() < first->until.load()) first = &thread;
  }
  if (first == nullptr) return false;
  notify(
      mine, [first](const ThreadEntry& thread) { return &thread == first; }, 1, /*by_time=*/true);
  return true;
}

void VirtualProcess::notice_all_descriptors() const {
  notify(entry(),
         [](const ThreadEntry& thread) { return thread.waits_for == WaitsFor::descriptors; });
}

}  // namespace explore
