// Majorities, and the outcome of their answers: no server is asked.
#include "stage7_redlock/votes.h"

#include <gmock/gmock.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/testing/print_outcome.h"
#include "stage7_redlock/quorum.h"

namespace {

using core::Acquire;
using core::Release;
using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(Stage7Majority, IsMoreThanHalf) {
  const std::vector<std::size_t> expected{1, 2, 2, 3, 3, 4, 4};
  testing::internal::CaptureStderr();
  for (std::size_t n = 1; n <= expected.size(); ++n) {
    std::vector<core::Address> nodes(n);
    for (std::size_t i = 0; i < n; ++i) nodes[i].port = static_cast<int>(i) + 1;
    const stage7::Quorum quorum{nodes};
    const auto majority = quorum.nodes().majority();
    EXPECT_EQ(majority, expected[n - 1]) << n;
    EXPECT_FALSE(quorum.nodes().prevent_majority(n - majority)) << n;
    EXPECT_TRUE(quorum.nodes().prevent_majority(n - majority + 1)) << n;
  }
  const auto warned = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(warned.begin(), warned.end(), '\n'), 3);
  EXPECT_THAT(warned, HasSubstr("a quorum of 4 nodes stands the loss of 1, as one of 3 does"));
  EXPECT_THROW(stage7::Quorum({}), std::invalid_argument);
  const core::Address twice{.host = "127.0.0.1", .port = 1};
  EXPECT_THROW(stage7::Quorum({twice, {.host = "127.0.0.1", .port = 2}, twice}),
               std::invalid_argument);
}

// A node's answer, as it arrives.
core::Reply said(const std::string& text) {
  auto* reader = redisReaderCreate();
  redisReaderFeed(reader, text.data(), text.size());
  void* reply = nullptr;
  redisReaderGetReply(reader, &reply);
  redisReaderFree(reader);
  return core::Reply(static_cast<redisReply*>(reply));
}

