// On a result that is made up: three faults, and locks that keep some of the promises.
#include "faults/explore/atlas/smallest.h"

#include <gmock/gmock.h>

#include "faults/kit/errors.h"
#include "faults/testing/kit_test.h"

namespace atlas {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Parts stage2 = parts_named("acquire=setnx+expire,release=del");
const Parts stage3 = parts_named("acquire=set,token=yes,release=compare");
const Parts stage4 = parts_named("acquire=set,token=yes,release=script");
const Parts fenced = parts_named("acquire=set,token=yes,release=script,fencing=incr");

const Cell holds{.orders = 7};
const Cell not_known{.orders = 7, .is_exhausted = false};
Cell breaks(std::set<char> letters) {
  return {.orders = 7, .broken = std::move(letters)};
}

// fenced keeps no more than stage 4 does.
std::vector<Finding> made_up() {
  return {{stage2, {{"kill", breaks({'L'})}, {"freeze", breaks({'R', 'X'})}}},
          {stage3, {{"kill", holds}, {"freeze", breaks({'R', 'X'})}}},
          {stage4, {{"kill", holds}, {"freeze", breaks({'X'})}}},
          {fenced, {{"kill", holds}, {"freeze", breaks({'X'})}}}};
}

TEST(AtlasSmallest, IsALockThatNoSimplerOneReplaces) {
  const auto all = made_up();
  EXPECT_EQ(size_of(all[0], all), Size::smallest);
  EXPECT_EQ(size_of(all[1], all), Size::smallest);
  EXPECT_EQ(size_of(all[2], all), Size::smallest);
  EXPECT_EQ(size_of(all[3], all), Size::not_smallest);
  EXPECT_THAT(simpler_as_good(all[3], all), ElementsAre(stage4));
  EXPECT_THAT(simpler_as_good(all[2], all), IsEmpty());
}

TEST(AtlasSmallest, IsNotKnownWhereASearchDidNotEnd) {
  auto all = made_up();
  all[2].under["freeze"] = not_known;  // perhaps as good as fenced
  EXPECT_EQ(size_of(all[3], all), Size::unknown);
  all[2].under["freeze"] = breaks({'R'});
  EXPECT_EQ(size_of(all[3], all), Size::smallest);
}

// It breaks without a fault, and was searched no further.
TEST(AtlasSmallest, LosesNothingThatWasNotSearched) {
  const Finding greater{stage4, {{"orders alone", holds}, {"kill", holds}}};
  const Finding simpler{parts_named("acquire=set,token=yes,release=compare"),
                        {{"orders alone", breaks({'L'})}}};
  const auto losses = losses_of(greater, {greater, simpler});
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_THAT(losses[0].lost, ElementsAre(Kept("kill", 'L'), Kept("orders alone", 'L')));
}

// What is not known of the lock itself may be something that the simpler one does not keep.
TEST(AtlasSmallest, IsNotDeniedForWhatMayBeKept) {
  auto all = made_up();
  all[3].under["freeze"] = not_known;
  EXPECT_EQ(size_of(all[3], all), Size::unknown);
}

TEST(AtlasSmallest, IsNotKnownWhereALockIsMissing) {
  auto all = made_up();
  EXPECT_EQ(size_in_atlas(all[2], all), Size::unknown);
  for (const auto& parts : all_locks()) {
    if (find(parts, all) == nullptr) all.push_back({parts, {{"kill", breaks({'L'})}}});
  }
  EXPECT_EQ(size_in_atlas(all[2], all), Size::smallest);
}

TEST(AtlasSmallest, IsNotALockThatNeverReleases) {
  auto all = made_up();
  const auto never = parts_named("acquire=setnx+expire,release=none");
  all.push_back({never, {{"kill", holds}, {"freeze", breaks({'X'})}}});
  EXPECT_EQ(size_of(all[2], all), Size::smallest) << "it hands over without a wait";
  EXPECT_EQ(size_of(all.back(), all), Size::smallest);
}

TEST(AtlasSmallest, IsFoundForAWish) {
  const auto all = made_up();
  EXPECT_THAT(smallest_that_keep({{"kill", 'L'}}, all), ElementsAre(stage3));
  EXPECT_THAT(smallest_that_keep({{"freeze", 'R'}}, all), ElementsAre(stage4));
  EXPECT_THAT(smallest_that_keep({{"kill", 'X'}}, all), ElementsAre(stage2));
  EXPECT_THAT(smallest_that_keep({{"freeze", 'X'}}, all), IsEmpty());
}

TEST(AtlasSmallest, SaysWhatEachPartIsFor) {
  const auto all = made_up();
  const auto losses = losses_of(all[2], all);
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_THAT(losses[0].parts, ElementsAre("acquire", "token"));
  EXPECT_EQ(losses[0].simpler, stage2);
  EXPECT_THAT(losses[0].lost, ElementsAre(Kept{"freeze", 'R'}, Kept{"kill", 'L'}));
  EXPECT_THAT(losses[1].parts, ElementsAre("release"));
  EXPECT_EQ(losses[1].simpler, stage3);
  EXPECT_THAT(losses[1].lost, ElementsAre(Kept{"freeze", 'R'}));
  EXPECT_THAT(losses[1].gained, IsEmpty());
}

TEST(AtlasFindings, AreReadBack) {
  auto all = made_up();
  all[1].under["freeze"] = {.orders = 9, .broken = {'X'}, .is_exhausted = false};
  EXPECT_EQ(findings_from(to_text(all)), all);
}

TEST(AtlasFindings, AreRecordedBesideTheOthers) {
  const auto all = made_up();
  const Finding again{stage3, {{"kill", breaks({'L'})}}};
  EXPECT_THAT(recorded_with({all[2], all[1]}, {again, all[0]}), ElementsAre(all[0], again, all[2]));
}

TEST(AtlasFindings, AreAlikeWhateverTheyTook) {
  const auto all = made_up();
  auto other = all[1];
  other.under["kill"].orders = 8;
  EXPECT_TRUE(is_alike(all[1], other));
  other.under["kill"].is_exhausted = false;
  EXPECT_FALSE(is_alike(all[1], other));
  other.under["kill"] = breaks({'L'});
  EXPECT_FALSE(is_alike(all[1], other));
  other.under.erase("kill");
  EXPECT_FALSE(is_alike(all[1], other));
}

TEST(AtlasFindings, AreRefusedWhereTheyAreNone) {
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  const auto file = directory.path() / "atlas.json";
  EXPECT_THROW((void)read_findings(file), faults::CannotRun);
  std::ofstream(file) << R"([{"lock": "atlas:acquire=set", "under": {}}])";
  EXPECT_THROW((void)read_findings(file), faults::CannotRun);
}

}  // namespace
}  // namespace atlas
