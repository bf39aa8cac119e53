#include "explore/preload/signals.h"

#include <array>
#include <atomic>
#include <csignal>

#include "explore/preload/look.h"
#include "explore/preload/places.h"
#include "explore/preload/raw_syscall.h"
#include "explore/preload/this_process.h"

namespace explore {
namespace {

constexpr std::size_t most_descriptors = 4'096;
std::array<std::atomic<pid_t>, most_descriptors> processes;

bool is_known(long descriptor) {
  return descriptor >= 0 && static_cast<std::size_t>(descriptor) < processes.size();
}

void change_fate(std::atomic<Fate>& fate, int number) {
  auto before = fate.load();
  for (;;) {
    auto then = before;
    if (number == SIGKILL) then = Fate::dying;
    if (number == SIGSTOP && before == Fate::lives) then = Fate::stopping;
    if (number == SIGCONT && before != Fate::dying) then = Fate::lives;
    if (fate.compare_exchange_weak(before, then)) return;
  }
}

// Waits for a signal of `set`: its number, or -1 and `errno`. A signal is looked for as a
// descriptor is: its sender tells of it.
int await_signal(const sigset_t* set, siginfo_t* about, Instant until) {
  constexpr long size_of_set = 8;
  const timespec none{};
  const auto look = [&] {
    const auto found = raw_syscall(SYS_rt_sigtimedwait, address_of(set), address_of(about),
                                   address_of(&none), size_of_set);
    return found == -EAGAIN ? 0 : returned(found);
  };
  const int found = look_until({.what = WaitsFor::descriptors, .until = until}, look);
  return found == 0 ? returned(-EAGAIN) : found;
}

}  // namespace

void expect_signal(pid_t process, int number) {
  auto* page = kept_page();
  if (page == nullptr || number == 0) return;
  const auto id = process < 0 ? -process : process;
  for (auto& entry : page->processes) {
    if (entry.id.load() == id) change_fate(entry.fate, number);
  }
}

void remember_process(long descriptor, pid_t process) {
  if (is_known(descriptor)) processes[static_cast<std::size_t>(descriptor)].store(process);
}

pid_t process_behind(long descriptor) {
  return is_known(descriptor) ? processes[static_cast<std::size_t>(descriptor)].load() : 0;
}

}  // namespace explore

extern "C" {

int kill(pid_t process, int number) noexcept {
  explore::expect_signal(process, number);
  const auto sent = explore::raw_syscall(SYS_kill, process, number);
  explore::note_activity();
  return explore::returned(sent);
}

int sigtimedwait(const sigset_t* set, siginfo_t* about, const timespec* time) {
  if (explore::is_participant()) {
    const auto until =
        time == nullptr ? explore::no_limit : explore::after(explore::duration_of(*time));
    return explore::await_signal(set, about, until);
  }
  return explore::returned(explore::raw_syscall(SYS_rt_sigtimedwait, explore::address_of(set),
                                                explore::address_of(about),
                                                explore::address_of(time), 8));
}

int sigwaitinfo(const sigset_t* set, siginfo_t* about) {
  return sigtimedwait(set, about, nullptr);
}

int sigwait(const sigset_t* set, int* number) {
  const int found = sigtimedwait(set, nullptr, nullptr);
  if (found < 0) return errno;
  *number = found;
  return 0;
}

}  // extern "C"
