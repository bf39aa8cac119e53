// Real locks against right models and wrong ones, and wrong locks against the right model.
#include "tools/model/against_lock.h"

#include <gmock/gmock.h>

#include <regex>
#include <sstream>

#include "faults/explore/search/option_names.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"
#include "tools/model/stage4_model.h"
#include "tools/model/stage8_model.h"
#include "tools/table/stages.h"
#include "tools/terminal/testing/known_text.h"

namespace model {
namespace {

using testing::Contains;
using testing::ElementsAre;

class AgainstLockTest : public testing::Test {
 protected:
  static explore::WorldPlan world(const std::string& lock) {
    return {.stage = table::stage_or_lock_named(lock, 1),
            .redis = faults::find_redis(),
            .judged = explore::properties_from("")};
  }
  Compared compared(const std::string& lock, const LockModel& model, const std::string& faults,
                    const std::string& during = "") {
    const auto found = compare_with_lock(model, world(lock),
                                         {.faults = explore::faults_from(faults),
                                          .during = explore::operations_from(during),
                                          .budget = std::chrono::minutes(10)},
                                         reaper);
    EXPECT_FALSE(found.budget_spent) << lock;
    return found;
  }
  Difference difference(const std::string& lock, const LockModel& model, const std::string& faults,
                        const std::string& during = "") {
    const auto found = compared(lock, model, faults, during).comparison.difference;
    if (!found) ADD_FAILURE() << lock << " does not differ from the model";
    return found.value_or(Difference());
  }
  faults::Reaper reaper;
};

using AgainstLockLong = AgainstLockTest;

class ReleasesWithoutComparing : public Stage4Model {
  [[nodiscard]] std::string carry_out(State& state, int client, Command command) const override {
    if (command == Command::release && state.holder != nobody) state.holder = client;
    return Stage4Model::carry_out(state, client, command);
  }
};

class LeaseNeverEnds : public Stage4Model {
  [[nodiscard]] bool end_lease(State&) const override { return false; }
};

class RepeatsTheToken : public Stage8Model {
  [[nodiscard]] std::string carry_out(State& state, int client, Command command) const override {
    if (command == Command::acquire && state.holder == nobody) state.counter = 0;
    return Stage8Model::carry_out(state, client, command);
  }
};

constexpr const char* compares = "atlas:acquire=set,token=yes,release=script";

TEST_F(AgainstLockTest, Stage4IsItsModel) {
  const auto same = compared("4", Stage4Model(), "freeze,kill");
  EXPECT_FALSE(same.comparison.difference);
  EXPECT_GT(same.comparison.traces, 100'000U);
}

TEST_F(AgainstLockTest, SeesAModelWhoseReleaseDoesNotCompare) {
  const auto found = difference("4", ReleasesWithoutComparing(), "freeze", "release");
  EXPECT_EQ(found.action.text(), "A: release arrives");
  EXPECT_THAT(found.schedule, Contains("A: freeze"));
  EXPECT_EQ(found.schedule.back(), "A: send release.lua");
  EXPECT_THAT(found.model, Contains(Action{"A", "release arrives", "removes the lock"}));
}

TEST_F(AgainstLockTest, SeesAModelWhoseLeaseNeverEnds) {
  const auto found = difference("4", LeaseNeverEnds(), "kill");
  EXPECT_THAT(found.schedule,
              ElementsAre("A: begin", "A: send SET", "A: kill", "time: to the end of the lease"));
}

TEST_F(AgainstLockTest, AnotherLockOfTheSameRulesIsTheModel) {
  EXPECT_FALSE(compared(compares, Stage4Model(), "freeze", "release").comparison.difference);
}

TEST_F(AgainstLockTest, ALockThatDeletesIsNot) {
  const auto found = compared("atlas:acquire=set,release=del", Stage4Model(), "freeze", "release");
  EXPECT_TRUE(found.comparison.difference);
}

TEST_F(AgainstLockTest, SeesALockWithoutALease) {
  const auto found = difference("1", Stage4Model(), "kill");
  EXPECT_FALSE(found.is_of_program);
  EXPECT_EQ(found.action.text(), "the lease ends");
  EXPECT_THAT(found.schedule, ElementsAre("A: begin", "A: send SETNX", "A: kill"));
}

TEST_F(AgainstLockTest, SeesALockThatComparesInTwoSteps) {
  const auto found = difference("3", Stage4Model(), "");
  EXPECT_EQ(found.action.text(), "A: GET arrives");
}

// But for the events, which are those of a schedule.
TEST_F(AgainstLockTest, SpeaksChinese) {
  static const std::regex name_or_event(".* · .*| +[0-9]+  .*|again: .*");
  const explore::SearchPlan plan{.faults = explore::freeze_fault, .during = {"work"}};
  Compared said{.program_states = 1, .program_edges = 1, .model_states = 1};
  const Action ours{"A", "reply to read arrives", "sets the lock"};
  const auto expect_chinese = [&] {
    std::istringstream lines(describe(said, world("4"), plan, "schedule", {}));
    for (std::string line; std::getline(lines, line);) {
      if (!std::regex_match(line, name_or_event)) terminal::expect_known(line);
    }
  };
  expect_chinese();
  for (const bool is_of_program : {true, false}) {
    said.comparison.difference = Difference{is_of_program, ours, {"A: begin"}, {}, {}, {}};
    expect_chinese();
  }
}

TEST_F(AgainstLockTest, Stage8IsItsModelWhereOneDies) {
  EXPECT_FALSE(compared("8", Stage8Model(), "kill").comparison.difference);
}

TEST_F(AgainstLockLong, Stage8IsItsModelWhereOneIsFrozen) {
  EXPECT_FALSE(compared("8", Stage8Model(), "freeze", "work").comparison.difference);
}

TEST_F(AgainstLockTest, SeesAModelThatRepeatsAToken) {
  const auto found = difference("8", RepeatsTheToken(), "");
  EXPECT_EQ(found.action.text(), "B: reply to acquire arrives: acquired, token 2");
  EXPECT_THAT(found.model, Contains(Action{"B", "reply to acquire arrives", "acquired, token 1"}));
}

TEST_F(AgainstLockLong, SeesAStorageThatFencesWritesOnly) {
  const auto found =
      difference("stage8_fencing/fences_writes_only", Stage8Model(), "freeze", "work");
  EXPECT_EQ(found.action.text(), "A: read arrives: reads 0");
  EXPECT_THAT(found.model, Contains(Action{"A", "read arrives", "is refused"}));
}

}  // namespace
}  // namespace model
