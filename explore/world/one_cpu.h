// Keeps the calling thread, and all that it starts, on one CPU. Its processes take turns: to hand
// the turn over on one CPU takes a fifth of the time that it takes to wake up another.
//
// Thread-safety: to be destroyed by the thread that made it.
#pragma once

#include <sched.h>

#include <vector>

namespace explore {

class OneCpu {
 public:
  // On the CPU that the thread is on, or on one of the others: `number` 0, 1 and so on are
  // different ones, as long as there are so many.
  explicit OneCpu(int number = 0);
  // The thread may run where it could before.
  ~OneCpu();
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;

  // Goes to the next CPU with these processes: somebody else may have much to do on this one.
  void move_on(const std::vector<pid_t>& processes);

  // How many there are for this process.
  [[nodiscard]] static int count();

 private:
  // The CPU that comes so many after `cpu`, of those for this process.
  [[nodiscard]] int behind(int cpu, int steps) const;

  cpu_set_t before_;
  int cpu_ = -1;
};

}  // namespace explore
