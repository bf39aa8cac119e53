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
