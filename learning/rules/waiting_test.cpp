// Rules about waiting for a lock that is somebody else's.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

// B waits for A's lock, listens on `channel`, and asks `tries` times.
Wire waits_for(const std::string& channel, int tries) {
  Wire tale;
  tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 2'400}});
  if (!channel.empty()) tale.sends("B", "SUBSCRIBE " + channel, {}, "subscribe");
  for (int i = 0; i < tries; ++i) tale.sends("B", "EVALSHA 565e… 1 lock 41ea… 300", {}, "-300");
  return tale;
}

// The same, so many times as fast.
Wire hurried(Wire tale, int times) {
  for (auto& event : tale.record) event.at /= times;
  return tale;
}

TEST(RuleOfWaiting, AsksWithoutAPauseAlsoWhereAnswersAreSlow) {
  Wire tale;
  tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 2'400}});
  for (int i = 0; i < 15; ++i) {
    tale.add("B", Kind::command, {{"to", "redis"}, {"text", "EVALSHA 565e… 1 lock 41ea… 300"}});
    tale.time_passes(3);
    tale.add("B", Kind::reply, {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "-300"}});
  }
  EXPECT_TRUE(is_remarked("asks_without_a_pause", hurried(tale, 2)));
}

// B is told of A's release before its own refusal, or after that.
TEST(RuleOfWaiting, MissesEarlyWord) {
  const auto told = [](bool before, int slept) {
    Wire tale;
    tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 2'400}});
    tale.add("B", Kind::command, {{"to", "redis"}, {"text", "EVALSHA 565e… 1 lock 41ea… 300"}});
    const auto is_refused = [&] {
      tale.add("B", Kind::reply, {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "-300"}});
    };
    if (!before) is_refused();
    tale.asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "1");
    tale.add("B", Kind::reply, {{"from", "redis"}, {"command", "message"}, {"text", "released"}});
    tale.is_told("A", "release", "released");
    if (before) is_refused();
    return tale.time_passes(slept).is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("misses_early_word", told(true, 40)));
  EXPECT_FALSE(is_said("misses_early_word", told(true, 5)));
  EXPECT_FALSE(is_said("misses_early_word", told(false, 40)));
}

