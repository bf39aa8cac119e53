// Which events commute, and what sleeps behind them.
#include "faults/explore/search/sleep_set.h"

#include <gtest/gtest.h>

#include "faults/explore/search/search.h"

namespace {

using explore::Deed;
using explore::Event;

Event event(Deed deed, const std::string& client, std::size_t server = 0) {
  return {.deed = deed,
          .client = client,
          .label = client + std::to_string(static_cast<int>(deed)) + std::to_string(server),
          .server = server};
}

TEST(Commute, MessagesOfTwoClientsToTwoServers) {
  EXPECT_TRUE(commute(event(Deed::send, "A", 0), event(Deed::send, "B", 1)));
  EXPECT_FALSE(commute(event(Deed::send, "A", 0), event(Deed::send, "B", 0)));
  EXPECT_FALSE(commute(event(Deed::send, "A", 0), event(Deed::send, "A", 1)));
}

TEST(Commute, WhatOneClientMeetsAndWhatAnotherDoes) {
  for (const auto deed : {Deed::reply, Deed::thaw, Deed::mend}) {
    EXPECT_TRUE(commute(event(deed, "A"), event(Deed::send, "B")));
    EXPECT_FALSE(commute(event(deed, "A"), event(Deed::send, "A")));
  }
}

TEST(Commute, NeitherFaultsNorTimeNorSlowMessages) {
  for (const auto deed : {Deed::advance, Deed::begin, Deed::freeze, Deed::kill, Deed::lose,
                          Deed::slow, Deed::cut, Deed::fail_over, Deed::come_empty, Deed::jump}) {
    EXPECT_FALSE(commute(event(deed, "A"), event(Deed::send, "B", 1)));
  }
  auto slow = event(Deed::send, "A", 0);
  slow.is_slow = true;
  EXPECT_FALSE(commute(slow, event(Deed::send, "B", 1)));
}

TEST(SleepSet, LastsUntilSomethingDoesNotCommute) {
  const auto a = event(Deed::send, "A", 0);
  const auto b = event(Deed::send, "B", 1);
  const auto none = explore::SleepSet();
  EXPECT_FALSE(none.behind({a, b}, 0).has(b)) << "nothing was searched before a";
  const auto behind_b = none.behind({a, b}, 1);
  EXPECT_TRUE(behind_b.has(a));
  EXPECT_TRUE(behind_b.behind({event(Deed::reply, "B")}, 0).has(a)) << "though nobody offers it";
  EXPECT_FALSE(behind_b.behind({event(Deed::send, "B", 0)}, 0).has(a));
  EXPECT_FALSE(behind_b.behind({event(Deed::advance, "")}, 0).has(a));
}

// It concerns every client, and is offered behind a step that was about its server.
TEST(SleepSet, IsNotUsedWhereServersHaveFaults) {
  EXPECT_TRUE(explore::SearchPlan{.faults = explore::kill_fault}.leaves_out_what_sleeps());
  for (const auto fault : {explore::failover_fault, explore::amnesia_fault, explore::clock_fault}) {
    EXPECT_FALSE(explore::SearchPlan{.faults = fault}.leaves_out_what_sleeps());
  }
}

}  // namespace
