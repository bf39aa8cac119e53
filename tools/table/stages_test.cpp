// The names that a person may use for a stage or a scenario, and the files of neighbouring locks.
#include "tools/table/stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "faults/kit/errors.h"
#include "tools/table/lock_files.h"

namespace table {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::string& name, int nodes = 0) {
  try {
    (void)stage_or_lock_named(name, nodes);
  } catch (const faults::CannotRun& error) {
    return error.what();
  }
  return {};
}

TEST(StageNamed, TakesANumberOrAName) {
  for (const auto* name : {"1", "stage1", "stage1_setnx"}) {
    EXPECT_EQ(stage_named(name).name, "stage1_setnx");
  }
}

TEST(StageNamed, FindsEachRelativeByItsOwnNameToo) {
  for (const auto& relative : all_relatives()) {
    const auto own = relative.name.substr(relative.name.find('/') + 1);
    EXPECT_EQ(stage_named(relative.name).name, relative.name);
    EXPECT_THAT(stage_named(own).name, testing::EndsWith(own));
  }
}

TEST(StageNamed, KnowsTheOldNamesOfTheFairQueue) {
  for (const auto* name : {"queued", "stage6_reentrant/queued", "6/queued"}) {
    EXPECT_EQ(stage_named(name).name, "fair_queue");
  }
}

TEST(StageNamed, SuggestsTheNearestName) {
  EXPECT_THAT(refusal_of("stage1_setn"), HasSubstr("did you mean stage1_setnx"));
  EXPECT_THAT(refusal_of("killed_holder"), HasSubstr("./lab run 3 killed_holder"));
}

TEST(StageOrLockNamed, RefusesAStageOfOneServerOnSeveral) {
  EXPECT_EQ(stage_or_lock_named("1", 1).nodes, 1);
  EXPECT_THAT(refusal_of("1", 3), HasSubstr("stands on one server, not on 3"));
  EXPECT_EQ(stage_or_lock_named("7", 3).nodes, 3);
}

TEST(ScenariosNamed, TakesAFamily) {
  EXPECT_EQ(scenarios_named("killed_holder").size(), 1U);
  EXPECT_EQ(scenarios_named("failover").size(), 1U) << "others begin with its name";
  EXPECT_GT(scenarios_named("reply_lost").size(), 1U);
  EXPECT_THROW((void)scenarios_named("reply_lost_acq"), faults::CannotRun);
  EXPECT_THROW((void)scenarios_named("reply_los"), faults::CannotRun);
}

TEST(LockFiles, BeginWithTheHeaderAndLeaveTestsOut) {
  const auto files = lock_files(stage_named("1"), stage_named("2"));
  ASSERT_GE(files.size(), 2U);
  EXPECT_EQ(files[0].from.label, "stage1_setnx/lock.h");
  EXPECT_EQ(files[1].to.label, "stage2_expire/lock.cpp");
  for (const auto& pair : files) {
    EXPECT_FALSE(pair.to.label.ends_with("test.cpp") || pair.to.label.ends_with("client.cpp"));
  }
}

// The difference is one command: the rest is what the other variant has.
TEST(LockFiles, AreAsTheBuildChangesThem) {
  const auto text = [](const terminal::LabelledFile& file) {
    std::ifstream stream(file.file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const auto files = lock_files(stage_named("stage4_lua_release/one_command"),
                                stage_named("stage4_lua_release/delifeq"));
  ASSERT_GE(files.size(), 2U);
  EXPECT_EQ(text(files[0].from), text(files[0].to));
  EXPECT_THAT(text(files[1].from), HasSubstr("DELEX"));
  EXPECT_THAT(text(files[1].to), HasSubstr("DELIFEQ"));
}

TEST(LockFiles, HaveAScriptOfEitherStage) {
  const auto has = [](const std::vector<FilePair>& files, const std::string& label) {
    return std::any_of(files.begin(), files.end(),
                       [&](const auto& pair) { return pair.from.label == label; });
  };
  const auto files = lock_files(stage_named("4"), stage_named("3"));
  EXPECT_TRUE(has(files, "stage4_lua_release/release.lua"));
  for (const auto& pair : files) {
    if (!pair.from.label.ends_with(".lua")) continue;
    EXPECT_EQ(pair.to.file, "") << pair.to.label;
  }
}

}  // namespace
}  // namespace table