// Of each that waits, the pauses between its tries: so many events, 10 ms each.
TEST(RuleOfWaiting, WaitsInStep) {
  const auto paused = [](const std::vector<std::vector<int>>& waiters) {
    Wire tale(5);
    const std::vector<std::string> names{"B", "C", "D"};
    for (std::size_t i = 0; i < waiters.size(); ++i) {
      tale.asks_to(names[i], "acquire", {{"wait_ms", 1'000}});
      for (const int events : waiters[i]) {
        tale.sends(names[i], "EVALSHA 565e… 1 lock 41ea… 300", {}, "-300", "node1");
        tale.time_passes(events);
      }
      tale.is_told(names[i], "acquire", "contended");
    }
    return tale;
  };
  const std::vector<int> growing{1, 2, 4, 8, 8, 8, 8, 8, 8, 8, 0};
  EXPECT_TRUE(is_remarked("waits_in_step", paused({growing, growing, growing})));
  EXPECT_FALSE(is_remarked("waits_in_step", paused({growing, growing})));
  const std::vector<int> by_chance{1, 1, 2, 7, 3, 5, 2, 6, 1, 4, 0};
  const std::vector<int> by_another{1, 2, 1, 5, 8, 2, 7, 3, 4, 6, 0};
  EXPECT_FALSE(is_remarked("waits_in_step", paused({growing, by_chance, by_another})));
  // One of many may come late on a busy machine; of few none.
  const std::vector<int> late_once{1, 2, 4, 8, 8, 12, 8, 8, 8, 8, 0};
  EXPECT_TRUE(is_remarked("waits_in_step", paused({growing, growing, late_once})));
  EXPECT_FALSE(is_remarked("waits_in_step", paused({{5, 5, 0}, {5, 5, 0}, {5, 5, 0}})));
}

TEST(RuleOfWaiting, AsksWithoutAPauseButNotFewTimesOrSlowly) {
  EXPECT_TRUE(is_remarked("asks_without_a_pause", hurried(waits_for("", 15), 4)));
  EXPECT_FALSE(is_remarked("asks_without_a_pause", hurried(waits_for("", 14), 4)));
  EXPECT_FALSE(is_remarked("asks_without_a_pause", waits_for("", 30)));
}

TEST(RuleOfWaiting, WakesNobodyButNotWhereWordCameOrNobodyListened) {
  const auto released = [](Wire tale, bool word) {
    tale.asks_to("A", "release").sends("A", "DEL lock", {"del"}, "1");
    if (word) {
      tale.add("B", Kind::reply,
               {{"from", "redis"}, {"command", "message"}, {"text", "message released"}});
    }
    tale.is_told("A", "release", "released").time_passes(20);
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("wakes_nobody", released(waits_for("lock:released", 1), false)));
  EXPECT_FALSE(is_said("wakes_nobody", released(waits_for("lock:released", 1), true)));
  EXPECT_FALSE(is_said("wakes_nobody", released(waits_for("", 1), false)));
  Wire cut_off = waits_for("lock:released", 1);
  cut_off.add("B", Kind::fault, {{"what", faults::fault::cut_off}, {"side", "reply"}});
  EXPECT_FALSE(is_said("wakes_nobody", released(cut_off, false)));
}

TEST(RuleOfWaiting, SleepsWhileItIsFreeButNotWhereItHadReasonTo) {
  const auto asks_after = [](int events, const std::function<void(Wire&)>& meanwhile = {}) {
    Wire tale = waits_for("", 1);
    tale.add("redis", Kind::server, {{"what", "expired"}, {"key", lock_key}});
    tale.time_passes(events / 2);
    if (meanwhile) meanwhile(tale);
    tale.time_passes(events / 2).sends("B", "EVALSHA 565e… 1 lock 41ea… 300", {"hset"}, "300");
    return tale.is_told("B", "acquire", "acquired");
  };
  EXPECT_TRUE(is_remarked("sleeps_while_it_is_free", asks_after(150)));
  EXPECT_FALSE(is_remarked("sleeps_while_it_is_free", asks_after(30)));
  const std::vector<std::function<void(Wire&)>> excuses{
      [](Wire& tale) {
        tale.add("B", Kind::fault, {{"what", faults::fault::frozen}});
      },
      [](Wire& tale) {
        tale.add("redis", Kind::fault, {{"what", faults::fault::stepped}});
      },
      [](Wire& tale) {
        tale.add("", Kind::stood_still, {{"for_ms", 800}});
      },
      [](Wire& tale) {
        tale.takes("C", "5c5c…").add("redis", Kind::server, {{"what", "del"}, {"key", lock_key}});
      }};
  for (const auto& excuse : excuses) {
    EXPECT_FALSE(is_remarked("sleeps_while_it_is_free", asks_after(150, excuse)));
  }
}

TEST(RuleOfWaiting, DoesNotWaitButNotWhereItTriedForAWhile) {
  const auto gives_up_after = [](int events) {
    return waits_for("", 1).time_passes(events).is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("does_not_wait", gives_up_after(5)));
  EXPECT_FALSE(is_said("does_not_wait", gives_up_after(200)));
}

TEST(RuleOfWaiting, ListensToNobodyOnlyWhereNoWordCould) {
  const auto untold = [](const std::string& channel) {
    return waits_for(channel, 1).stops("waited for reply number 1 of message, and it never came");
  };
  EXPECT_TRUE(is_said("listens_to_nobody", untold("")));
  EXPECT_FALSE(is_said("listens_to_nobody", untold("lock:released")));
}

TEST(RuleOfWaiting, HeedsStopIfItEndsSoonOrNobodyCould) {
  const auto ends_after = [](int events, bool is_stopped, bool stood_still = false) {
    Wire tale;
    tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 60'000}, {"must_end_within_ms", 400}});
    if (is_stopped) tale.fault("B", faults::fault::terminated);
    if (stood_still) tale.add("", Kind::stood_still, {{"for_ms", 400}});
    return tale.time_passes(events).is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("does_not_heed_stop", ends_after(50, true)));
  EXPECT_FALSE(is_said("does_not_heed_stop", ends_after(5, true)));
  EXPECT_FALSE(is_said("does_not_heed_stop", ends_after(50, false)));
  EXPECT_FALSE(is_said("does_not_heed_stop", ends_after(50, true, true)));
}

}  // namespace
}  // namespace learning
