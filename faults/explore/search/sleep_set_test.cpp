// Which events commute, and what sleeps after them.
#include "faults/explore/search/sleep_set.h"

#include <gtest/gtest.h>

#include "faults/explore/search/search.h"

namespace {

using explore::Event;
using explore::EventKind;

Event event(EventKind kind, const std::string& client, std::size_t server = 0) {
  return {.kind = kind,
          .client = client,
          .label = client + std::to_string(static_cast<int>(kind)) + std::to_string(server),
          .server = server};
}

TEST(Commute, MessagesOfTwoClientsToTwoServers) {
  EXPECT_TRUE(commute(event(EventKind::send, "A", 0), event(EventKind::send, "B", 1)));
  EXPECT_FALSE(commute(event(EventKind::send, "A", 0), event(EventKind::send, "B", 0)));
  EXPECT_FALSE(commute(event(EventKind::send, "A", 0), event(EventKind::send, "A", 1)));
}

TEST(Commute, WhatOneClientMeetsAndWhatAnotherDoes) {
  for (const auto kind : {EventKind::reply, EventKind::thaw, EventKind::mend}) {
    EXPECT_TRUE(commute(event(kind, "A"), event(EventKind::send, "B")));
    EXPECT_FALSE(commute(event(kind, "A"), event(EventKind::send, "A")));
  }
}

TEST(Commute, NeitherFaultsNorTimeNorSlowMessages) {
  for (const auto kind : {EventKind::advance, EventKind::begin, EventKind::freeze, EventKind::kill,
                          EventKind::lose, EventKind::slow, EventKind::cut, EventKind::fail_over,
                          EventKind::come_empty, EventKind::jump}) {
    EXPECT_FALSE(commute(event(kind, "A"), event(EventKind::send, "B", 1)));
  }
  auto slow = event(EventKind::send, "A", 0);
  slow.is_slow = true;
  EXPECT_FALSE(commute(slow, event(EventKind::send, "B", 1)));
}

TEST(SleepSet, LastsUntilSomethingDoesNotCommute) {
  const auto a = event(EventKind::send, "A", 0);
  const auto b = event(EventKind::send, "B", 1);
  const auto none = explore::SleepSet();
  EXPECT_FALSE(none.after({a, b}, 0).has(b)) << "nothing was searched before a";
  const auto after_b = none.after({a, b}, 1);
  EXPECT_TRUE(after_b.has(a));
  EXPECT_TRUE(after_b.after({event(EventKind::reply, "B")}, 0).has(a)) << "though nobody offers it";
  EXPECT_FALSE(after_b.after({event(EventKind::send, "B", 0)}, 0).has(a));
  EXPECT_FALSE(after_b.after({event(EventKind::advance, "")}, 0).has(a));
}

// A server's fault concerns every client, and is offered after a step that was about its server.
TEST(SleepSet, IsNotUsedWhereServersHaveFaults) {
  EXPECT_TRUE(explore::SearchPlan{.faults = explore::kill_fault}.leaves_out_what_sleeps());
  for (const auto fault : {explore::failover_fault, explore::amnesia_fault, explore::clock_fault}) {
    EXPECT_FALSE(explore::SearchPlan{.faults = fault}.leaves_out_what_sleeps());
  }
}

}  // namespace
