#include "faults/parts/pulse.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

namespace faults {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;
namespace fs = std::filesystem;

namespace {

constexpr milliseconds step{5};
// The processes are looked at after so many steps: over that time the waits of one are added up.
constexpr int steps_of_a_look = 20;

nanoseconds waited_according_to(const fs::path& schedstat) {
  std::ifstream file(schedstat);
  long long ran = 0;
  long long ready = 0;
  return nanoseconds(file >> ran >> ready ? ready : 0);
}

}  // namespace

nanoseconds waited_for_a_cpu(pid_t process, Threads threads) {
  const fs::path directory = fmt::format("/proc/{}", process);
  if (threads == Threads::main) return waited_according_to(directory / "schedstat");
  nanoseconds waited{0};
  std::error_code gone;
  for (const auto& task : fs::directory_iterator(directory / "task", gone)) {
    waited += waited_according_to(task.path() / "schedstat");
  }
  return waited;
}

Pulse::Pulse(History& history, milliseconds tolerable)
    : history_(history),
      tolerable_(tolerable),
      thread_([this](const std::stop_token& stop) { beat(stop); }) {}

void Pulse::watch(pid_t process, Threads threads) {
  const auto waited = waited_for_a_cpu(process, threads);
  const std::lock_guard guard(mutex_);
  watched_[process] = {.threads = threads, .waited = waited};
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
    const auto now = waited_for_a_cpu(process, watched.threads);
    longest = std::max(longest, now - std::exchange(watched.waited, now));
  }
  return std::chrono::duration_cast<milliseconds>(longest);
}

}  // namespace faults
