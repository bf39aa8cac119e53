// Keeps the calling thread, and all that it starts, on one CPU. Its processes take turns: to switch
// between them on one CPU takes a fifth of the time that it takes to wake up another CPU.
//
// Thread-safety: to be destroyed by the thread that made it.
#pragma once

#include <sched.h>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace explore {

class OneCpu {
 public:
  // On the CPU that the thread is on; or on the one of that number, counted from 0 and around again
  // among those for this process.
  explicit OneCpu(std::optional<int> number = {});
  // The thread may run where it could before.
  ~OneCpu();
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;

  // A step has taken that long here. True if another CPU is worth a try: this one is busy with
  // other work.
  [[nodiscard]] bool is_better_elsewhere(std::chrono::nanoseconds step);
  // Moves to the next CPU with these processes.
  void move_on(const std::vector<pid_t>& processes);

  // How many there are for this process.
  [[nodiscard]] static int count();

 private:
  // The CPU so many after `cpu`, of those for this process.
  [[nodiscard]] int cpu_after(int cpu, int steps) const;

  struct Experience {
    std::chrono::nanoseconds step{0};  // on the average
    std::chrono::steady_clock::time_point last;
  };

  cpu_set_t before_;
  int cpu_ = -1;
  std::map<int, Experience> experience_;  // by CPU
};

}  // namespace explore
