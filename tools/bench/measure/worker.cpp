// One client of the contended benchmark, a process of its own.
//
// Reads its plan, one line of JSON; writes "ready"; reads when to begin and when to end
// (CLOCK_MONOTONIC, ns); writes all its acquisitions, one line of JSON, or {"error": ...}.
#include <sys/prctl.h>

#include <iostream>
#include <string>
#include <thread>

#include "tools/bench/measure/contention.h"
#include "tools/bench/measure/wrong_result.h"

namespace {

using bench::Nanoseconds;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

Clock::time_point at(Nanoseconds time) {
  return Clock::time_point(std::chrono::duration_cast<Clock::duration>(time));
}

Nanoseconds now() {
  return Clock::now().time_since_epoch();
}

// Holds the lock until `end` and not longer: a sleep ends late, by as much as a hand-over takes, so
// the last part is spent awake.
void hold_until(Nanoseconds end) {
  constexpr microseconds awake{150};
  if (end - now() > awake) std::this_thread::sleep_until(at(end - awake));
  while (now() < end) {
  }
}

bench::Acquisition acquire_once(bench::MeasuredLock& measured, Nanoseconds held) {
  // Longer than any of them can have to wait, unless nobody wakes it.
  constexpr std::chrono::seconds patience{10};
  bench::Acquisition acquisition;
  acquisition.asked = now();
  if (measured.lock->acquire(measured.waiting.at_most(patience)) != core::Acquire::acquired) {
    throw bench::WrongResult("a client waited for 10 s and did not get the lock");
  }
  acquisition.acquired = now();
  if (held > Nanoseconds(0)) hold_until(acquisition.acquired + held);
  acquisition.releasing = now();
  if (measured.lock->release() != core::Release::released) {
    throw bench::WrongResult("a lock that was held was not released");
  }
  acquisition.released = now();
  return acquisition;
}

bench::Acquisitions acquire_repeatedly() {
  std::string line;
  std::getline(std::cin, line);
  const auto plan = bench::worker_plan(nlohmann::json::parse(line));
  const auto fixture = bench::make_fixture(plan.fixture);
  auto measured = fixture->make("lock");
  (void)acquire_once(measured, Nanoseconds(0));  // the scripts are there now
  std::cout << "ready" << std::endl;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  if (!(std::cin >> begin >> end)) return {};  // the benchmark is gone
  bench::Acquisitions acquisitions;
  acquisitions.reserve(100'000);
  std::this_thread::sleep_until(at(Nanoseconds(begin)));
  while (now() < Nanoseconds(end)) {
    acquisitions.push_back(acquire_once(measured, plan.held));
    if (plan.pause > Nanoseconds(0)) std::this_thread::sleep_for(plan.pause);
  }
  return acquisitions;
}

}  // namespace

int main() {
  prctl(PR_SET_TIMERSLACK, 1UL);  // of 1 ns: a pause of 5 ms is one of 5 ms
  try {
    std::cout << to_json(acquire_repeatedly()).dump() << std::endl;
    return 0;
  } catch (const std::exception& error) {
    std::cout << nlohmann::json{{"error", error.what()}}.dump() << std::endl;
    return 1;
  }
}
