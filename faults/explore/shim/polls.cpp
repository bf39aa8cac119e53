// Waits for several descriptors at once. Signals are blocked meanwhile, whatever a call asks.
#include <poll.h>

#include "faults/explore/preload/select_sets.h"
#include "faults/explore/shim/call_families.h"
#include "faults/explore/shim/shim_process.h"

namespace explore::shim {
namespace {

Wait wait_until(Instant until) {
  return {.what = WaitsFor::descriptors, .until = until};
}

long poll_until(const Call& call, Instant until) {
  constexpr long size_of_mask = 8;
  const timespec none{};
  return rest_until_found(wait_until(until), [&] {
    return raw_syscall(SYS_ppoll, call.arguments[0], call.arguments[1], address_of(&none), 0,
                       size_of_mask);
  });
}

long epoll_until(const Call& call, Instant until) {
  return rest_until_found(wait_until(until), [&] {
    const auto& [epoll, events, most, time, mask, size] = call.arguments;
    return raw_syscall(SYS_epoll_pwait, epoll, events, most, 0, 0, size);
  });
}

long select_until(const Call& call, Instant until) {
  const auto set = [&](std::size_t at) { return reinterpret_cast<fd_set*>(call.arguments.at(at)); };
  SelectSets sets{.asked = {set(1), set(2), set(3)}, .found = {}};
  const timespec none{};
  const auto result = rest_until_found(wait_until(until), [&] {
    return sets.look(static_cast<int>(call.arguments[0]), &none, nullptr);
  });
  if (result >= 0) sets.tell();
  return result;
}

Instant after_time(long time) {
  return after(reinterpret_cast<const timespec*>(time));
}

Instant after_microseconds(long time) {
  if (time == 0) return no_limit;
  const auto& given = *reinterpret_cast<const timeval*>(time);
  return after(given.tv_sec * second + Instant{given.tv_usec} * 1'000);
}

}  // namespace

std::optional<long> poll_descriptors(const Call& call) {
  const auto& given = call.arguments;
  switch (call.number) {
    case SYS_poll: return poll_until(call, after_ms(static_cast<int>(given[2])));
    case SYS_ppoll: return poll_until(call, after_time(given[2]));
    case SYS_epoll_wait:
    case SYS_epoll_pwait: return epoll_until(call, after_ms(static_cast<int>(given[3])));
    case SYS_epoll_pwait2: return epoll_until(call, after_time(given[3]));
    case SYS_select: return select_until(call, after_microseconds(given[4]));
    case SYS_pselect6: return select_until(call, after_time(given[4]));
    default: return {};
  }
}

}  // namespace explore::shim
