#include "stage7_redlock/quorum_subscription.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/redis/address.h"

namespace stage7 {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

class QuorumSubscriptionTest : public testing::Test {
 protected:
  static constexpr std::size_t majority = 3;
  static constexpr milliseconds long_time{60'000};

  [[nodiscard]] static core::Address node(int i) { return {.host = "node", .port = i}; }
  // As release.lua announces it at node `i`.
  void announce(int i, const std::string& hold) { subscription.receive(node(i), hold); }
  void hand_over(int i, const std::string& hold, const std::string& to,
                 const std::string& after = "", const std::string& number = "1") {
    subscription.receive(node(i), hold + "\n" + to + " line p:1 600 who\n" + number + "\n" + after);
  }
  void tell(int i, const std::string& hold, const std::string& waiter) {
    hand_over(i, hold, waiter, "", "0");
  }
  // Has the wait of `token` ended long before its limit?
  [[nodiscard]] bool is_woken(const std::string& token, std::uint64_t generation) {
    const auto begin = std::chrono::steady_clock::now();
    subscription.wait(token, generation, long_time, {});
    return std::chrono::steady_clock::now() - begin < long_time / 2;
  }
  // Nothing ends it.
  [[nodiscard]] bool sleeps(const std::string& token, std::uint64_t generation) {
    constexpr milliseconds limit{10};
    const auto begin = std::chrono::steady_clock::now();
    subscription.wait(token, generation, limit, {});
    return std::chrono::steady_clock::now() - begin >= limit;
  }

  std::vector<std::string> given_back;
  QuorumSubscription subscription{
      majority, [this](const auto& at, const auto& named) {
        given_back.push_back(std::to_string(at.port) + " " + token_of(named.waiter));
      }};
};

TEST_F(QuorumSubscriptionTest, WakesWhenAMajorityHasAnnounced) {
  subscription.add("mine");
  tell(0, "hold", "mine");
  announce(1, "hold");
  EXPECT_TRUE(sleeps("mine", subscription.generation())) << "two of five are no majority";
  announce(2, "hold");
  EXPECT_TRUE(is_woken("mine", subscription.generation()));
}

TEST_F(QuorumSubscriptionTest, CountsNodesAndNotMessages) {
  subscription.add("mine");
  for (int i = 0; i < 3; ++i) tell(0, "hold", "mine");
  EXPECT_TRUE(sleeps("mine", subscription.generation()));
}

TEST_F(QuorumSubscriptionTest, CountsEachReleaseForItself) {
  subscription.add("mine");
  announce(3, "earlier");
  announce(4, "earlier");
  tell(0, "hold", "mine");
  EXPECT_TRUE(sleeps("mine", subscription.generation()));
}

TEST_F(QuorumSubscriptionTest, IsHandedOverByAMajority) {
  subscription.add("mine");
  hand_over(0, "hold", "mine", "", "7");
  hand_over(1, "hold", "mine", "", "7");
  announce(2, "hold");  // does not have the hold, and hands nothing over
  EXPECT_TRUE(is_woken("mine", 0));
  EXPECT_EQ(subscription.handed_over("mine"), std::nullopt) << "two of five are no majority";
  hand_over(3, "hold", "mine", "", "7");
  EXPECT_EQ(subscription.handed_over("mine"), "7");
}

TEST_F(QuorumSubscriptionTest, IsNotHandedOverByBeingTold) {
  subscription.add("mine");
  for (int i = 0; i < 5; ++i) tell(i, "hold", "mine");
  EXPECT_EQ(subscription.handed_over("mine"), std::nullopt);
}

TEST_F(QuorumSubscriptionTest, AddsUpNoTwoReleases) {
  subscription.add("mine");
  hand_over(0, "earlier", "mine");
  hand_over(1, "earlier", "mine");
  hand_over(2, "hold", "mine");
  EXPECT_EQ(subscription.handed_over("mine"), std::nullopt);
  hand_over(3, "hold", "mine");
  hand_over(4, "hold", "mine");
  EXPECT_TRUE(is_woken("mine", subscription.generation()));
  EXPECT_EQ(subscription.handed_over("mine"), "1");
}

TEST_F(QuorumSubscriptionTest, CountsEachWaiterForItself) {
  subscription.add("first");
  subscription.add("second");
  hand_over(0, "hold", "first");
  hand_over(1, "hold", "first");
  hand_over(2, "hold", "second");
  EXPECT_EQ(subscription.handed_over("first"), std::nullopt) << "two of five are no majority";
  EXPECT_EQ(subscription.handed_over("second"), std::nullopt) << "one of five is no majority";
  subscription.cancel("first");
  EXPECT_THAT(given_back, ElementsAre("0 first", "1 first"));
}

TEST_F(QuorumSubscriptionTest, PassesOnThatItIsFree) {
  subscription.add("mine");
  tell(0, "hold", "mine");
  subscription.cancel("mine");
  tell(1, "hold", "mine");
  EXPECT_THAT(given_back, ElementsAre("0 mine", "1 mine"));
}

TEST_F(QuorumSubscriptionTest, KeepsToItselfThatItWasRefused) {
  subscription.add("mine");
  tell(0, "hold", "mine");
  hand_over(1, "hold", "mine");
  subscription.refused("mine");
  EXPECT_THAT(given_back, ElementsAre("1 mine")) << "it has looked for itself";
}

TEST_F(QuorumSubscriptionTest, GivesBackWhatNobodyWaitsFor) {
  subscription.add("mine");
  hand_over(0, "hold", "mine");
  subscription.cancel("mine");
  hand_over(1, "hold", "mine");
  EXPECT_THAT(given_back, ElementsAre("0 mine", "1 mine"));
}

TEST_F(QuorumSubscriptionTest, GivesNothingBackOfWhatIsHeld) {
  subscription.add("mine");
  hand_over(0, "hold", "mine");  // and all nodes were asked meanwhile: it has the lock
  hand_over(1, "hold", "mine");
  (void)subscription.begin_release("mine");
  hand_over(2, "hold", "mine");  // the release may have been there before
  EXPECT_THAT(given_back, IsEmpty());
  subscription.end_release("mine", true);
  EXPECT_THAT(given_back, ElementsAre("2 mine"));
  hand_over(3, "hold", "mine");
  EXPECT_THAT(given_back, ElementsAre("2 mine", "3 mine"));
}

TEST_F(QuorumSubscriptionTest, KeepsAHoldThatOthersAreInside) {
  subscription.add("mine");
  hand_over(0, "hold", "mine", "next line p:2 600 who");
  EXPECT_EQ(subscription.begin_release("mine"), "next line p:2 600 who");
  hand_over(1, "hold", "mine");
  subscription.end_release("mine", false);
  hand_over(2, "hold", "mine");
  EXPECT_THAT(given_back, IsEmpty());
  EXPECT_EQ(subscription.begin_release("mine"), "next line p:2 600 who");
}

TEST_F(QuorumSubscriptionTest, ToldOfNobodyLooksAfterAHeadStart) {
  subscription.add("mine");
  const auto generation = subscription.generation();
  announce(0, "hold");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(is_woken("mine", generation));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, QuorumSubscription::head_start);
}

TEST_F(QuorumSubscriptionTest, LooksAfterARollBackOrASubscription) {
  subscription.add("mine");
  const auto generation = subscription.generation();
  announce(0, "");
  EXPECT_TRUE(is_woken("mine", generation));
}

TEST_F(QuorumSubscriptionTest, LooksAmongManyAnnouncements) {
  subscription.add("mine");
  std::jthread others([this](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) announce(0, std::to_string(i));
  });
  EXPECT_TRUE(is_woken("mine", 0));
}

