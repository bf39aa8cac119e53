#include "faults/parts/pulse.h"

#include <algorithm>
#include <utility>

namespace faults {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds step{5};
// The processes are looked at after so many steps: over that time the waits of one are added up.
constexpr int steps_of_a_look = 20;

}  // namespace

Pulse::Pulse(History& history, milliseconds tolerable)
    : history_(history),
      tolerable_(tolerable),
      thread_([this](const std::stop_token& stop) { beat(stop); }) {}

void Pulse::watch(pid_t process) {
  CpuWaits waits(process);
  const auto before = waits.so_far();
  const std::lock_guard guard(mutex_);
  watched_.insert_or_assign(process, Watched{.waits = std::move(waits), .before = before});
}

void Pulse::beat(const std::stop_token& stop) {
  for (int steps = 1; !stop.stop_requested(); ++steps) {
    const auto due = steady_clock::now() + step;
    std::this_thread::sleep_until(due);
    tell(std::chrono::duration_cast<milliseconds>(steady_clock::now() - due));
    if (steps % steps_of_a_look == 0) look();
  }
  look();
}

void Pulse::look() {
  tell(longest_wait());
}

void Pulse::tell(milliseconds worst) {
  if (worst > tolerable_) history_.add("", Kind::stood_still, {{"for_ms", worst.count()}});
}

milliseconds Pulse::longest_wait() {
  nanoseconds longest{0};
  const std::lock_guard guard(mutex_);
  for (auto& [process, watched] : watched_) {
    const auto now = watched.waits.so_far();
    longest = std::max(longest, now - std::exchange(watched.before, now));
  }
  return std::chrono::duration_cast<milliseconds>(longest);
}

}  // namespace faults
