// Waits for several descriptors at once.
//
// A client's thread looks, puts down what it waits for, and rests until the explorer or another
// thread of its process has done something that may have ended the wait. A server's thread waits in
// the kernel, since anybody may speak to it, and looks at the time when it gets a signal.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <array>
#include <csignal>

#include "faults/explore/preload/look.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"

namespace {

using explore::Instant;
using explore::no_limit;

constexpr Instant millisecond = 1'000'000;

Instant after_ms(int ms) {
  return ms < 0 ? no_limit : explore::after(ms * millisecond);
}

// Calls `wait_in_kernel` with the signals that are blocked meanwhile, until it finds something, is
// interrupted by another signal than ours, or the time has come.
template <typename WaitInKernel>
int serve_until(Instant until, const sigset_t* blocked, WaitInKernel wait_in_kernel) {
  sigset_t mask;
  if (blocked != nullptr) {
    mask = *blocked;
  } else {
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  }
  sigdelset(&mask, explore::look_at_time_signal);
  auto& process = explore::this_process();
  auto& entry = process.threads[0];
  for (;;) {
    entry.until.store(until);
    const timespec none{};
    const bool over = explore::now() >= until;
    // This round has written all that it had to say: the explorer may wait for that.
    process.running.store(0);
    explore::futex_wake(process.running);
    const auto found = wait_in_kernel(over ? &none : nullptr, &mask);
    process.running.store(1);
    entry.until.store(no_limit);
    if (found != -EINTR || explore::now() >= until) {
      return found == -EINTR ? 0 : explore::returned(found);
    }
    if (until == no_limit) return explore::returned(found);
  }
}

constexpr long size_of_mask = 8;

int poll_until(pollfd* descriptors, nfds_t count, Instant until, const sigset_t* blocked) {
  const auto ask = [&](const timespec* limit, const sigset_t* mask) {
    return explore::raw_syscall(SYS_ppoll, explore::address_of(descriptors),
                                static_cast<long>(count), explore::address_of(limit),
                                explore::address_of(mask), size_of_mask);
  };
  const timespec none{};
  if (explore::counts_waits()) {
    std::array<int, explore::ThreadEntry::most_descriptors> numbers{};
    const bool fits = count <= numbers.size();
    for (nfds_t i = 0; fits && i < count; ++i) numbers[i] = descriptors[i].fd;
    return explore::look_until(
        {.what = explore::WaitsFor::descriptors,
         .until = until,
         .descriptor_count = fits ? static_cast<int>(count) : explore::ThreadEntry::any_descriptor,
         .descriptors = numbers.data()},
        [&] { return explore::returned(ask(&none, blocked)); });
  }
  if (explore::is_server()) return serve_until(until, blocked, ask);
  const auto left = explore::to_timespec(until == no_limit ? 0 : until - explore::now());
  return explore::returned(ask(until == no_limit ? nullptr : &left, blocked));
}

// Lets the handlers run of those signals that came and are not in `blocked`: -1 and EINTR if any.
int hear_signals(const sigset_t& blocked) {
  const timespec none{};
  return explore::returned(explore::raw_syscall(SYS_ppoll, 0, 0, explore::address_of(&none),
                                                explore::address_of(&blocked), size_of_mask));
}

int epoll_until(int epoll, epoll_event* events, int most, Instant until, const sigset_t* blocked) {
  const auto ask = [&](const timespec* limit, const sigset_t* mask) {
    return explore::raw_syscall(SYS_epoll_pwait, epoll, explore::address_of(events), most,
                                limit == nullptr ? -1 : 0, explore::address_of(mask), size_of_mask);
  };
  const timespec none{};
  if (explore::counts_waits()) {
    return explore::look_until({.what = explore::WaitsFor::descriptors, .until = until}, [&] {
      // epoll_pwait(2) hears no signal if it is not to wait.
      const int heard = blocked == nullptr ? 0 : hear_signals(*blocked);
      return heard < 0 ? heard : explore::returned(ask(&none, nullptr));
    });
  }
  if (explore::is_server()) return serve_until(until, blocked, ask);
  const auto left = until == no_limit ? -1 : (until - explore::now()) / millisecond;
  return explore::returned(explore::raw_syscall(SYS_epoll_pwait, epoll, explore::address_of(events),
                                                most, left, explore::address_of(blocked),
                                                size_of_mask));
}

// The sets of select(2): what is asked, and copies for each look.
struct Sets {
  std::array<fd_set*, 3> asked;
  std::array<fd_set, 3> found;

  [[nodiscard]] long look(int count, const timespec* limit, const sigset_t* mask) {
    std::array<long, 3> copies{};
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i] == nullptr) continue;
      found[i] = *asked[i];
      copies[i] = explore::address_of(&found[i]);
    }
    const std::array<long, 2> blocked{explore::address_of(mask), size_of_mask};
    return explore::raw_syscall(SYS_pselect6, count, copies[0], copies[1], copies[2],
                                explore::address_of(limit),
                                mask == nullptr ? 0 : explore::address_of(blocked.data()));
  }
  void hand_over() const {
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i] != nullptr) *asked[i] = found[i];
    }
  }
};

int select_until(int count, Sets sets, Instant until, const sigset_t* blocked) {
  int result = 0;
  timespec limit{};
  if (explore::counts_waits()) {
    result = explore::look_until({.what = explore::WaitsFor::descriptors, .until = until}, [&] {
      limit = {};
      return explore::returned(sets.look(count, &limit, blocked));
    });
  } else if (explore::is_server()) {
    result = serve_until(until, blocked, [&](const timespec* time, const sigset_t* mask) {
      return sets.look(count, time, mask);
    });
  } else {
    if (until != no_limit) limit = explore::to_timespec(until - explore::now());
    result = explore::returned(sets.look(count, until == no_limit ? nullptr : &limit, blocked));
  }
  if (result >= 0) sets.hand_over();
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

// A thread that waits already may find what it is to look for from now on.
int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  const auto result =
      explore::raw_syscall(SYS_epoll_ctl, epoll, operation, descriptor, explore::address_of(event));
  if (explore::is_participant()) explore::notify_all_descriptors();
  return explore::returned(result);
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
