#include "faults/explore/atlas/parts.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace atlas {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The sentence by which these words are refused; empty: they are not.
std::string refusal_of(const std::vector<std::string>& words) {
  try {
    (void)parts_from(words);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(AtlasParts, AreReadFromWords) {
  const auto parts = parts_from({"release=script", "acquire=set", "token=yes", "renewal=blind"});
  EXPECT_EQ(parts, (Parts{.acquire = Acquire::set,
                          .token = true,
                          .release = Release::script,
                          .renewal = Renewal::blind}));
  EXPECT_THAT(to_words(parts),
              ElementsAre("acquire=set", "token=yes", "release=script", "renewal=blind"));
  EXPECT_EQ(name_of(parts), "atlas:acquire=set,token=yes,release=script,renewal=blind");
}

TEST(AtlasParts, RefuseWordsThatAreNone) {
  EXPECT_THAT(refusal_of({"acquire=set", "release=del", "fire=yes"}),
              HasSubstr("\"fire=yes\" is no part of a lock: there are acquire, token, release"));
  EXPECT_THAT(
      refusal_of({"acquire=set", "release=gently"}),
      HasSubstr("\"gently\" is no choice of release: there are none, del, compare, script"));
  EXPECT_THAT(refusal_of({"acquire"}), HasSubstr("\"\" is no choice of acquire"));
  EXPECT_THAT(refusal_of({"acquire=set"}), HasSubstr("needs release=, one of none, del"));
  EXPECT_THAT(refusal_of({"acquire=set", "acquire=set"}), HasSubstr("acquire is given twice"));
}

TEST(AtlasParts, RefuseWhatMakesNoSenseTogether) {
  EXPECT_THAT(refusal_of({"acquire=set", "release=compare"}), HasSubstr("nothing to compare"));
  EXPECT_THAT(refusal_of({"acquire=set", "release=del", "renewal=script"}),
              HasSubstr("nothing to compare"));
  EXPECT_THAT(refusal_of({"acquire=set", "token=yes", "release=del"}), HasSubstr("of no use"));
  EXPECT_THAT(refusal_of({"acquire=setnx", "release=del", "renewal=blind"}),
              HasSubstr("nothing to renew"));
  EXPECT_THAT(refusal_of({"acquire=setnx", "release=del", "look=yes"}),
              HasSubstr("no clock says that it has expired"));
  EXPECT_THAT(refusal_of({"acquire=script", "release=del"}), HasSubstr("is acquire=set"));
}

TEST(AtlasParts, MakeEveryLockThatMakesSense) {
  const auto all = all_locks();
  EXPECT_EQ(all.size(), 168U);
  for (const auto& parts : all) {
    EXPECT_EQ(senseless_because(parts), "");
    EXPECT_EQ(parts_named(name_of(parts)), parts) << name_of(parts);
  }
}

TEST(AtlasParts, AreSimplerIfNoneIsMore) {
  const auto stage2 = parts_named("acquire=setnx+expire,release=del");
  const auto stage3 = parts_named("acquire=set,token=yes,release=compare");
  const auto stage4 = parts_named("acquire=set,token=yes,release=script");
  const auto fenced = parts_named("acquire=set,release=del,fencing=incr");
  EXPECT_TRUE(is_simpler(stage2, stage3));
  EXPECT_TRUE(is_simpler(stage3, stage4));
  EXPECT_FALSE(is_simpler(stage4, stage3));
  EXPECT_FALSE(is_simpler(stage3, stage3));
  EXPECT_FALSE(is_simpler(fenced, stage4));
  EXPECT_FALSE(is_simpler(stage4, fenced));
}

}  // namespace
}  // namespace atlas
