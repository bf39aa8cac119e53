#include "faults/parts/pulse.h"

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

}  // namespace
}  // namespace faults
