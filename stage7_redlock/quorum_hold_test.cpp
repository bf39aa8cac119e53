// One round of renewal, as the watchdog asks for it; the nodes' answers come from the test.
#include "stage7_redlock/quorum_hold.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "stage7_redlock/scripts.h"

namespace {

using stage5::Question;
using stage5::Renewed;
using std::chrono::milliseconds;

struct HoldUnderTest : stage7::QuorumHold {
  explicit HoldUnderTest(const std::vector<core::Address>& nodes)
      : QuorumHold("token", milliseconds(60'000), stage5::Clock::now(), renewal(),
                   std::make_shared<const stage7::Nodes>(nodes), {"orders"},
                   stage7::scripts::acquire, nullptr) {}
  using QuorumHold::renew;

 private:
  static std::shared_ptr<const stage5::Renewal> renewal() {
    return std::make_shared<const stage5::Renewal>(stage5::Renewal{.server = {},
                                                                   .script = stage7::scripts::renew,
                                                                   .key = "orders",
                                                                   .every = milliseconds(300)});
  }
};

class Stage7Round : public testing::Test {
 protected:
  // The questions of a new round; how it ends goes to `outcomes`.
  [[nodiscard]] std::vector<Question> begin() {
    asked.clear();
    hold->renew([this](const auto& /*node*/, Question question) { asked.push_back(question); },
                [this](Renewed outcome) { outcomes.push_back(outcome); });
    return asked;
  }
  [[nodiscard]] std::size_t repairs() const { return asked.size() - nodes.size(); }

  const std::vector<core::Address> nodes{{.host = "127.0.0.1", .port = 1},
                                         {.host = "127.0.0.1", .port = 2},
                                         {.host = "127.0.0.1", .port = 3}};
  const std::shared_ptr<HoldUnderTest> hold = std::make_shared<HoldUnderTest>(nodes);
  std::vector<Question> asked;
  std::vector<Renewed> outcomes;
};

TEST_F(Stage7Round, EndsOnceWithItsMajority) {
  const auto round = begin();
  ASSERT_EQ(round.size(), 3);
  for (const auto& question : round) question.answered(Renewed::renewed);
  EXPECT_EQ(outcomes, std::vector{Renewed::renewed});
}

TEST_F(Stage7Round, RepairsANodeAfterItsMajority) {
  const auto round = begin();
  round[0].answered(Renewed::lost);
  round[1].answered(Renewed::renewed);
  EXPECT_EQ(repairs(), 0);
  round[2].answered(Renewed::renewed);
  EXPECT_EQ(repairs(), 1);
}

TEST_F(Stage7Round, RepairsANodeThatAnswersLate) {
  const auto round = begin();
  round[0].answered(Renewed::renewed);
  round[1].answered(Renewed::renewed);
  round[2].answered(Renewed::lost);
  EXPECT_EQ(repairs(), 1);
}

TEST_F(Stage7Round, CountsNoAnswerToAnOlderOne) {
  const auto first = begin();
  first[0].answered(Renewed::renewed);
  const auto second = begin();
  first[1].answered(Renewed::renewed);
  first[2].answered(Renewed::lost);
  EXPECT_TRUE(outcomes.empty());
  second[0].answered(Renewed::renewed);
  second[1].answered(Renewed::renewed);
  EXPECT_EQ(outcomes, std::vector{Renewed::renewed});
  EXPECT_EQ(repairs(), 0) << "the node answered in an older round";
}

TEST_F(Stage7Round, IsUnknownWhenNoMajorityCanAnswer) {
  const auto round = begin();
  round[0].answered(Renewed::lost);
  round[1].answered(Renewed::unknown);
  EXPECT_EQ(outcomes, std::vector{Renewed::unknown});
  round[2].answered(Renewed::renewed);
  EXPECT_EQ(repairs(), 0);
}

TEST_F(Stage7Round, IsFreedWithItsHold) {
  (void)begin()[0].answered(Renewed::renewed);
  asked.clear();
  EXPECT_EQ(hold.use_count(), 1) << "a round must not keep its hold";
}

}  // namespace
