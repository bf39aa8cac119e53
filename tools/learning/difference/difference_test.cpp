#include "tools/learning/difference/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/judging/testing/history_builder.h"

namespace learning {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Story : public faults::HistoryBuilder {
 public:
  Story& sends(const std::string& client, const std::string& text,
               const std::vector<std::string>& effects, const std::string& reply_text) {
    command(client, text);
    for (const auto& effect : effects) server(effect);
    reply(client, reply_text);
    return *this;
  }
  Story& acquires(const std::string& client, const std::string& text) {
    call(client, "acquire");
    sends(client, text, {"set", "expire"}, "OK");
    answer(client, "acquire", "acquired");
    return *this;
  }
};

std::string difference_between(const faults::Record& yours, const faults::Record& ours) {
  const auto difference = first_difference(TraceQuery(yours), TraceQuery(ours));
  return difference ? difference->sentence() : "none";
}

faults::Record releases(const std::string& token,
                        const std::vector<std::pair<std::string, std::vector<std::string>>>& sent) {
  Story story;
  story.acquires("A", "SET lock " + token + " NX PX 300").call("A", "release");
  for (const auto& [text, effects] : sent) story.sends("A", text, effects, "1");
  story.answer("A", "release", "released");
  return story.record;
}

TEST(Difference, IsNoneBetweenTwoRunsOfOneLock) {
  const auto one = releases("a1b2…", {{"DEL lock", {"del"}}});
  const auto other = releases("c3d4…", {{"DEL lock", {"del"}}});
  EXPECT_EQ(difference_between(one, other), "none");
}

TEST(Difference, NamesTheCommandsOfBoth) {
  const auto yours = releases("a1b2…", {{"GET lock", {}}, {"DEL lock", {"del"}}});
  const auto ours = releases("a1b2…", {{"EVALSHA 316f… 1 lock a1b2…", {"del"}}});
  EXPECT_THAT(
      difference_between(yours, ours),
      AllOf(HasSubstr("A's release"), HasSubstr("yours sent GET, answered a value, then DEL"),
            HasSubstr("ours sent a script, which removed the key")));
}

TEST(Difference, PutsWhatCameOfItFirst) {
  Story yours;
  yours.call("A", "acquire");
  yours.sends("A", "SETNX lock 1", {"set"}, "1");
  yours.answer("A", "acquire", "acquired").call("A", "release");
  yours.sends("A", "DEL lock", {"del"}, "1");
  yours.answer("A", "release", "expired");
  auto ours = releases("a1b2…", {{"DEL lock", {"del"}}});
  EXPECT_THAT(difference_between(yours.record, ours),
              AllOf(HasSubstr("A's acquire"), HasSubstr("without a lease")));
}

TEST(Difference, ComparesTheSecondWithTheSecond) {
  const auto twice = [](const std::string& second) {
    Story story;
    story.acquires("A", "SET lock a1b2… NX PX 300");
    for (const auto& outcome : {std::string("still_held"), second}) {
      story.call("A", "release");
      story.sends("A", "DEL lock", {"del"}, "1");
      story.answer("A", "release", outcome);
    }
    return story.record;
  };
  EXPECT_EQ(difference_between(twice("released"), twice("released")), "none");
  EXPECT_THAT(difference_between(twice("still_held"), twice("expired")),
              AllOf(HasSubstr("said \"still_held\""), HasSubstr("said \"expired\"")));
}

TEST(Difference, NamesTheFirstThatGoesAnotherWay) {
  const auto with = [](const std::string& set, const std::vector<std::string>& release) {
    Story story;
    story.acquires("A", set).call("A", "release");
    for (const auto& text : release) story.sends("A", text, {}, "1");
    story.sends("A", "DEL lock", {"del"}, "1").answer("A", "release", "released");
    return story.record;
  };
  EXPECT_THAT(difference_between(with("EVALSHA 316f… 1 lock a1b2… 300", {"GET lock"}),
                                 with("SET lock a1b2… NX PX 300", {})),
              HasSubstr("A's acquire"));
}

TEST(Difference, IsInWhatWasSentAsWellAsInWhatCame) {
  EXPECT_THAT(difference_between(releases("a1b2…", {{"GET lock", {}}}),
                                 releases("a1b2…", {{"GET lock", {"del"}}})),
              HasSubstr("ours sent GET, which removed the key"));
}

TEST(Difference, IsNoneIfItDidNotComeToTheScenario) {
  Story ours;
  ours.acquires("A", "SET lock a1b2… NX PX 300");
  EXPECT_EQ(difference_between(Story().record, ours.record), "none");
}

TEST(Difference, PrefersAnotherWayToAnActThatOursDidNotDo) {
  Story yours;
  yours.acquires("A", "EVALSHA 316f… 1 lock a1b2… 300").call("A", "release");
  yours.sends("A", "DEL lock", {"del"}, "1").answer("A", "release", "released");
  Story ours;
  ours.acquires("A", "SET lock a1b2… NX PX 300");
  EXPECT_THAT(difference_between(yours.record, ours.record), HasSubstr("A's acquire"));
}

TEST(Difference, NamesThreeStepsAtMost) {
  const auto yours = releases(
      "a1b2…", {{"GET lock", {}}, {"TTL lock", {}}, {"EXISTS lock", {}}, {"DEL lock", {"del"}}});
  EXPECT_THAT(difference_between(yours, releases("a1b2…", {{"DEL lock", {"del"}}})),
              HasSubstr("then EXISTS, answered a value, and more, and said"));
}

TEST(Difference, SaysThatACallWasNeverAnswered) {
  Story yours;
  yours.call("A", "acquire");
  yours.sends("A", "SETNX lock 1", {"set"}, "1");
  EXPECT_THAT(
      difference_between(yours.record, releases("a1b2…", {{"DEL lock", {"del"}}})),
      HasSubstr("yours sent SETNX, which set the key, without a lease, and never answered"));
}

TEST(Difference, TakesAHashOrACounterForAKey) {
  const auto by = [](const std::string& effect) {
    Story story;
    story.call("A", "acquire");
    story.sends("A", "EVALSHA 316f… 1 lock", {effect}, "1");
    story.answer("A", "acquire", "acquired");
    return story.record;
  };
  EXPECT_EQ(difference_between(by("hset"), by("set")), "none");
  EXPECT_EQ(difference_between(by("incrby"), by("set")), "none");
}

TEST(Difference, CountsARefusalOnceHoweverOftenItCame) {
  const auto refused = [](int times) {
    Story story;
    for (int i = 0; i < times; ++i) {
      story.call("A", "acquire");
      story.sends("A", "SET lock a1b2… NX PX 300", {}, "nil");
      story.answer("A", "acquire", "contended");
    }
    return story.record;
  };
  EXPECT_EQ(difference_between(refused(3), refused(1)), "none");
}

TEST(Difference, NamesAnInnerAcquire) {
  Story ours;
  ours.acquires("A", "SET lock a1b2… NX PX 300").acquires("A", "SET lock a1b2… NX PX 300");
  Story yours;
  yours.acquires("A", "SET lock a1b2… NX PX 300");
  EXPECT_THAT(difference_between(yours.record, ours.record), HasSubstr("A's inner acquire"));
}

TEST(Difference, PutsAnothersLockBeforeAnotherWay) {
  const auto overruns = [](const std::string& acquire, const std::vector<std::string>& effects) {
    Story story;
    story.acquires("A", acquire).server("expired");
    story.acquires("B", "SET lock c3d4… NX PX 300").call("A", "release");
    story.sends("A", "DEL lock", effects, "1").answer("A", "release", "expired");
    return story.record;
  };
  EXPECT_THAT(difference_between(overruns("EVALSHA 316f… 1 lock a1b2… 300", {"del"}),
                                 overruns("SET lock a1b2… NX PX 300", {})),
              HasSubstr("yours sent DEL, which removed another client's lock"));
}

TEST(Difference, CountsTheServersOfAStep) {
  faults::HistoryBuilder yours(5);
  faults::HistoryBuilder ours(5);
  yours.acquires_on(faults::five, "A");
  ours.call("A", "acquire").asks("A", faults::five, "").answer("A", "acquire", "acquired");
  EXPECT_THAT(difference_between(yours.record, ours.record),
              HasSubstr("yours sent SET to 5 servers, which set the key"));
}

TEST(Difference, TellsWhatOnlyOursDid) {
  Story ours;
  ours.acquires("A", "SET lock a1b2… NX PX 300");
  ours.sends("A", "EVALSHA 704d… 1 lock a1b2… 300", {"expire"}, "1");
  Story yours;
  yours.acquires("A", "SET lock a1b2… NX PX 300");
  EXPECT_THAT(
      difference_between(yours.record, ours.record),
      AllOf(HasSubstr("A, by itself: yours did nothing there"), HasSubstr("set the lease")));
}

TEST(Difference, KeepsOursToItselfIfAsked) {
  const auto yours = releases("a1b2…", {{"GET lock", {}}, {"DEL lock", {"del"}}});
  const auto ours = releases("a1b2…", {{"EVALSHA 316f… 1 lock a1b2…", {"del"}}});
  const auto difference = first_difference(TraceQuery(yours), TraceQuery(ours));
  ASSERT_TRUE(difference);
  EXPECT_THAT(difference->without_ours(), testing::Not(HasSubstr("script")));
}

}  // namespace
}  // namespace learning
