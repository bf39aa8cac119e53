// The file of a schedule: written, read, and what is said of one that is none.
#include "faults/explore/search/schedule.h"

#include <gmock/gmock.h>

#include <fstream>

#include "faults/explore/search/option_names.h"
#include "faults/testing/kit_test.h"

namespace {

using testing::HasSubstr;

class ScheduleTest : public testing::Test {
 protected:
  std::filesystem::path file_with(const std::string& text) {
    const auto file = directory.path() / "schedule";
    std::ofstream(file) << text;
    return file;
  }
  std::string said_of(const std::string& text) {
    return faults::said_by<faults::CannotRun>(
        [&] { (void)explore::read_schedule(file_with(text)); });
  }

  faults::Reaper reaper;
  faults::TempDir directory{reaper};
};

TEST_F(ScheduleTest, IsReadAsItWasWritten) {
  const explore::Schedule schedule{
      .lock = "stage3_set_nx_px",
      .clients = 3,
      .facts = R"({"key":"mutex: %s"})",
      .lease = std::chrono::milliseconds(250),
      .operations = "nested",
      .steps = explore::steps_from({"A: begin", "time: to the end of the lease"})};
  const auto read = explore::read_schedule(file_with(to_text(schedule, "why\nit is here")));
  EXPECT_EQ(to_text(read, "why\nit is here"), to_text(schedule, "why\nit is here"));
  EXPECT_EQ(read.facts, schedule.facts);
  EXPECT_EQ(read.steps.at(0).line, 9);
}

TEST_F(ScheduleTest, IgnoresCommentsAndBlanks) {
  const auto read = explore::read_schedule(
      file_with("# one\n\nlock: 3\nsteps:\n  A: begin  \n# two\nA: send SET\n"));
  ASSERT_EQ(read.steps.size(), 2);
  EXPECT_EQ(read.steps.at(0).label, "A: begin");
  EXPECT_EQ(read.clients, 2);
}

TEST_F(ScheduleTest, SaysWhatIsWrong) {
  EXPECT_THAT(said_of("steps:\n"), HasSubstr("it names no lock"));
  EXPECT_THAT(said_of("lock: 3\n"), HasSubstr("it has no line \"steps:\""));
  EXPECT_THAT(said_of("lock: 3\nclients: two\n"), HasSubstr("line 2: \"two\" is not a number"));
  EXPECT_THAT(said_of("lock: 3\nA: begin\n"), HasSubstr("line 2: \"A: begin\" is none of lock"));
  EXPECT_THAT(faults::said_by<faults::CannotRun>(
                  [&] { (void)explore::read_schedule(directory.path() / "none"); }),
              HasSubstr("cannot read"));
}

TEST_F(ScheduleTest, KnowsTheWordsOfASearch) {
  EXPECT_EQ(explore::to_words(explore::faults_from("slow, freeze")), "freeze, slow");
  EXPECT_THAT(faults::said_by<faults::CannotRun>([] { (void)explore::faults_from("nap"); }),
              HasSubstr("\"nap\" is no fault: there are freeze, kill, lose, slow, cut, failover"));
  EXPECT_THAT(faults::said_by<faults::CannotRun>([] { (void)explore::operations_from("lock"); }),
              HasSubstr("\"lock\" is no operation"));
}

}  // namespace
