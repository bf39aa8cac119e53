#include "faults/kit/stall_detector.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace faults {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds step{5};
// The processes are looked at after so many steps: over that time the waits of a thread are added
// up.
constexpr int steps_of_a_look = 20;
// A thread that may go to another CPU waits that long for one only if that CPU stalls.
constexpr milliseconds cpu_stands_still{500};

// The CPUs that the calling thread may run on, one after another. It is moved there, and may go
// where it wants to after that.
class Round {
 public:
  Round() {
    sched_getaffinity(0, sizeof all_, &all_);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &all_)) cpus_.push_back(cpu);
    }
  }

  // How long it takes until the calling thread runs on the next one.
  [[nodiscard]] milliseconds visit_next() {
    if (cpus_.empty()) return milliseconds(0);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpus_[next_++ % cpus_.size()], &only);
    const auto left = steady_clock::now();
    if (sched_setaffinity(0, sizeof only, &only) != 0) return milliseconds(0);
    const auto there = steady_clock::now();
    sched_setaffinity(0, sizeof all_, &all_);
    return std::chrono::duration_cast<milliseconds>(there - left);
  }

 private:
  cpu_set_t all_{};
  std::vector<std::size_t> cpus_;
  std::size_t next_ = 0;
};

}  // namespace

void StallDetector::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void StallDetector::stop() {
  thread_ = {};
}

void StallDetector::watch(pid_t process) {
  watch(process, CpuWaits(process));
}

void StallDetector::watch_this_thread() {
  watch(gettid(), CpuWaits::of_this_thread());
}

void StallDetector::watch(pid_t number, CpuWaits waits) {
  if (looks_ == Looks::at_time) return;
  const std::lock_guard guard(mutex_);
  watched_.insert_or_assign(number, std::move(waits));
}

void StallDetector::run(const std::stop_token& stop) {
  Round round;
  for (int steps = 1; !stop.stop_requested(); ++steps) {
    const auto due = steady_clock::now() + step;
    std::this_thread::sleep_until(due);
    ticked_ = true;
    note(std::chrono::duration_cast<milliseconds>(steady_clock::now() - due));
    if (looks_ == Looks::at_time || steps % steps_of_a_look != 0) continue;
    look();
    if (const auto took = round.visit_next(); took > cpu_stands_still) note(took);
  }
  look();
}

void StallDetector::look() {
  note(longest_wait());
}

void StallDetector::note(milliseconds worst) {
  if (worst > tolerable_) history_.add("", Kind::stood_still, {{"for_ms", worst.count()}});
}

milliseconds StallDetector::longest_wait() {
  nanoseconds longest{0};
  const std::lock_guard guard(mutex_);
  for (auto& [number, waits] : watched_) longest = std::max(longest, waits.longest_since());
  std::erase_if(watched_, [](const auto& each) { return !each.second.found_any(); });
  return std::chrono::duration_cast<milliseconds>(longest);
}

}  // namespace faults