TEST(Stage7Votes, GiveTheShortestLeaseInAnyOrder) {
  for (const auto* leases : {"579", "597", "795", "975"}) {
    stage7::Tally tally;
    for (const auto digit : std::string(leases)) {
      stage7::Vote vote;
      vote.reply = said(std::string(":") + digit + "000\r\n");
      tally.add(vote);
    }
    EXPECT_EQ(tally.lease, milliseconds(5'000)) << leases;
  }
}

TEST(Stage7Votes, TellASplitFromAHold) {
  const stage7::Nodes nodes(std::vector<core::Address>(5));
  const auto busy_for = [&](const std::string& holders) {
    stage7::Tally tally;
    for (const auto holder : holders) {
      const auto no = std::string("*2\r\n:-7000\r\n$1\r\n") + holder + "\r\n";
      tally.add({.reply = said(holder == '-' ? ":9000\r\n" : no)});
    }
    return tally.busy_for(nodes);
  };
  EXPECT_EQ(busy_for("HHHHH"), milliseconds(7'000));
  EXPECT_EQ(busy_for("HHHII"), milliseconds(7'000));
  EXPECT_EQ(busy_for("HHH--"), milliseconds(7'000)) << "two nodes have lost the hold";
  EXPECT_EQ(busy_for("HHIIJ"), milliseconds(7'000)) << "H, I and J try again";
  EXPECT_EQ(busy_for("HHII-"), milliseconds(0));
  EXPECT_EQ(busy_for("HH--"), milliseconds(0)) << "the fifth is away";
  EXPECT_EQ(busy_for("HHH"), milliseconds(7'000)) << "two are not heard";
}

TEST(Stage7Votes, AreAllHeardWhenTheyAreSplit) {
  const stage7::Nodes nodes(std::vector<core::Address>(5));
  const auto is_decided_by = [&](const std::string& holders) {
    stage7::Votes votes(5);
    for (std::size_t i = 0; i < holders.size(); ++i) {
      votes[i].reply = said(std::string("*2\r\n:-7000\r\n$1\r\n") + holders[i] + "\r\n");
    }
    return is_decided(nodes, votes);
  };
  EXPECT_FALSE(is_decided_by("HH"));
  EXPECT_TRUE(is_decided_by("HHH"));
  EXPECT_FALSE(is_decided_by("HHI")) << "the others may say yes";
  EXPECT_FALSE(is_decided_by("HHII"));
  EXPECT_TRUE(is_decided_by("HHIIJ"));
  stage7::Votes nos(5);
  for (const std::size_t i : {0U, 1U, 2U}) nos[i].reply = said(i == 0 ? ":0\r\n" : ":-1\r\n");
  EXPECT_TRUE(is_decided(nodes, nos)) << "a no that names no hold is no split";
}

TEST(Stage7Votes, ThrowWhenAwayAndAbstainLeaveNoMajority) {
  const stage7::Nodes nodes(std::vector<core::Address>(5));
  EXPECT_THROW((void)refusal(nodes, {.yes = 2, .unreachable = 3}, 2), core::Unreachable);
  try {
    (void)refusal(nodes, {.yes = 2, .abstained = 2, .unreachable = 1, .why = "ABSTAIN"}, 2);
    FAIL() << "there was no majority to refuse it";
  } catch (const core::ErrorReply& error) {
    EXPECT_STREQ(error.what(), "2 of 5 nodes do not vote, and 1 cannot be reached: ABSTAIN");
  }
  EXPECT_EQ(refusal(nodes, {.yes = 2, .no = 1}, 2), Acquire::contended);
  EXPECT_EQ(refusal(nodes, {.yes = 2, .no = 1}, 3), Acquire::unknown) << "three may have it";
  EXPECT_EQ(refusal(nodes, {.yes = 2, .no = 2, .over = 2}, 0), Acquire::unknown);
  EXPECT_EQ(refusal(nodes, {.yes = 2, .no = 3, .over = 3}, 0), Acquire::contended);
}

TEST(Stage7Votes, AreNoNoWhenTheyAreLost) {
  stage7::Tally tally;
  tally.add({.reply = {}, .lost = true});
  tally.add({.reply = {}, .unreachable = true});
  tally.add({});
  EXPECT_EQ(tally.may_have_it, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(tally.heard, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(tally.unreachable, 1);
}

TEST(Stage7Votes, SayWhatBecameOfALockThatIsReleased) {
  const stage7::Nodes nodes(std::vector<core::Address>(5));
  const auto votes = [&](const std::vector<int>& answers) {
    stage7::Votes all;
    for (const auto answer : answers) {
      all.emplace_back().reply = said(":" + std::to_string(answer) + "\r\n");
    }
    all.resize(5);
    return all;
  };
  EXPECT_FALSE(is_release_decided(nodes, votes({1, 1, 2})));
  EXPECT_TRUE(is_release_decided(nodes, votes({1, 1, 2, 1})));
  EXPECT_EQ(release_of(nodes, votes({1, 1, 2, 1})), Release::released) << "one has missed it";
  EXPECT_TRUE(is_release_decided(nodes, votes({2, 2, 2})));
  EXPECT_EQ(release_of(nodes, votes({2, 2, 2})), Release::still_held);
  EXPECT_EQ(release_of(nodes, votes({1, 2, 2})), Release::still_held);
  EXPECT_FALSE(is_release_decided(nodes, votes({0, 2, 2}))) << "one has lost it, two are not heard";
  EXPECT_TRUE(is_release_decided(nodes, votes({0, 2, 2, 2})));
  EXPECT_EQ(release_of(nodes, votes({0, 2, 2, 2})), Release::still_held);
  EXPECT_TRUE(is_release_decided(nodes, votes({0, 2, 0, 0})));
  EXPECT_TRUE(is_release_decided(nodes, votes({0, 0, -1})));
  EXPECT_EQ(release_of(nodes, votes({0, 0, -1})), Release::expired);
  EXPECT_EQ(release_of(nodes, votes({0, 0, -1, -1})), Release::expired);
  EXPECT_EQ(release_of(nodes, votes({0, -1, -1})), Release::stolen);
  EXPECT_EQ(release_of(nodes, votes({1, 1, 0})), Release::unknown);
  auto refusing = votes({1, 1, 0});
  for (const std::size_t i : {2U, 3U}) refusing[i].reply = said("-ERR no\r\n");
  EXPECT_EQ(release_of(nodes, refusing), Release::unknown) << "the last may have removed it";
  refusing[4].reply = said("-ERR no\r\n");
  EXPECT_THROW((void)release_of(nodes, refusing), core::ErrorReply);
  EXPECT_TRUE(removal_of(nodes, votes({0, 0, 1})));
  EXPECT_FALSE(removal_of(nodes, votes({0, 0, 0})));
  EXPECT_THROW((void)removal_of(nodes, votes({1, 1})), core::LostReply);
  const stage7::Nodes four(std::vector<core::Address>(4));
  EXPECT_TRUE(removal_of(four, votes({1, 1}))) << "two of four are no majority for its holder";
}

}  // namespace
