#include "faults/kit/stall_detector.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <numeric>
#include <thread>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using testing::IsEmpty;

class StallDetectorTest : public KitTest {};

// The milliseconds that `record` says the machine stood still.
std::vector<int> stalls(const Record& record) {
  std::vector<int> found;
  for (const auto& event : record) {
    if (event.kind == Kind::stood_still) found.push_back(event.data.value("for_ms", 0));
  }
  return found;
}

TEST_F(StallDetectorTest, IsSilentWhileTheMachineKeepsUp) {
  {
    StallDetector detector(history, milliseconds(60'000));
    detector.start();
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_THAT(stalls(history.record()), IsEmpty());
}

TEST_F(StallDetectorTest, TicksWhileTheMachineGoesOn) {
  StallDetector detector(history, milliseconds(60'000));
  detector.start();
  EXPECT_TRUE(eventually([&] { return detector.has_ticked(); }));
  EXPECT_TRUE(eventually([&] { return detector.has_ticked(); }));
}

TEST_F(StallDetectorTest, NoticesThatItStoodStill) {
  Process runner({.program = LAB_RUNNER_FIXTURE,
                  .arguments = {"runner", "stalls"},
                  .environment = {},
                  .log = directory.path() / "runner.log"},
                 reaper);
  const auto line = line_from(runner);
  const std::filesystem::path written(line.substr(0, line.size() - 1));
  EXPECT_TRUE(eventually([&] {  // it may not have started at the first attempt
    runner.freeze();
    std::this_thread::sleep_for(milliseconds(200));
    runner.thaw();
    const auto found = stalls(read_record(written));
    return !found.empty() && found.back() > 150;
  }));
}

// A process that never sleeps, and wants that CPU.
Command busy_on(int cpu, const std::filesystem::path& directory) {
  const std::string spin = "while :; do :; done";
  return {.program = "/bin/sh",
          .arguments = {"sh", "-c", fmt::format("taskset -pc {} $$ >/dev/null; {}", cpu, spin)},
          .environment = {},
          .log = directory / "busy.log"};
}

// Two processes that never sleep, on a CPU for one.
TEST_F(StallDetectorTest, NoticesAProcessWithoutACpu) {
  if (!counts_cpu_waits()) GTEST_SKIP() << no_cpu_waits;
  StallDetector detector(history, milliseconds(20));
  detector.start();
  const auto busy = busy_on(sched_getcpu(), directory.path());
  Process one(busy, reaper);
  Process other(busy, reaper);
  detector.watch(one.id());
  EXPECT_TRUE(eventually([&] { return !stalls(history.record()).empty(); }));
  CpuWaits waits(one.id());
  auto waited = waits.longest_since();
  EXPECT_TRUE(eventually([&] { return (waited += waits.longest_since()) > milliseconds(20); }));
  one.kill();
  EXPECT_EQ(waits.longest_since(), milliseconds(0));
}

// Beside a process that never sleeps, on a CPU for one: it waits half of the time. A
// detector that does not look there notices only when it wakes up too late itself: rarely.
TEST_F(StallDetectorTest, NoticesAThreadWithoutACpu) {
  if (!counts_cpu_waits()) GTEST_SKIP() << no_cpu_waits;
  const int cpu = sched_getcpu();
  const Process busy(busy_on(cpu, directory.path()), reaper);
  History of_the_other(directory.path() / "other.jsonl");
  StallDetector detector(history, milliseconds(20));
  detector.start();
  StallDetector other(of_the_other, milliseconds(20));
  other.start();
  const std::jthread teller([&](const std::stop_token& stop) {
    cpu_set_t that_one;
    CPU_ZERO(&that_one);
    CPU_SET(cpu, &that_one);
    sched_setaffinity(0, sizeof that_one, &that_one);
    detector.watch_this_thread();
    while (!stop.stop_requested()) {
    }
  });
  const auto time_lost = [](const History& noticed) {
    const auto found = stalls(noticed.record());
    return std::accumulate(found.begin(), found.end(), 0);
  };
  EXPECT_TRUE(eventually([&] { return time_lost(history) > time_lost(of_the_other) + 500; }));
}

}  // namespace
}  // namespace faults
