#include "faults/explore/virtual_time/system_call.h"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <fstream>

namespace explore {
namespace {

enum class Limit {
  always,
  if_there,      // the argument is the address of a time, or 0
  if_not_below,  // the argument is a number of milliseconds, or -1
};

struct Limited {
  long number;
  const char* name;
  Limit limit;
  std::size_t argument;
};

constexpr std::array limited{
    Limited{SYS_nanosleep, "nanosleep", Limit::always, 0},
    Limited{SYS_clock_nanosleep, "clock_nanosleep", Limit::always, 0},
    Limited{SYS_restart_syscall, "restart_syscall", Limit::always, 0},
    Limited{SYS_futex, "futex", Limit::if_there, 3},
    Limited{SYS_ppoll, "ppoll", Limit::if_there, 2},
    Limited{SYS_pselect6, "pselect6", Limit::if_there, 4},
    Limited{SYS_epoll_pwait, "epoll_pwait", Limit::if_not_below, 3},
    Limited{SYS_epoll_pwait2, "epoll_pwait2", Limit::if_there, 3},
    Limited{SYS_rt_sigtimedwait, "rt_sigtimedwait", Limit::if_there, 2},
    Limited{SYS_recvmmsg, "recvmmsg", Limit::if_there, 4},
    Limited{SYS_semtimedop, "semtimedop", Limit::if_there, 3},
    Limited{SYS_mq_timedreceive, "mq_timedreceive", Limit::if_there, 4},
    Limited{SYS_io_getevents, "io_getevents", Limit::if_there, 4},
};

// Calls that only older machines have.
#if defined(__x86_64__)
constexpr std::array older{
    Limited{SYS_poll, "poll", Limit::if_not_below, 2},
    Limited{SYS_select, "select", Limit::if_there, 4},
    Limited{SYS_epoll_wait, "epoll_wait", Limit::if_not_below, 3},
};
#else
constexpr std::array<Limited, 0> older{};
#endif

const Limited* find_in(const Limited* begin, const Limited* end, long number) {
  const auto* found =
      std::find_if(begin, end, [&](const Limited& one) { return one.number == number; });
  return found == end ? nullptr : found;
}

const Limited* find(const SystemCall& call) {
  const auto* found = find_in(limited.data(), limited.data() + limited.size(), call.number);
  if (found != nullptr) return found;
  return find_in(older.data(), older.data() + older.size(), call.number);
}

}  // namespace

// "running", or the number and the arguments; the number is -1 outside of a call.
std::optional<SystemCall> call_of(pid_t process, pid_t thread) {
  std::ifstream file(fmt::format("/proc/{}/task/{}/syscall", process, thread));
  SystemCall call;
  if (!(file >> call.number) || call.number < 0) return std::nullopt;
  file.setf(std::ios::hex, std::ios::basefield);
  for (auto& argument : call.arguments) file >> argument;
  if (!file) return std::nullopt;
  return call;
}

bool has_limit(const SystemCall& call) {
  const auto* known = find(call);
  if (known == nullptr) return false;
  const auto argument = call.arguments.at(known->argument);
  switch (known->limit) {
    case Limit::always: return true;
    case Limit::if_there: return argument != 0;
    case Limit::if_not_below: return static_cast<int>(argument) >= 0;
  }
  return true;
}

std::string name_of(const SystemCall& call) {
  const auto* known = find(call);
  return known == nullptr ? fmt::format("system call {}", call.number) : known->name;
}

}  // namespace explore
