// Waits for several descriptors at once.
//
// A client's thread looks, writes down what it waits for, and rests until the explorer or another
// thread of its process has done something that may have ended the wait. A server's thread waits in
// the kernel, since any process may send it something, and looks at the time when it gets a signal.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <array>
#include <csignal>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/select_sets.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/waits.h"

namespace {

using explore::address_of;
using explore::Instant;
using explore::no_limit;
using explore::raw_syscall;
using explore::returned;

constexpr Instant millisecond = 1'000'000;

Instant after_ms(int ms) {
  return ms < 0 ? no_limit : explore::after(ms * millisecond);
}

// Calls `wait_in_kernel` with the signals that are blocked meanwhile, until it finds something, is
// interrupted by a signal other than ours, or the time has come.
template <typename WaitInKernel>
int serve_until(Instant until, const sigset_t* blocked, WaitInKernel wait_in_kernel) {
  sigset_t mask;
  if (blocked != nullptr) {
    mask = *blocked;
  } else {
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  }
  sigdelset(&mask, explore::time_signal);
  auto& process = explore::this_process();
  auto& entry = process.threads[0];
  for (;;) {
    entry.until.store(until);
    const timespec none{};
    const bool over = explore::now() >= until;
    // This round of the event loop has written all its replies: the explorer may wait for that.
    process.running.store(0);
    explore::futex_wake(process.running);
    const auto found = wait_in_kernel(over ? &none : nullptr, &mask);
    process.running.store(1);
    entry.until.store(no_limit);
    if (found != -EINTR || explore::now() >= until) {
      return found == -EINTR ? 0 : returned(found);
    }
    if (until == no_limit) return returned(found);
  }
}

// Waits until `ask` finds something or the wait's time has come, as this process waits. `ask` looks
// for at most so long (null: without a limit), with these signals blocked (null: as they are).
template <typename Ask>
int wait_until(const explore::Wait& wait, const sigset_t* blocked, Ask ask) {
  if (explore::counts_waits()) {
    const timespec none{};
    return explore::rest_until_found(wait, [&] { return returned(ask(&none, blocked)); });
  }
  if (explore::is_server()) return serve_until(wait.until, blocked, ask);
  const bool limited = wait.until != no_limit;
  const auto left = explore::to_timespec(limited ? wait.until - explore::now() : 0);
  return returned(ask(limited ? &left : nullptr, blocked));
}

constexpr long size_of_mask = 8;

int poll_until(pollfd* descriptors, nfds_t count, Instant until, const sigset_t* blocked) {
  std::array<int, explore::ThreadEntry::most_descriptors> numbers{};
  const bool fits = count <= numbers.size();
  for (nfds_t i = 0; fits && i < count; ++i) numbers[i] = descriptors[i].fd;
  const explore::Wait wait{
      .what = explore::WaitsFor::descriptors,
      .until = until,
      .descriptor_count = fits ? static_cast<int>(count) : explore::ThreadEntry::any_descriptor,
      .descriptors = numbers.data()};
  return wait_until(wait, blocked, [&](const timespec* limit, const sigset_t* mask) {
    return raw_syscall(SYS_ppoll, address_of(descriptors), static_cast<long>(count),
                       address_of(limit), address_of(mask), size_of_mask);
  });
}

// Runs the handlers of those signals that came and are not in `blocked`: -EINTR if any.
long handle_signals(const sigset_t& blocked) {
  const timespec none{};
  return raw_syscall(SYS_ppoll, 0, 0, address_of(&none), address_of(&blocked), size_of_mask);
}

int epoll_until(int epoll, epoll_event* events, int most, Instant until, const sigset_t* blocked) {
  const explore::Wait wait{.what = explore::WaitsFor::descriptors, .until = until};
  return wait_until(wait, blocked, [&](const timespec* limit, const sigset_t* mask) {
    // epoll_pwait(2) handles no signal if it is not to wait.
    const bool handles = explore::counts_waits() && mask != nullptr;
    if (const auto handled = handles ? handle_signals(*mask) : 0; handled < 0) return handled;
    const auto ms = limit == nullptr ? -1 : explore::duration_of(*limit) / millisecond;
    return raw_syscall(SYS_epoll_pwait, epoll, address_of(events), most, ms,
                       handles ? 0 : address_of(mask), size_of_mask);
  });
}

int select_until(int count, explore::SelectSets sets, Instant until, const sigset_t* blocked) {
  const explore::Wait wait{.what = explore::WaitsFor::descriptors, .until = until};
  const int result = wait_until(wait, blocked, [&](const timespec* limit, const sigset_t* mask) {
    return sets.look(count, limit, mask);
  });
  if (result >= 0) sets.tell();
  return result;
}

Instant after_time(const timespec* time) {
  return time == nullptr ? no_limit : explore::after(explore::duration_of(*time));
}

}  // namespace

extern "C" {

int poll(pollfd* descriptors, nfds_t count, int ms) {
  return poll_until(descriptors, count, after_ms(ms), nullptr);
}

int __poll_chk(pollfd* descriptors, nfds_t count, int ms, std::size_t /*size*/) {
  return poll_until(descriptors, count, after_ms(ms), nullptr);
}

int ppoll(pollfd* descriptors, nfds_t count, const timespec* time, const sigset_t* blocked) {
  return poll_until(descriptors, count, after_time(time), blocked);
}

int epoll_wait(int epoll, epoll_event* events, int most, int ms) {
  return epoll_until(epoll, events, most, after_ms(ms), nullptr);
}

int epoll_pwait(int epoll, epoll_event* events, int most, int ms, const sigset_t* blocked) {
  return epoll_until(epoll, events, most, after_ms(ms), blocked);
}

int epoll_pwait2(int epoll, epoll_event* events, int most, const timespec* time,
                 const sigset_t* blocked) {
  return epoll_until(epoll, events, most, after_time(time), blocked);
}

// A thread that already waits may find what it is to look for from now on.
int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  const auto result = raw_syscall(SYS_epoll_ctl, epoll, operation, descriptor, address_of(event));
  if (explore::counts_waits()) explore::notify_all_descriptors();
  return returned(result);
}

int select(int count, fd_set* to_read, fd_set* to_write, fd_set* exceptions, timeval* time) {
  const auto until =
      time == nullptr
          ? no_limit
          : explore::after(time->tv_sec * explore::second + Instant{time->tv_usec} * 1'000);
  return select_until(count, {.asked = {to_read, to_write, exceptions}, .found = {}}, until,
                      nullptr);
}

int pselect(int count, fd_set* to_read, fd_set* to_write, fd_set* exceptions, const timespec* time,
            const sigset_t* blocked) {
  return select_until(count, {.asked = {to_read, to_write, exceptions}, .found = {}},
                      after_time(time), blocked);
}

}  // extern "C"
