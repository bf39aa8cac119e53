#include "faults/kit/rest_detector.h"

#include <unistd.h>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

class RestDetectorTest : public KitTest {
 protected:
  Process shell(const std::string& script) {
    return {{.program = "/bin/sh",
             .arguments = {"sh", "-c", script},
             .environment = {},
             .log = directory.path() / "log"},
            reaper};
  }
  static void write_line(Process& process) { ASSERT_EQ(write(process.input().get(), "\n", 1), 1); }
  static void await_line(Process& process) {
    char answer = 0;
    ASSERT_EQ(read(process.output().get(), &answer, 1), 1);
  }
};

TEST_F(RestDetectorTest, WaitingForInputIsRestAndWorkingOnItIsNot) {
  auto process = shell("read line; echo; while :; do :; done");
  RestDetector detector(process.id());
  ASSERT_TRUE(eventually([&] { return detector.look(); }));
  write_line(process);
  EXPECT_FALSE(detector.look()) << "it has a line to read";
  await_line(process);  // it has read it, and is at work
  EXPECT_FALSE(detector.look());
  EXPECT_FALSE(detector.look());
}

TEST_F(RestDetectorTest, ItHasRunBetweenTwoLooks) {
  auto process = shell("while read line; do echo; done");
  RestDetector detector(process.id());
  ASSERT_TRUE(eventually([&] { return detector.look(); }));
  write_line(process);
  await_line(process);
  EXPECT_FALSE(detector.look());
}

TEST_F(RestDetectorTest, TheDeadRest) {
  auto process = shell("exit 0");
  RestDetector detector(process.id());
  EXPECT_TRUE(eventually([&] { return detector.look(); }));
}

}  // namespace
}  // namespace faults
