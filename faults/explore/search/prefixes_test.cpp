// A search in parts finds and counts what the whole does.
#include "faults/explore/search/prefixes.h"

#include <gmock/gmock.h>

#include <fstream>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/search_report.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"
#include "faults/testing/kit_test.h"

namespace {

using explore::Prefix;
using explore::SearchPlan;
using testing::HasSubstr;

class PrefixTest : public testing::Test {
 protected:
  static explore::WorldPlan world(const std::string& lock) {
    const std::filesystem::path source(LAB_SOURCE_DIR);
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / lock / (lock + "_client");
    return {.stage = faults::load_tested_lock(source / lock, {client.native()}),
            .redis = faults::find_redis(),
            .judged = explore::properties_from("")};
  }
  // The orders of each level, and how many of them break something.
  static void add(std::map<int, std::pair<long, long>>& sums, const explore::SearchResult& result) {
    for (const auto& level : result.levels) {
      EXPECT_TRUE(level.exhausted);
      sums[level.faults].first += level.orders;
      sums[level.faults].second += level.violated;
    }
  }
  // The smallest number of faults that breaks something; -1: none does.
  static int first_broken(const std::map<int, std::pair<long, long>>& sums) {
    const auto found = std::find_if(sums.begin(), sums.end(),
                                    [](const auto& level) { return level.second.second > 0; });
    return found == sums.end() ? -1 : found->first;
  }
  // Returns the number of faults at which the whole stops, since it breaks something; -1: none.
  int parts_add_up(const explore::WorldPlan& world, SearchPlan plan, std::size_t steps) {
    std::map<int, std::pair<long, long>> whole;
    add(whole, explore::search(world, plan, reaper));
    const auto prefixes = explore::prefixes_of(world, plan, steps, reaper);
    EXPECT_GT(prefixes.size(), 3U);
    std::map<int, std::pair<long, long>> sum;
    for (const auto& prefix : prefixes) {
      plan.prefix = prefix;
      const auto part = explore::search(world, plan, reaper);
      add(sum, part);
      if (explore::outcome_of(part) == explore::SearchOutcome::covered_by_others)
        ++covered_by_others;
    }
    const auto last = first_broken(sum);
    std::erase_if(sum, [last](const auto& level) { return last >= 0 && level.first > last; });
    EXPECT_EQ(sum, whole);
    return last;
  }
  std::filesystem::path file(const std::string& text) {
    std::ofstream(directory.path() / "prefixes") << text;
    return directory.path() / "prefixes";
  }

  faults::Reaper reaper;
  faults::TempDir directory{reaper};
  int covered_by_others = 0;  // parts
};

TEST_F(PrefixTest, PartsAddUpToTheWhole) {
  EXPECT_EQ(parts_add_up(world("stage4_lua_release"),
                         {.faults = explore::kill_fault | explore::lose_fault}, 4),
            -1);
}

// Some of the parts go on to two faults, since one breaks nothing in them.
TEST_F(PrefixTest, PartsAddUpToWhereTheWholeStops) {
  EXPECT_EQ(parts_add_up(world("stage2_expire"), {.faults = explore::kill_fault, .at_most = 2}, 4),
            1);
}

TEST_F(PrefixTest, PartsAddUpBehindGivenSteps) {
  EXPECT_EQ(parts_add_up(world("stage4_lua_release"),
                         {.faults = explore::kill_fault | explore::amnesia_fault,
                          .after = {"A: begin", "A: send SET", "A: reply SET", "A: send READ",
                                    "A: reply READ", "A: send BEGIN"}},
                         3),
            1);
}

TEST_F(PrefixTest, PartsAddUpWithFewSwitches) {
  EXPECT_EQ(
      parts_add_up(world("stage4_lua_release"), {.faults = explore::kill_fault, .switches = 1}, 5),
      -1);
}

// Some of the parts begin as others do, but for the order of what commutes: all of them sleeps.
TEST_F(PrefixTest, PartsAddUpWhereSomeSleep) {
  auto quorum = world("stage7_redlock");
  quorum.stage.nodes = 3;
  EXPECT_EQ(parts_add_up(quorum, {.in_order = true}, 16), -1);
  EXPECT_GT(covered_by_others, 0);
}

TEST_F(PrefixTest, IsReadAsItIsWritten) {
  const std::vector<Prefix> prefixes{{"A: begin", "A: send SET"}, {"A: begin", "A: kill"}};
  EXPECT_EQ(
      explore::read_prefixes(file(explore::to_line(prefixes[0]) + explore::to_line(prefixes[1]))),
      prefixes);
}

TEST_F(PrefixTest, SaysWhatIsNoPrefix) {
  const auto said = [&](const std::string& text) {
    return faults::said_by<faults::CannotRun>([&] { (void)explore::read_prefixes(file(text)); });
  };
  EXPECT_THAT(said("[\"A: begin\"]\nA: begin\n"), HasSubstr("line 2: not a JSON array of steps"));
  EXPECT_THAT(said(""), HasSubstr("has no prefix"));
  EXPECT_THAT(faults::said_by<faults::CannotRun>([&] {
                (void)explore::search(world("stage4_lua_release"),
                                      {.prefix = {"A: begin", "A: send GET"}}, reaper);
              }),
              HasSubstr("does not fit at step 2: \"A: send GET\" cannot happen"));
}

}  // namespace
