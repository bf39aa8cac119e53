#include "faults/parts/pulse.h"

#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "faults/kit_test.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using testing::IsEmpty;

// The milliseconds that `record` says the machine stood still.
std::vector<int> stalls(const Record& record) {
  std::vector<int> found;
  for (const auto& event : record) {
    if (event.kind == Kind::stood_still) found.push_back(event.data.value("for_ms", 0));
  }
  return found;
}

TEST_F(KitTest, APulseSaysNothingWhileTheMachineKeepsUp) {
  {
    const Pulse pulse(history, milliseconds(60'000));
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_THAT(stalls(history.record()), IsEmpty());
}

TEST_F(KitTest, APulseNoticesThatItStoodStill) {
  Process runner({.program = LAB_RUNNER_FIXTURE,
                  .arguments = {"runner", "pulse"},
                  .environment = {},
                  .log = directory.path() / "runner.log"},
                 reaper);
  const auto line = line_from(runner);
  const std::filesystem::path written(line.substr(0, line.size() - 1));
  EXPECT_TRUE(eventually([&] {  // it may not have begun to beat at the first attempt
    runner.freeze();
    std::this_thread::sleep_for(milliseconds(200));
    runner.thaw();
    const auto found = stalls(read_record(written));
    return !found.empty() && found.back() > 150;
  }));
}

// Two processes that never sleep, on a CPU for one.
TEST_F(KitTest, APulseNoticesThatAProcessHadToWaitForACpu) {
  Pulse pulse(history, milliseconds(20));
  const Command busy{.program = "/bin/sh",
                     .arguments = {"sh", "-c", "taskset -p 1 $$ >/dev/null; while :; do :; done"},
                     .environment = {},
                     .log = directory.path() / "busy.log"};
  Process one(busy, reaper);
  Process other(busy, reaper);
  pulse.watch(one.id());
  EXPECT_TRUE(eventually([&] { return !stalls(history.record()).empty(); }));
  CpuWaits waits(one.id());
  EXPECT_TRUE(eventually([&] { return waits.so_far() > milliseconds(20); }));
  one.kill();
  EXPECT_EQ(waits.so_far(), milliseconds(0));
}

// Beside a process that never sleeps, on a CPU for one.
TEST_F(KitTest, APulseNoticesThatTheThreadThatTellsHadToWaitForACpu) {
  const Process busy({.program = "/bin/sh",
                      .arguments = {"sh", "-c", "taskset -p 1 $$ >/dev/null; while :; do :; done"},
                      .environment = {},
                      .log = directory.path() / "busy.log"},
                     reaper);
  Pulse pulse(history, milliseconds(20));
  std::jthread teller([&pulse](const std::stop_token& stop) {
    cpu_set_t one_cpu;
    CPU_ZERO(&one_cpu);
    CPU_SET(0, &one_cpu);
    sched_setaffinity(0, sizeof one_cpu, &one_cpu);
    pulse.watch_this_thread();
    while (!stop.stop_requested()) {
    }
  });
  EXPECT_TRUE(eventually([&] { return !stalls(history.record()).empty(); }));
}

}  // namespace
}  // namespace faults