TEST_F(QuorumSubscriptionTest, KnowsTheWaiterBehindItsOwn) {
  subscription.add("mine");
  hand_over(0, "hold", "mine", "next line p:2 600 who");
  hand_over(1, "hold", "mine");  // a node where nobody stands in line
  EXPECT_EQ(subscription.begin_release("mine"), "next line p:2 600 who");
  subscription.end_release("mine", true);
  EXPECT_EQ(subscription.begin_release("mine"), "");
}

TEST_F(QuorumSubscriptionTest, KnowsItFromANodeThatIsLate) {
  subscription.add("mine");
  for (int i = 1; i < 4; ++i) hand_over(i, "hold", "mine");
  EXPECT_EQ(subscription.handed_over("mine"), "1");
  hand_over(0, "hold", "mine", "next line p:2 600 who");
  EXPECT_EQ(subscription.begin_release("mine"), "next line p:2 600 who");
}

TEST_F(QuorumSubscriptionTest, KnowsNobodyBehindAnotherProcess) {
  hand_over(0, "hold", "theirs", "next line p:2 600 who");
  EXPECT_EQ(subscription.begin_release("mine"), "");
}

TEST_F(QuorumSubscriptionTest, ComesBackAtARandomTime) {
  std::set<std::chrono::microseconds> pauses;
  for (int i = 0; i < 20; ++i) pauses.insert(QuorumSubscription::random_pause());
  EXPECT_GT(pauses.size(), 10U);
  EXPECT_LE(*pauses.rbegin(), QuorumSubscription::head_start);
}

TEST_F(QuorumSubscriptionTest, StopsWaiting) {
  std::stop_source stop;
  stop.request_stop();
  subscription.wait("mine", 0, long_time, stop.get_token());
}

}  // namespace
}  // namespace stage7
