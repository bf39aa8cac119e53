// Many waiters in one process: its threads share one lock object, and each wants the lock again as
// soon as it has released it.
//
// Reads its plan, one line of JSON: a worker's (measure/contention.h), with "threads" and "polls".
// Writes "ready"; reads a line, and writes "begun" when all threads have begun to ask; then, for
// each line that it reads, how often they have had the lock so far, and how often a try failed.
// Ends with its input.
#include <sys/resource.h>

#include <atomic>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "tools/bench/measure/contention.h"

namespace {

struct Counts {
  std::atomic<int> begun = 0;
  std::atomic<long long> acquired = 0;
  std::atomic<long long> failed = 0;  // no answer in time, or no connection
};

// Asks again and again, and is told of nothing: any lock can be polled.
core::Acquire poll_for(core::Lock& lock, const std::stop_token& stop) {
  using std::chrono::milliseconds;
  core::Pauses pauses(core::Waiting::exponential(milliseconds(1), milliseconds(50)).jitter(0.5));
  for (;;) {
    const auto outcome = lock.try_acquire();
    if (outcome != core::Acquire::contended) return outcome;
    if (!core::pause_for(*pauses.next(), stop)) return outcome;
  }
}

void want(bench::MeasuredLock& measured, bool polls, Counts& counts, const std::stop_token& stop) {
  ++counts.begun;
  counts.begun.notify_one();
  while (!stop.stop_requested()) {
    try {
      const auto outcome =
          polls ? poll_for(*measured.lock, stop) : measured.lock->acquire(measured.waiting, stop);
      if (outcome == core::Acquire::unknown) ++counts.failed;
      if (outcome != core::Acquire::acquired) continue;
      ++counts.acquired;
      if (measured.lock->release() != core::Release::released) ++counts.failed;
    } catch (const core::ServerError&) {
      ++counts.failed;
      (void)core::pause_for(std::chrono::milliseconds(100), stop);
    }
  }
}

// A connection for each thread, if all ask at once.
void allow_many_connections() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void wait_in_threads() {
  std::string line;
  std::getline(std::cin, line);
  const auto orders = nlohmann::json::parse(line);
  const auto fixture = bench::make_fixture(bench::worker_plan(orders).fixture);
  auto measured = fixture->make("lock");
  Counts counts;
  std::vector<std::jthread> threads;
  const int count = orders.at("threads");
  const bool polls = orders.at("polls");
  std::cout << "ready" << std::endl;
  std::getline(std::cin, line);
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&](const std::stop_token& stop) { want(measured, polls, counts, stop); });
  }
  for (int begun = 0; begun < count; begun = counts.begun) counts.begun.wait(begun);
  std::cout << "begun" << std::endl;
  while (std::getline(std::cin, line)) {
    std::cout << counts.acquired << ' ' << counts.failed << std::endl;
  }
  for (auto& thread : threads) thread.request_stop();
}

}  // namespace

int main() {
  allow_many_connections();
  try {
    wait_in_threads();
    return 0;
  } catch (const std::exception& error) {
    std::cout << nlohmann::json{{"error", error.what()}}.dump() << std::endl;
    return 1;
  }
}
