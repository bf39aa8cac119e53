// Signals: the keeper hears of each that a participant sends; and waits for signals.
#include <dlfcn.h>

#include <csignal>

#include "faults/explore/preload/look.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"

namespace explore {
namespace {

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

// Sends a signal; the keeper then asks the kernel who has heard it.
template <typename Send>
int tell_of_signal(int number, Send send) {
  if (number != 0) note_unsettled();
  const int result = send();
  if (number != 0) note_activity();
  return result;
}

}  // namespace
}  // namespace explore

extern "C" {

int kill(pid_t process, int number) noexcept {
  return explore::tell_of_signal(
      number, [&] { return explore::returned(explore::raw_syscall(SYS_kill, process, number)); });
}

int killpg(pid_t group, int number) noexcept {
  return kill(-group, number);
}

int tgkill(pid_t process, pid_t thread, int number) {
  return explore::tell_of_signal(number, [&] {
    return explore::returned(explore::raw_syscall(SYS_tgkill, process, thread, number));
  });
}

int pthread_kill(pthread_t thread, int number) noexcept {
  using Function = int (*)(pthread_t, int);
  static const auto function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_kill"));
  return explore::tell_of_signal(number, [&] { return function(thread, number); });
}

int sigqueue(pid_t process, int number, const sigval value) noexcept {
  using Function = int (*)(pid_t, int, sigval);
  static const auto function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "sigqueue"));
  return explore::tell_of_signal(number, [&] { return function(process, number, value); });
}

int pidfd_send_signal(int process, int number, siginfo_t* about, unsigned flags) noexcept {
  return explore::tell_of_signal(number, [&] {
    return explore::returned(explore::raw_syscall(SYS_pidfd_send_signal, process, number,
                                                  explore::address_of(about), flags));
  });
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
