#include "tools/bench/measure/cpu_pinning.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "faults/kit/errors.h"

namespace bench {
namespace {

void pin(pid_t process, const cpu_set_t& to) {
  if (sched_setaffinity(process, sizeof to, &to) == 0) return;
  throw faults::CannotRun(std::string("cannot pin a process to a CPU: ") + std::strerror(errno));
}

// The last CPU of those: the system's own work is most often on the first.
cpu_set_t one_of(const cpu_set_t& allowed) {
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) last = cpu;
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  return one;
}

}  // namespace

CpuPinning::CpuPinning() {
  sched_getaffinity(0, sizeof before_, &before_);
  one_ = one_of(before_);
  pin(0, one_);
}

CpuPinning::CpuPinning(pid_t server) : CpuPinning() {
  pin(server, one_);
}

CpuPinning::~CpuPinning() {
  sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace bench
