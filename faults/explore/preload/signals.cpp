// Signals: the keeper is notified of each that a participant sends. And waits for signals.

#include <csignal>

#include "faults/explore/preload/activity.h"
#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/waits.h"

namespace explore {
namespace {

// Waits for a signal of `set`: its number, or -1 and `errno`. A thread looks for a signal as for a
// descriptor: its sender notes activity.
int await_signal(const sigset_t* set, siginfo_t* about, Instant until) {
  constexpr long size_of_set = 8;
  const timespec none{};
  const auto look = [&] {
    const auto found = raw_syscall(SYS_rt_sigtimedwait, address_of(set), address_of(about),
                                   address_of(&none), size_of_set);
    return found == -EAGAIN ? 0 : returned(found);
  };
  const int found = rest_until_found({.what = WaitsFor::descriptors, .until = until}, look);
  return found == 0 ? returned(-EAGAIN) : found;
}

// Sends a signal; the keeper then asks the kernel which thread has got it.
template <typename Send>
int send_noted(int number, Send send) {
  if (number != 0) note_unsettled();
  const int result = send();
  if (number != 0) note_activity();
  return result;
}

}  // namespace
}  // namespace explore

extern "C" {

int kill(pid_t process, int number) noexcept {
  return explore::send_noted(
      number, [&] { return explore::returned(explore::raw_syscall(SYS_kill, process, number)); });
}

int killpg(pid_t group, int number) noexcept {
  return kill(-group, number);
}

int tgkill(pid_t process, pid_t thread, int number) {
  return explore::send_noted(number, [&] {
    return explore::returned(explore::raw_syscall(SYS_tgkill, process, thread, number));
  });
}

int pthread_kill(pthread_t thread, int number) noexcept {
  static const auto function = explore::next_function<decltype(&pthread_kill)>("pthread_kill");
  return explore::send_noted(number, [&] { return function(thread, number); });
}

int sigqueue(pid_t process, int number, const sigval value) noexcept {
  static const auto function = explore::next_function<decltype(&sigqueue)>("sigqueue");
  return explore::send_noted(number, [&] { return function(process, number, value); });
}

int pidfd_send_signal(int process, int number, siginfo_t* about, unsigned flags) noexcept {
  return explore::send_noted(number, [&] {
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
