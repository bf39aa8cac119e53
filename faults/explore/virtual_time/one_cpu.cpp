#include "faults/explore/virtual_time/one_cpu.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace explore {
namespace {

// Asks for short turns on the CPU, for this thread and all that it starts: they do little at a
// time, and each waits for another. (sched_setattr(2); a kernel before 6.12 does not know that.)
void ask_for_short_turns() {
  struct Attributes {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  };
  Attributes attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  attributes.size = sizeof attributes;
  attributes.runtime = 100'000;  // nanoseconds
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

// A step takes a tenth of a millisecond of a CPU. If it takes that long, the CPU does other work.
constexpr std::chrono::milliseconds longest_step{5};

// For how long a CPU is avoided after it was worse.
constexpr std::chrono::seconds memory{3};

void keep_on(int cpu, pid_t thread) {
  if (cpu < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(cpu), &one);
  (void)sched_setaffinity(thread, sizeof one, &one);
}

}  // namespace

OneCpu::OneCpu(std::optional<int> number) {
  ask_for_short_turns();
  CPU_ZERO(&before_);
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_ = number ? cpu_after(-1, 1 + *number % CPU_COUNT(&before_)) : sched_getcpu();
  keep_on(cpu_, 0);
}

bool OneCpu::is_better_elsewhere(std::chrono::nanoseconds step) {
  auto& here = experience_[cpu_];
  here.step += (step - here.step) / 64;
  if (step < longest_step || CPU_COUNT(&before_) < 2) return false;
  here.last = std::chrono::steady_clock::now();
  const auto& there = experience_[cpu_after(cpu_, 1)];
  return there.step < here.step || here.last - there.last > memory;
}

void OneCpu::move_on(const std::vector<pid_t>& processes) {
  cpu_ = cpu_after(cpu_, 1);
  experience_[cpu_] = {};
  keep_on(cpu_, 0);
  for (const auto process : processes) {
    std::error_code error;
    const std::filesystem::path threads = fmt::format("/proc/{}/task", process);
    for (const auto& thread : std::filesystem::directory_iterator(threads, error)) {
      keep_on(cpu_, std::stoi(thread.path().filename().native()));
    }
  }
}

int OneCpu::cpu_after(int cpu, int steps) const {
  while (steps > 0) {
    cpu = (cpu + 1) % CPU_SETSIZE;
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &before_)) --steps;
  }
  return cpu;
}

OneCpu::~OneCpu() {
  if (CPU_COUNT(&before_) > 0) (void)sched_setaffinity(0, sizeof before_, &before_);
}

int OneCpu::count() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return CPU_COUNT(&allowed);
}

}  // namespace explore
