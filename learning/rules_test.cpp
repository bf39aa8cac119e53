// Rules that no lock in wrong_locks/ stands for, or only one: each speaks of a history with its
// mistake, and not of the same history without.
#include "learning/rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "faults/judging/tale.h"
#include "learning/diagnosis.h"

namespace learning {
namespace {

using faults::five;
using faults::Kind;
using faults::Tale;
using nlohmann::json;
using Effects = std::vector<std::string>;

bool is_said(std::string_view name, const Tale& tale) {
  for (const auto& rule : diagnoses()) {
    if (rule.key == name) return rule.says(Evidence(tale.record)).has_value();
  }
  throw std::invalid_argument("there is no such rule");
}

// A tale of clients that send commands, on the key "lock".
class Wire : public Tale {
 public:
  using Tale::Tale;

  Wire& asks_to(const std::string& lane, const std::string& operation, json more = json::object()) {
    more["key"] = lock_key;
    call(lane, operation, more);
    return *this;
  }
  // `lane` sends a command, which has `effects` on the lock. Without a reply it is never answered.
  Wire& sends(const std::string& lane, const std::string& text, const Effects& effects,
              const std::string& reply = {}, const std::string& server = "redis") {
    add(lane, Kind::command, {{"to", server}, {"text", text}});
    for (const auto& effect : effects) {
      add(server, Kind::server, {{"what", effect}, {"key", lock_key}});
    }
    if (reply.empty()) return *this;
    const auto name = text.substr(0, text.find(' '));
    add(lane, Kind::reply, {{"from", server}, {"command", name}, {"text", reply}});
    return *this;
  }
  Wire& is_told(const std::string& lane, const std::string& operation, const std::string& outcome) {
    answer(lane, operation, outcome);
    return *this;
  }
  // A whole acquire that goes as it should.
  Wire& takes(const std::string& lane, const std::string& token = "787b…",
              json more = json::object()) {
    return asks_to(lane, "acquire", std::move(more))
        .sends(lane, "SET lock " + token + " NX PX 300", {"set"}, "OK")
        .is_told(lane, "acquire", "acquired");
  }
  Wire& time_passes(int events) {
    for (int i = 0; i < events; ++i) add("D", Kind::ready, json::object());
    return *this;
  }
  Wire& stops(const std::string& why) {
    add("", Kind::not_exercised, {{"why", why}});
    return *this;
  }
};

const std::string as_renewal = "EVALSHA 704d… 1 lock 787b… 300";

TEST(RuleOfReentry, IsNotAnotherThreads) {
  const json second{{"thread", 2}};
  const auto asked_by = [](const json& more, const std::string& outcome) {
    return Wire().takes("A").asks_to("A", "acquire", more).is_told("A", "acquire", outcome);
  };
  EXPECT_TRUE(is_said("owner_is_the_process", asked_by(second, "acquired")));
  EXPECT_FALSE(is_said("owner_is_the_process", asked_by(json::object(), "acquired")));
  const json waiting{{"wait_ms", 100}, {"must_get_in", true}};
  auto waiting_beside = waiting;
  waiting_beside["thread"] = 2;
  EXPECT_TRUE(is_said("waits_for_itself", asked_by(waiting, "contended")));
  EXPECT_FALSE(is_said("waits_for_itself", asked_by(waiting_beside, "contended")));
}

TEST(RuleOfTaking, AsksForAnotherKey) {
  const auto on = [](const std::string& key) {
    return Wire().asks_to("A", "acquire").sends("A", "SET " + key + " 787b… NX PX 300", {}, "OK");
  };
  EXPECT_TRUE(is_said("asks_for_another_key", on("locks")));
  EXPECT_FALSE(is_said("asks_for_another_key", on("lock")));
}

TEST(RuleOfTaking, NamesTheLockWhereAScriptLooksForNoKey) {
  const auto released_by = [](const std::string& words) {
    return Wire()
        .takes("A")
        .asks_to("A", "release")
        .sends("A", "EVALSHA 316f… 1 " + words, {}, "0")
        .is_told("A", "release", "expired");
  };
  EXPECT_TRUE(is_said("asks_for_another_key", released_by("787b… lock")));
  EXPECT_FALSE(is_said("asks_for_another_key", released_by("lock 787b…")));
}

TEST(RuleOfTaking, TakesWhatIsOverdue) {
  const auto after = [](const std::string& found) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "GET lock", {}, found)
        .sends("A", "SET lock 1700000300", {"set"}, "OK");
  };
  EXPECT_TRUE(is_said("takes_what_is_overdue", after("1700000000")));
  EXPECT_FALSE(is_said("takes_what_is_overdue", after("nil")));
}

TEST(RuleOfALease, IsAlwaysTheSame) {
  const auto set_to = [](const std::string& first, const std::string& second) {
    return Wire()
        .asks_to("A", "acquire", {{"lease_ms", 500}})
        .sends("A", "SET lock 787b… NX PX " + first, {}, "nil")
        .is_told("A", "acquire", "contended")
        .asks_to("A", "acquire", {{"lease_ms", 60'000}})
        .sends("A", "SET lock 787b… NX PX " + second, {}, "nil");
  };
  EXPECT_TRUE(is_said("lease_is_always_the_same", set_to("30000", "30000")));
  EXPECT_FALSE(is_said("lease_is_always_the_same", set_to("500", "60000")));
}

TEST(RuleOfALease, IsNothing) {
  const auto with = [](const std::string& lease, const Effects& effects) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "SETNX lock 787b…", {"set"}, "1")
        .sends("A", "EXPIRE lock " + lease, effects, "1");
  };
  EXPECT_TRUE(is_said("lease_of_nothing", with("0", {"del"})));
  EXPECT_FALSE(is_said("lease_of_nothing", with("1", {"expire"})));
}

TEST(RuleOfALease, IsOnAnotherKey) {
  const auto on = [](const std::string& key) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "SETNX lock 787b…", {"set"}, "1")
        .sends("A", "PEXPIRE " + key + " 300", {}, "1")
        .is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("lease_on_another_key", on("787b…")));
  EXPECT_FALSE(is_said("lease_on_another_key", on("lock")));
}

TEST(RuleOfALease, IsWiped) {
  const auto then = [](const std::string& set) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "SET lock 787b… NX PX 300", {"set", "expire"}, "OK")
        .sends("A", set, {"set"}, "OK");
  };
  EXPECT_TRUE(is_said("lease_wiped", then("SET lock 787b…")));
  EXPECT_FALSE(is_said("lease_wiped", then("SET lock 787b… KEEPTTL")));
}

TEST(RuleOfReleasing, DeletesThenCompares) {
  const auto by = [](const std::string& command) {
    return Wire()
        .takes("B", "fc39…")
        .asks_to("A", "release")
        .sends("A", command, {"del"}, "fc39…")
        .is_told("A", "release", "stolen");
  };
  EXPECT_TRUE(is_said("deletes_then_compares", by("GETDEL lock")));
  EXPECT_FALSE(is_said("deletes_then_compares", by("DEL lock")));
}

TEST(RuleOfReleasing, RemovesNothing) {
  const auto with = [](const Effects& effects) {
    return Wire()
        .takes("A")
        .asks_to("A", "release")
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", effects, "1")
        .is_told("A", "release", "released");
  };
  EXPECT_TRUE(is_said("released_nothing", with({})));
  EXPECT_FALSE(is_said("released_nothing", with({"del"})));
  EXPECT_TRUE(
      is_said("released_nothing",
              Wire().takes("A").asks_to("A", "release").is_told("A", "release", "released")));
}

TEST(RuleOfReleasing, RemovesAndDenies) {
  const auto answered = [](const std::string& outcome) {
    return Wire()
        .takes("A")
        .asks_to("A", "release")
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "0")
        .is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("removed_and_denied", answered("expired")));
  EXPECT_FALSE(is_said("removed_and_denied", answered("released")));
}

TEST(RuleOfReleasing, WaitsForARenewal) {
  const auto after = [](int events) {
    return Wire()
        .takes("A")
        .sends("A", as_renewal, {})
        .asks_to("A", "release")
        .time_passes(events)
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", {}, "0")
        .is_told("A", "release", "expired");
  };
  EXPECT_TRUE(is_said("release_waits_for_renewal", after(12)));
  EXPECT_FALSE(is_said("release_waits_for_renewal", after(0)));
}

// A takes the lock on all five servers, and gives it back on some.
Wire given_back_on(const std::vector<int>& nodes, const std::string& outcome) {
  Wire tale(5);
  tale.acquires_on(five, "A");
  tale.asks_to("A", "release");
  for (const int node : nodes) {
    tale.sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "1", "node" + std::to_string(node));
  }
  return tale.is_told("A", "release", outcome);
}

TEST(RuleOfReleasing, AsksTooFew) {
  EXPECT_TRUE(is_said("release_asks_too_few", given_back_on({1, 2}, "released")));
  EXPECT_FALSE(is_said("release_asks_too_few", given_back_on({1, 2, 3}, "released")));
}

TEST(RuleOfReleasing, DoesNotWait) {
  EXPECT_TRUE(is_said("release_does_not_wait", given_back_on({1, 2, 3}, "unknown")));
  EXPECT_FALSE(is_said("release_does_not_wait", given_back_on({1, 2}, "unknown")));
  EXPECT_FALSE(is_said("release_does_not_wait", given_back_on({1, 2, 3}, "released")));
}

TEST(RuleOfReleasing, LeavesServersOut) {
  EXPECT_TRUE(is_said("release_leaves_servers_out", given_back_on({1, 2, 3, 4}, "released")));
  EXPECT_FALSE(is_said("release_leaves_servers_out", given_back_on(five, "released")));
}

TEST(RuleOfReentry, ReleaseEntersAnothers) {
  const auto of = [](const std::string& holder) {
    return Wire()
        .takes(holder)
        .asks_to("A", "release")
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", {}, "2")
        .is_told("A", "release", "still_held");
  };
  EXPECT_TRUE(is_said("release_enters_anothers", of("B")));
  EXPECT_FALSE(is_said("release_enters_anothers", of("A")));
}

// A takes the lock and gives it back as often as it is told something.
Wire taken_and_given_back(int taken, const std::vector<std::string>& outcomes) {
  Wire tale;
  tale.takes("A");
  for (int i = 1; i < taken; ++i) {
    tale.asks_to("A", "acquire").sends("A", "EVALSHA 11aa… 1 lock 787b… 1 2", {}, "300");
    tale.is_told("A", "acquire", "acquired");
  }
  for (const auto& outcome : outcomes) {
    tale.asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock 787b…", {}, "1");
    tale.is_told("A", "release", outcome);
  }
  return tale;
}

TEST(RuleOfReentry, InnerSaysReleased) {
  EXPECT_TRUE(is_said("inner_says_released", taken_and_given_back(2, {"released"})));
  EXPECT_FALSE(is_said("inner_says_released", taken_and_given_back(2, {"still_held"})));
}

TEST(RuleOfReentry, LastReleaseKeepsIt) {
  EXPECT_TRUE(is_said("last_release_keeps_it", taken_and_given_back(1, {"still_held"})));
  EXPECT_FALSE(is_said("last_release_keeps_it", taken_and_given_back(2, {"still_held"})));
}

TEST(RuleOfReentry, ChangesItsToken) {
  const auto under = [](const std::string& token) {
    return Wire()
        .takes("A")
        .asks_to("A", "acquire")
        .sends("A", "EVALSHA 11aa… 1 lock " + token + " 1 2", {}, "300")
        .is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("reentry_changes_token", under("fc39…")));
  EXPECT_FALSE(is_said("reentry_changes_token", under("787b…")));
}

TEST(RuleOfReentry, AddsLeasesUp) {
  const auto given = [](const std::string& lease) {
    return Wire()
        .takes("A", "787b…", {{"lease_ms", 300}})
        .asks_to("A", "acquire", {{"lease_ms", 60'000}})
        .sends("A", "EVALSHA 11aa… 1 lock 787b… 1 2 60000", {"expire"}, lease)
        .is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_said("leases_added_up", given("60290")));
  EXPECT_FALSE(is_said("leases_added_up", given("60000")));
}

TEST(RuleOfAWatchdog, NeverRenews) {
  const std::string waited = "waited 2400 ms for 6 renewals of A, and they never came";
  EXPECT_TRUE(is_said("never_renews", Wire().takes("A").stops(waited)));
  EXPECT_FALSE(is_said("never_renews", Wire().takes("A").stops("nothing was frozen")));
  const auto once_and_then = [&](int events) {
    return Wire()
        .takes("A")
        .sends("A", as_renewal, {"expire"}, "1")
        .time_passes(events)
        .stops(waited);
  };
  EXPECT_FALSE(is_said("never_renews", once_and_then(40)));
  EXPECT_TRUE(is_said("stops_renewing", once_and_then(40)));
  EXPECT_FALSE(is_said("stops_renewing", once_and_then(10)));  // seldom, and not for the last time
  EXPECT_FALSE(is_said("stops_renewing", Wire().takes("A").stops(waited)));
}

TEST(RuleOfAWatchdog, GivesUpAfterALostReply) {
  const auto lost = [](bool goes_on) {
    Wire tale;
    tale.takes("A").sends("A", as_renewal, {"expire"}).fault("A", faults::fault::reset);
    return goes_on ? tale.sends("A", as_renewal, {"expire"}, "1") : tale;
  };
  EXPECT_TRUE(is_said("gives_up_after_a_lost_reply", lost(false)));
  EXPECT_FALSE(is_said("gives_up_after_a_lost_reply", lost(true)));
}

TEST(RuleOfAWatchdog, RenewsWithoutEnd) {
  const auto renewed = [](int times) {
    Wire tale;
    tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 100}, {"must_get_in", true}});
    for (int i = 0; i < times; ++i) tale.sends("A", as_renewal, {"expire"}, "1");
    return tale.time_passes(10).is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("renews_without_end", renewed(4)));
  EXPECT_FALSE(is_said("renews_without_end", renewed(1)));
}

TEST(RuleOfAWatchdog, RenewsANamedLeaseButNotALaterHold) {
  const auto renewed = [](const json& asked, bool again) {
    Wire tale;
    tale.takes("A", "787b…", asked);
    if (again) {
      tale.asks_to("A", "release").sends("A", "EVALSHA 316f… 1 lock 787b…", {"del"}, "1");
      tale.is_told("A", "release", "released").takes("A");
    }
    tale.asks_to("B", "acquire", {{"wait_ms", 100}, {"must_get_in", true}});
    for (int i = 0; i < 4; ++i) tale.sends("A", as_renewal, {"expire"}, "1");
    return tale.time_passes(10).is_told("B", "acquire", "contended");
  };
  const json named{{"lease_ms", 300}};
  EXPECT_TRUE(is_said("renews_a_named_lease", renewed(named, false)));
  EXPECT_FALSE(is_said("renews_a_named_lease", renewed(named, true)));
  EXPECT_FALSE(is_said("renews_a_named_lease", renewed(json::object(), false)));
}

TEST(RuleOfAWatchdog, KeepsALossToItself) {
  // Somebody removes A's lock while it works, B works under one of its own; A asks whose it is.
  const auto answered = [](const std::string& reply) {
    Wire tale;
    tale.takes("A").asks_to("A", "work").reads("A", 0).server("del");
    tale.takes("B", "fc39…").works("B", 0);
    tale.sends("A", "GET lock", {}, reply).writes("A", 1).answer("A", "work", "done");
    return tale;
  };
  EXPECT_TRUE(is_said("keeps_a_loss_to_itself", answered("fc39…")));
  EXPECT_TRUE(is_said("keeps_a_loss_to_itself", answered("nil")));
  EXPECT_FALSE(is_said("keeps_a_loss_to_itself", answered("787b…")));
  EXPECT_FALSE(is_said("keeps_a_loss_to_itself", answered("error ERR no")));
}

TEST(RuleOfAWatchdog, WorksAfterTheWord) {
  const auto told_and_begins = [](int later) {
    Wire tale;
    tale.takes("A").asks_to("A", "work");
    tale.add("A", Kind::told, {{"event", "lost"}});
    tale.time_passes(later);
    tale.add("A", Kind::command, {{"to", "storage"}, {"text", "BEGIN account"}});
    return tale;
  };
  EXPECT_TRUE(is_said("works_after_the_word", told_and_begins(11)));
  EXPECT_FALSE(is_said("works_after_the_word", told_and_begins(0)));
}

TEST(RuleOfARenewal, NamesAnotherKey) {
  const auto renewed_for = [](const std::string& key) {
    return Wire().takes("A").sends("A", "EVALSHA 704d… 1 " + key + " 787b… 300", {}, "0");
  };
  EXPECT_TRUE(is_said("renews_another_key", renewed_for("lock:lease")));
  EXPECT_FALSE(is_said("renews_another_key", renewed_for("lock")));
}

TEST(RuleOfARenewal, RefusesItsOwnButNotAnOlderHold) {
  const auto renewal_of = [](const std::string& token) {
    return Wire().takes("A").sends("A", "EVALSHA 704d… 1 lock " + token + " 300", {}, "0");
  };
  EXPECT_TRUE(is_said("renewal_refuses_its_own", renewal_of("787b…")));
  EXPECT_FALSE(is_said("renewal_refuses_its_own", renewal_of("1111…")));
}

TEST(RuleOfARenewal, BringsItBack) {
  const auto after = [](bool gone) {
    Wire tale;
    tale.takes("A");
    if (gone) tale.server("expired");
    return tale.sends("A", "SET lock 787b… PX 300", {"set", "expire"}, "OK");
  };
  EXPECT_TRUE(is_said("renewal_brings_it_back", after(true)));
  EXPECT_FALSE(is_said("renewal_brings_it_back", after(false)));
}

TEST(RuleOfARenewal, BringsNothingBackBesideWhoIsLetIn) {
  Wire tale;
  tale.takes("A").server("expired");
  tale.asks_to("B", "acquire").sends("B", "EVALSHA a11c… 1 lock 41ea… 300", {});
  tale.sends("A", as_renewal, {"hset"});
  const auto replies = [&](const std::string& lane, const std::string& text) {
    const json reply{{"from", "redis"}, {"command", "EVALSHA"}, {"text", text}};
    tale.add(lane, Kind::reply, reply);
  };
  replies("B", "300");
  replies("A", "0");
  EXPECT_FALSE(is_said("renewal_brings_it_back", tale));
}

TEST(RuleOfARenewal, IsRefused) {
  const auto answered = [](const std::string& first, const std::string& second) {
    return Wire().takes("A").sends("A", as_renewal, {}, first).sends("A", as_renewal, {}, second);
  };
  EXPECT_TRUE(is_said("renewal_is_refused", answered("error ERR no", "error ERR no")));
  EXPECT_FALSE(is_said("renewal_is_refused", answered("error ERR no", "1")));
}

TEST(RuleOfARenewal, SaysNo) {
  const auto answered = [](const std::string& reply) {
    return Wire().takes("A").sends("A", as_renewal, {"expire"}, reply);
  };
  EXPECT_TRUE(is_said("renewal_says_no", answered("0")));
  EXPECT_FALSE(is_said("renewal_says_no", answered("1")));
}

TEST(RuleOfARenewal, Shortens) {
  const auto ends_after = [](int events) {
    Wire tale;
    tale.takes("A").sends("A", as_renewal, {"expire"}, "1").time_passes(events).server("expired");
    return tale;
  };
  EXPECT_TRUE(is_said("renewal_shortens", ends_after(1)));
  EXPECT_FALSE(is_said("renewal_shortens", ends_after(28)));
}

TEST(RuleOfARenewal, SetsTooLongALease) {
  const auto ends_after = [](int events) {
    Wire tale;
    tale.takes("A").sends("A", "EVALSHA 704d… 1 lock 787b… 30", {"expire"}, "1");
    tale.asks_to("B", "acquire", {{"wait_ms", 200}, {"must_get_in", true}}).time_passes(events);
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("renewal_sets_too_long_a_lease", ends_after(20)));
  EXPECT_FALSE(is_said("renewal_sets_too_long_a_lease", ends_after(0)));
}

TEST(RuleOfARenewal, WritesOverAnothersWithSetXx) {
  const auto with = [](const std::string& command) {
    return Wire().takes("B", "fc39…").sends("A", command, {"expire"}, "OK");
  };
  EXPECT_TRUE(is_said("renews_with_set_xx", with("SET lock 787b… XX PX 300")));
  EXPECT_FALSE(is_said("renews_with_set_xx", with(as_renewal)));
}

// Its renewal says that it did what the server was told: to delete the lock.
TEST(RuleOfARenewal, Deletes) {
  const auto beside_a_release = [](bool beside) {
    Wire tale;
    tale.takes("A").sends("A", "EVALSHA 704d… 1 lock 787b… 0", {});
    if (beside) tale.asks_to("A", "release");
    tale.server("del").add("A", Kind::reply,
                           {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "1"}});
    return beside ? tale.is_told("A", "release", "released") : tale;
  };
  EXPECT_TRUE(is_said("renewal_deletes", beside_a_release(false)));
  EXPECT_FALSE(is_said("renewal_deletes", beside_a_release(true)));
}

void answer_with_token(Tale& tale, const std::string& lane, int id, int token) {
  tale.add(lane, Kind::answer,
           {{"op", "acquire"}, {"id", id}, {"outcome", "acquired"}, {"fencing_token", token}});
}

// Two holds, one after the other, with these fencing tokens, after `event` on the counter.
Wire fenced(int first, int second, const std::string& event) {
  Wire tale;
  int id = 0;
  for (const int token : {first, second}) {
    const std::string lane = ++id == 1 ? "A" : "B";
    tale.asks_to(lane, "acquire");
    if (!event.empty()) {
      tale.add("redis", Kind::server, {{"what", event}, {"key", "lock:fencing"}});
    }
    answer_with_token(tale, lane, id, token);
  }
  return tale;
}

TEST(RuleOfFencing, CounterIsNotCounted) {
  EXPECT_TRUE(is_said("counter_is_not_counted", fenced(0, 0, "")));
  EXPECT_FALSE(is_said("counter_is_not_counted", fenced(1, 1, "incrby")));
  EXPECT_FALSE(is_said("counter_is_not_counted", fenced(1, 2, "")));
}

TEST(RuleOfFencing, CounterStartsAgainButNotForTwoThatAskedAtTheSameTime) {
  EXPECT_TRUE(is_said("counter_starts_again", fenced(8, 7, "")));
  Wire together;
  together.asks_to("A", "acquire").asks_to("B", "acquire");
  answer_with_token(together, "B", 2, 8);
  answer_with_token(together, "A", 1, 7);
  EXPECT_FALSE(is_said("counter_starts_again", together));
}

// B gets the token that A has, and A's write is lost. node4 had counted B to `counted` when it
// heard of B's second round, and answers that with `raised`.
Wire token_of_two(int counted, const std::string& raised) {
  const std::string entering = "EVALSHA a11c… 3 lock lock:fencing marker 787b…";
  Wire tale(5);
  tale.asks_to("B", "acquire").sends("B", entering, {"hset"}, "60000 2", "node2");
  tale.asks_to("A", "acquire");
  answer_with_token(tale, "A", 2, 2);
  tale.sends("B", entering, {"hset"}, fmt::format("60000 {}", counted), "node4")
      .sends("B", "EVALSHA 4a15… 2 lock lock:fencing 787b… 2", {}, raised, "node4");
  answer_with_token(tale, "B", 1, 2);
  tale.reads("A", 0).reads("B", 0).writes("B", 1).writes("A", 1);
  return tale;
}

TEST(RuleOfFencing, PastTakenForStoredButNotWhereTheServerRefused) {
  EXPECT_TRUE(is_said("past_taken_for_stored", token_of_two(3, "1")));
  EXPECT_FALSE(is_said("past_taken_for_stored", token_of_two(2, "1")));
  EXPECT_FALSE(is_said("past_taken_for_stored", token_of_two(3, "-1")));
}

// B counts 9, 11 and 9, and its second round, which raises that to 11, is answered so.
Wire raised_to_eleven(const std::vector<std::string>& answers) {
  Wire tale(5);
  tale.asks_to("B", "acquire");
  int node = 0;
  for (const int count : {9, 11, 9}) {
    tale.sends("B", "EVALSHA a11c… 3 lock lock:fencing marker 787b…", {"hset"},
               fmt::format("60000 {}", count), fmt::format("node{}", ++node));
  }
  node = 0;
  for (const auto& answer : answers) {
    tale.sends("B", "EVALSHA 4a15… 2 lock lock:fencing 787b… 11", {}, answer,
               fmt::format("node{}", ++node));
  }
  return tale.is_told("B", "acquire", "unknown");
}

TEST(RuleOfFencing, CountersAreComparedAsTextsWhereOnlyTheGreaterTextIsRefused) {
  EXPECT_TRUE(is_said("counters_compared_as_text", raised_to_eleven({"-1", "1", "-1"})));
  EXPECT_FALSE(is_said("counters_compared_as_text", raised_to_eleven({"1", "1", "1"})));
  EXPECT_FALSE(is_said("counters_compared_as_text", raised_to_eleven({"nil", "nil", "nil"})));
}

TEST(RuleOfFencing, CounterIsRemoved) {
  EXPECT_TRUE(is_said("counter_is_removed", fenced(1, 1, "del")));
  EXPECT_FALSE(is_said("counter_is_removed", fenced(1, 2, "incrby")));
}

// A renews a lease of 300 ms every `pause` events, 10 ms each.
Wire renewed_every(int pause) {
  Wire tale;
  tale.takes("A");
  for (int i = 0; i < 3; ++i) {
    tale.time_passes(pause).sends("A", as_renewal, {"expire"}, "1");
  }
  return tale;
}

TEST(RuleOfRenewal, ComesTooLateButNotAThirdOfALeaseApart) {
  EXPECT_TRUE(is_said("renews_too_late", renewed_every(25)));
  EXPECT_FALSE(is_said("renews_too_late", renewed_every(8)));
}

// B waits for A's lock, listens on `channel`, and asks `tries` times.
Wire waits_for(const std::string& channel, int tries) {
  Wire tale;
  tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 2'400}});
  if (!channel.empty()) tale.sends("B", "SUBSCRIBE " + channel, {}, "subscribe");
  for (int i = 0; i < tries; ++i) tale.sends("B", "EVALSHA 9535… 1 lock 41ea… 300", {}, "-300");
  return tale;
}

// The same, so many times as fast.
Wire hurried(Wire tale, int times) {
  for (auto& event : tale.record) event.at /= times;
  return tale;
}

bool is_remarked(std::string_view name, const Tale& tale) {
  for (const auto& rule : remarks()) {
    if (rule.key == name) return rule.says(Evidence(tale.record)).has_value();
  }
  throw std::invalid_argument("there is no such rule");
}

TEST(RuleOfWaiting, AsksWithoutAPauseAlsoWhereAnswersAreSlow) {
  Wire tale;
  tale.takes("A").asks_to("B", "acquire", {{"wait_ms", 2'400}});
  for (int i = 0; i < 15; ++i) {
    tale.add("B", Kind::command, {{"to", "redis"}, {"text", "EVALSHA 9535… 1 lock 41ea… 300"}});
    tale.time_passes(3);
    tale.add("B", Kind::reply, {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "-300"}});
  }
  EXPECT_TRUE(is_remarked("asks_without_a_pause", hurried(tale, 2)));
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

TEST(RuleOfLease, WipedButNotWhereItIsSetAgainAtOnce) {
  const auto persisted = [](const Effects& effects) {
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock", effects, "2");
    return tale.is_told("A", "release", "still_held");
  };
  EXPECT_TRUE(is_said("lease_wiped", persisted({"persist"})));
  EXPECT_TRUE(is_said("lease_wiped", persisted({"persist", "hset"})));
  EXPECT_FALSE(is_said("lease_wiped", persisted({"persist", "expire"})));
  EXPECT_FALSE(is_said("lease_wiped", persisted({"persist", "del"})));
}

TEST(RuleOfLease, GivesUpWhatItHasButNotWhenItCannotHear) {
  const auto told_early = [](bool disturbed) {
    Wire tale;
    tale.takes("A");
    if (disturbed) tale.add("A", Kind::fault, {{"what", faults::fault::cut_off}});
    tale.add("A", Kind::told, {{"event", "lost"}});
    tale.time_passes(30).asks_to("A", "release").sends("A", "DEL lock", {"del"}, "1");
    return tale.is_told("A", "release", "released");
  };
  EXPECT_TRUE(is_remarked("gives_up_what_it_has", told_early(false)));
  EXPECT_FALSE(is_remarked("gives_up_what_it_has", told_early(true)));
}

TEST(RuleOfWaiting, SleepsWhileItIsFreeButNotWhereItHadReasonTo) {
  const auto asks_after = [](int events, const std::function<void(Wire&)>& meanwhile = {}) {
    Wire tale = waits_for("", 1);
    tale.add("redis", Kind::server, {{"what", "expired"}, {"key", lock_key}});
    tale.time_passes(events / 2);
    if (meanwhile) meanwhile(tale);
    tale.time_passes(events / 2).sends("B", "EVALSHA 9535… 1 lock 41ea… 300", {"hset"}, "300");
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

TEST(RuleOfAWatchdog, TellsOfAReleaseButNotOfALeaseThatIsOver) {
  const auto told_after = [](int events) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SET lock 787b… NX PX 300", {"set", "expire"}, "OK");
    tale.is_told("A", "acquire", "acquired").time_passes(events).asks_to("A", "release");
    tale.add("A", Kind::told, {{"event", "lost"}});
    tale.sends("A", "DEL lock", {"del"}, "1");
    return tale.is_told("A", "release", "released");
  };
  EXPECT_TRUE(is_remarked("tells_of_a_release", told_after(1)));
  EXPECT_FALSE(is_remarked("tells_of_a_release", told_after(30)));
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

TEST(RuleOfQuorum, AnswersThatNeverCameWereNotToCome) {
  const auto gives_up = [](bool comes) {
    Wire tale(5);
    tale.asks_to("A", "acquire");
    for (int node = 1; node <= 5; ++node) tale.command_to(node, "A", "SET lock 787b… NX PX 300");
    for (int node = 1; node <= 2; ++node) tale.reply_from(node, "A", "OK");
    tale.reply_from(3, "A", "nil");
    tale.is_told("A", "acquire", "contended");
    if (comes) tale.reply_from(4, "A", "OK").reply_from(5, "A", "OK");
    return tale;
  };
  EXPECT_TRUE(is_said("answers_counted_for_votes", gives_up(true)));
  EXPECT_FALSE(is_said("answers_counted_for_votes", gives_up(false)));
}

TEST(RuleOfAcquire, TakesWhatIsOverdueButNotWhatIsItsOwn) {
  const auto removes = [](const std::string& written, const std::string& found) {
    Wire tale;
    tale.takes("A", found).asks_to("B", "acquire");
    tale.sends("B", "SET lock " + written + " NX PX 300", {}, "nil");
    tale.sends("B", "GET lock", {}, found).sends("B", "DEL lock", {"del"}, "1");
    return tale.is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("takes_what_is_overdue", removes("1754…", "1754…")));  // a time
  EXPECT_TRUE(is_said("takes_what_is_overdue", removes("41ea…", "787b…")));
  EXPECT_FALSE(is_said("takes_what_is_overdue", removes("787b…", "787b…")));
}

TEST(RuleOfAcquire, SilenceIsNoNoButWhatAnotherHasByThenIs) {
  const auto asks_again = [](bool another_is_in) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SET lock 787b… NX PX 300", {"set"}, "OK");
    tale.add("A", Kind::fault,
             {{"what", faults::fault::reset},
              {"side", "reply"},
              {"command", "SET"},
              {"server", "redis"}});
    if (another_is_in) {
      tale.sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "1").takes("B", "41ea…");
    }
    tale.sends("A", "SET lock 5c5c… NX PX 300", {}, "nil");
    return tale.is_told("A", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("silence_taken_for_a_no", asks_again(false)));
  EXPECT_FALSE(is_said("silence_taken_for_a_no", asks_again(true)));
}

TEST(RuleOfAcquire, AYesIsNoUnknownUnlessItCameLate) {
  const auto answered_after = [](int events) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "EVALSHA 9535… 1 lock 787b… 300", {"hset"}, "1");
    return tale.time_passes(events).is_told("A", "acquire", "unknown");
  };
  EXPECT_TRUE(is_said("yes_taken_for_unknown", answered_after(1)));
  EXPECT_FALSE(is_said("yes_taken_for_unknown", answered_after(40)));
}

TEST(RuleOfLease, IsOverAtOnceAndOnAnotherKeyOnlyIfNothingElseSetsIt) {
  const auto after_taking = [](const std::string& command, const Effects& effects) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SETNX lock held", {"set"}, "1");
    tale.sends("A", command, effects, "1");
    return tale;
  };
  EXPECT_TRUE(is_said("lease_is_over_at_once", after_taking("PEXPIREAT lock 300", {"del"})));
  EXPECT_FALSE(is_said("lease_is_over_at_once", after_taking("PEXPIRE lock 300", {"expire"})));
  auto two = after_taking("PEXPIRE lock 300", {"expire"});
  two.sends("A", "PEXPIRE lock:waiters 10000", {}, "1").is_told("A", "acquire", "acquired");
  EXPECT_FALSE(is_said("lease_on_another_key", two));
  auto other = after_taking("PEXPIRE lock:lease 300", {});
  EXPECT_TRUE(is_said("lease_on_another_key", other.is_told("A", "acquire", "acquired")));
}

TEST(RuleOfJoin, IsRefusedOnlyWhileItsHoldStands) {
  const auto joins = [](bool stands, const std::string& outcome) {
    Wire tale;
    tale.takes("A");
    if (!stands) tale.add("redis", Kind::server, {{"what", "del"}, {"key", lock_key}});
    tale.asks_to("A", "acquire", {{"join", "787b"}, {"thread", 2}});
    return tale.is_told("A", "acquire", outcome);
  };
  EXPECT_TRUE(is_said("join_is_refused", joins(true, "contended")));
  EXPECT_FALSE(is_said("join_is_refused", joins(false, "contended")));
  EXPECT_TRUE(is_remarked("joins_what_is_over", joins(false, "acquired")));
  EXPECT_FALSE(is_remarked("joins_what_is_over", joins(true, "acquired")));
}

TEST(RuleOfReentry, BringsItBackButNotWhereItIsThereOrBegunAnew) {
  const auto entered_again = [](bool removed, const std::string& token) {
    Wire tale;
    tale.takes("A", "787b…");
    if (removed) tale.add("redis", Kind::server, {{"what", "del"}, {"key", lock_key}});
    tale.asks_to("A", "acquire").sends("A", "EVALSHA 9535… 1 lock " + token, {"hset"}, "300");
    return tale.is_told("A", "acquire", "acquired");
  };
  EXPECT_TRUE(is_remarked("reentry_brings_it_back", entered_again(true, "787b…")));
  EXPECT_FALSE(is_remarked("reentry_brings_it_back", entered_again(false, "787b…")));
  EXPECT_FALSE(is_remarked("reentry_brings_it_back", entered_again(true, "41ea…")));
}

TEST(RuleOfOutcome, RefusedWhatIsFreeButNotWhatWasHeldForAWhile) {
  const auto refused = [](Wire tale) {
    return tale.asks_to("B", "acquire")
        .sends("B", "SET lock 41ea… NX PX 300", {}, "nil")
        .is_told("B", "acquire", "contended");
  };
  EXPECT_TRUE(is_said("refused_what_is_free", refused(Wire())));
  EXPECT_FALSE(is_said("refused_what_is_free", refused(Wire().takes("A"))));
  Wire free_again;
  free_again.takes("A").asks_to("A", "release").sends("A", "DEL lock", {"del"}, "1");
  EXPECT_TRUE(is_said("refused_what_is_free", refused(free_again)));
}

// Two of A's nodes lose its lock and refuse a renewal, and A sends them `command`, with `effects`.
// Then a third one loses it.
Wire lost_by_two_nodes(const std::string& command, const Effects& effects) {
  const std::string entering = "EVALSHA a11c… 1 lock 787b… 300";
  Wire tale(5);
  const auto loses = [&](const std::string& node) {
    tale.add(node, Kind::fault, {{"what", faults::fault::removed}});
    tale.add(node, Kind::server, {{"what", "del"}, {"key", lock_key}});
  };
  tale.asks_to("A", "acquire");
  for (const auto* node : {"node1", "node2", "node3", "node4", "node5"}) {
    tale.sends("A", entering, {"hset"}, "300", node);
  }
  tale.is_told("A", "acquire", "acquired").reads("A", 0);
  for (const auto* node : {"node1", "node2"}) {
    loses(node);
    tale.sends("A", as_renewal, {}, "0", node).sends("A", command, effects, "300", node);
  }
  loses("node3");
  tale.asks_to("B", "acquire");
  for (const auto* node : {"node1", "node2", "node3"}) {
    tale.sends("B", entering, {"hset"}, "300", node);
  }
  tale.is_told("B", "acquire", "acquired").reads("B", 0).writes("B", 1).writes("A", 1);
  return tale;
}

// A has the lock and asks for it once more, with `first` before. The fifth node gives `answer`.
Wire refused_inside(const std::string& first, const std::string& answer) {
  Wire tale(5);
  const auto enters = [&](const std::string& last) {
    const std::string entering = "EVALSHA a11c… 1 lock 787b… 300";
    for (const auto* node : {"node1", "node2", "node3", "node4"}) {
      tale.sends("A", entering, {"hset"}, "300", node);
    }
    tale.sends("A", entering, {}, last, "node5");
  };
  tale.asks_to("A", "acquire");
  enters("300");
  tale.is_told("A", "acquire", "acquired")
      .asks_to("A", "acquire")
      .sends("A", first, {}, "1", "node1");
  enters(answer);
  return tale.is_told("A", "acquire", "contended");
}

TEST(RuleOfQuorum, OneNoEndsTheHoldButNotARefusal) {
  EXPECT_TRUE(is_said("one_no_ends_the_hold", refused_inside("DEL lock", "0")));
  EXPECT_FALSE(is_said("one_no_ends_the_hold", refused_inside("DEL lock", "-300")));
}

TEST(RuleOfQuorum, NeverRepairsButNotWhereTheNodeGotItBack) {
  EXPECT_TRUE(is_said("never_repairs", lost_by_two_nodes(as_renewal, {})));
  const std::string again = "EVALSHA a11c… 1 lock 787b… 300";
  EXPECT_FALSE(is_said("never_repairs", lost_by_two_nodes(again, {"hset"})));
}

const std::string read_only = "error READONLY You can't write against a read only replica.";

TEST(RuleOfErrors, AnErrorIsNoAnswerButWhatCameBesideItMayBe) {
  const auto refused = [](const std::string& outcome, const std::string& error = read_only) {
    Wire tale;
    tale.asks_to("B", "acquire").sends("B", "SET lock 41ea… NX PX 300", {}, error);
    return tale.is_told("B", "acquire", outcome);
  };
  EXPECT_TRUE(is_remarked("error_taken_for_an_answer", refused("contended")));
  EXPECT_TRUE(is_remarked("error_taken_for_an_answer", refused("unknown")));
  EXPECT_FALSE(is_remarked("error_taken_for_an_answer", refused("error")));
  // After that the script's text is sent.
  EXPECT_FALSE(is_remarked("error_taken_for_an_answer", refused("unknown", "error NOSCRIPT No…")));
}

TEST(RuleOfErrors, AnErrorExcusesWhatElseWasSentOrIsSo) {
  const std::string take = "SET lock 41ea… NX PX 300";
  Wire done;  // and then it is not known what of it stands
  done.asks_to("B", "acquire")
      .sends("B", take, {"set"}, "OK")
      .sends("B", "PEXPIRE lock 300", {}, read_only);
  EXPECT_FALSE(is_remarked("error_taken_for_an_answer", done.is_told("B", "acquire", "unknown")));
  Wire lost;
  lost.asks_to("B", "acquire").sends("B", take, {}, read_only).sends("B", take, {});
  EXPECT_FALSE(is_remarked("error_taken_for_an_answer", lost.is_told("B", "acquire", "unknown")));
  Wire late;
  late.asks_to("B", "acquire").add("B", Kind::command, {{"to", "redis"}, {"text", take}});
  late.time_passes(150).reply("B", read_only);
  EXPECT_FALSE(is_remarked("error_taken_for_an_answer", late.is_told("B", "acquire", "unknown")));
  Wire held;
  held.takes("A").asks_to("B", "acquire").sends("B", take, {}, read_only);
  EXPECT_FALSE(is_remarked("error_taken_for_an_answer", held.is_told("B", "acquire", "contended")));
  Wire some(5);
  some.asks_to("B", "acquire").sends("B", take, {}, read_only, "node1");
  some.sends("B", take, {}, "nil", "node2").sends("B", take, {}, "nil", "node3");
  EXPECT_FALSE(is_remarked("error_taken_for_an_answer", some.is_told("B", "acquire", "contended")));
}

TEST(RuleOfErrors, AReleaseThatIsRefusedHasNotLostWhatTheServerStillHas) {
  const auto released = [](const std::string& outcome, bool stands) {
    Wire tale;
    tale.takes("A").asks_to("A", "release");
    if (!stands) tale.add("redis", Kind::server, {{"what", "expired"}, {"key", lock_key}});
    tale.sends("A", "EVALSHA 316f… 1 lock 787b…", {}, read_only);
    return tale.is_told("A", "release", outcome);
  };
  EXPECT_TRUE(is_said("error_taken_for_an_answer", released("expired", true)));
  EXPECT_TRUE(is_said("error_taken_for_an_answer", released("unknown", true)));
  EXPECT_FALSE(is_said("error_taken_for_an_answer", released("error", true)));
}

TEST(RuleOfErrors, NobodyAnswersOnlyWhereNobodyIsThere) {
  const auto asks = [](int times, const std::string& outcome, bool is_back = false) {
    Wire tale;
    tale.takes("A").fault("redis", faults::fault::killed);
    if (is_back) tale.fault("redis", faults::fault::restarted);
    for (int i = 0; i < times; ++i) tale.asks_to("B", "acquire").is_told("B", "acquire", outcome);
    return tale;
  };
  EXPECT_TRUE(is_remarked("answers_for_nobody", asks(1, "contended")));
  EXPECT_FALSE(is_remarked("answers_for_nobody", asks(1, "contended", true)));
  EXPECT_FALSE(is_remarked("answers_for_nobody", asks(3, "error")));
  EXPECT_TRUE(is_remarked("answers_for_nobody", asks(3, "unknown")));
  // Its connections break one by one.
  EXPECT_FALSE(is_remarked("answers_for_nobody", asks(2, "unknown")));
  // A thread of A has it.
  auto inside = asks(0, "");
  inside.asks_to("A", "acquire", {{"thread", 2}}).is_told("A", "acquire", "contended");
  EXPECT_FALSE(is_remarked("answers_for_nobody", inside));
}

TEST(RuleOfErrors, OneServerThatLivesMayAnswer) {
  Wire tale(5);
  for (int node = 1; node <= 4; ++node)
    tale.fault(fmt::format("node{}", node), faults::fault::killed);
  tale.asks_to("B", "acquire").is_told("B", "acquire", "contended");
  EXPECT_FALSE(is_remarked("answers_for_nobody", tale));
  Wire promoted;
  promoted.fault("redis", faults::fault::killed).fault("replica", faults::fault::promoted);
  promoted.asks_to("B", "acquire").is_told("B", "acquire", "contended");
  EXPECT_FALSE(is_remarked("answers_for_nobody", promoted));
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

// A's call, which goes as it may: nothing is sent.
Wire& does(Wire& tale, const std::string& operation, const std::string& outcome, int thread = 1) {
  return tale.asks_to("A", operation, {{"thread", thread}}).is_told("A", operation, outcome);
}

TEST(RuleOfOutcome, ForgetsNoReleaseButWhatMayStillBeThereIsNotForgotten) {
  const auto then = [](const std::vector<std::pair<std::string, std::string>>& calls,
                       int thread = 1) {
    Wire tale;
    for (const auto& [operation, outcome] : calls) does(tale, operation, outcome);
    return does(tale, "release", "expired", thread);
  };
  EXPECT_TRUE(
      is_remarked("forgets_no_release", then({{"acquire", "acquired"}, {"release", "released"}})));
  EXPECT_FALSE(
      is_remarked("forgets_no_release", then({{"acquire", "acquired"}, {"release", "unknown"}})));
  EXPECT_FALSE(
      is_remarked("forgets_no_release", then({{"acquire", "acquired"}, {"release", "error"}})));
  EXPECT_FALSE(is_remarked("forgets_no_release", then({{"acquire", "acquired"}})));
  EXPECT_FALSE(is_remarked(
      "forgets_no_release",
      then({{"acquire", "acquired"}, {"acquire", "acquired"}, {"release", "still_held"}})));
  EXPECT_FALSE(is_remarked(
      "forgets_no_release",
      then({{"acquire", "acquired"}, {"release", "released"}, {"acquire", "unknown"}})));
}

TEST(RuleOfOutcome, ALossIsNotCalledNotHeldButAnotherThreadHeldNothing) {
  const auto told = [](const std::string& command, int thread = 1, bool had_given_back = false) {
    Wire tale;
    tale.takes("A");
    if (had_given_back) does(tale, "release", "released");
    tale.add("redis", Kind::server, {{"what", "expired"}, {"key", lock_key}});
    tale.asks_to("A", "release", {{"thread", thread}}).sends("A", command, {}, "nil");
    return tale.is_told("A", "release", "not_held");
  };
  EXPECT_TRUE(is_remarked("loss_called_not_held", told("GET lock")));
  EXPECT_TRUE(is_remarked("loss_called_not_held", told("EVALSHA 316f… 1 lock 787b…")));
  EXPECT_FALSE(is_remarked("loss_called_not_held", told("DEL lock")));  // it cannot know more
  EXPECT_FALSE(is_remarked("loss_called_not_held", told("GET lock", 2)));
  EXPECT_FALSE(is_remarked("loss_called_not_held", told("GET lock", 1, true)));
}

TEST(RuleOfOutcome, EntersWhatItLeavesButNotWhereItWasInsideTwiceOrAnotherIs) {
  const auto left = [](const std::string& first, int levels, int thread = 1) {
    Wire tale;
    for (int i = 0; i < levels; ++i) does(tale, "acquire", "acquired");
    if (thread != 1) does(tale, "acquire", "acquired", thread);
    does(does(tale, "release", first), "acquire", "acquired");
    return does(tale, "release", "still_held");
  };
  EXPECT_TRUE(is_said("enters_what_it_leaves", left("unknown", 1)));
  EXPECT_FALSE(is_said("enters_what_it_leaves", left("unknown", 2)));
  EXPECT_FALSE(is_said("enters_what_it_leaves", left("still_held", 1)));
  EXPECT_FALSE(is_said("enters_what_it_leaves", left("unknown", 1, 2)));
}

// A has had the hold 787b, gives it back if so, has another one, and joins with `token`.
Wire joins_inside(bool gave_back, const std::string& token, const std::string& outcome,
                  bool told = false, int events = 1) {
  Wire tale;
  int id = 0;
  const auto takes = [&](const std::string& hold) {
    tale.asks_to("A", "acquire", {{"lease_ms", 60'000}});
    tale.sends("A", "EVALSHA 9535… 1 lock " + hold, {"hset"}, "60000");
    tale.add("A", Kind::answer,
             {{"op", "acquire"}, {"id", ++id}, {"outcome", "acquired"}, {"token", hold}});
  };
  takes("787b");
  if (gave_back) {
    tale.asks_to("A", "release").sends("A", "EVALSHA 22bb… 1 lock 787b", {"del"}, "1");
    tale.is_told("A", "release", "released");
    ++id;
    takes("41ea");
  }
  tale.asks_to("A", "acquire", {{"join", token}}).time_passes(events);
  if (told) tale.add("A", Kind::told, {{"event", "lost"}});
  return tale.is_told("A", "acquire", outcome);
}

TEST(RuleOfJoin, AnOldTokenLetsNobodyInButThatOfTheHoldDoes) {
  EXPECT_TRUE(is_remarked("joins_by_an_old_token", joins_inside(true, "787b", "acquired")));
  EXPECT_FALSE(is_remarked("joins_by_an_old_token", joins_inside(true, "41ea", "acquired")));
  EXPECT_FALSE(is_remarked("joins_by_an_old_token", joins_inside(true, "787b", "contended")));
  EXPECT_FALSE(is_remarked("joins_by_an_old_token", joins_inside(false, "787b", "acquired")));
}

TEST(RuleOfJoin, ARefusalEndsNoHoldButALeaseMay) {
  const auto refused = [](bool told, int events) {
    return joins_inside(true, "787b", "contended", told, events);
  };
  EXPECT_TRUE(is_remarked("refused_join_ends_the_hold", refused(true, 1)));
  EXPECT_FALSE(is_remarked("refused_join_ends_the_hold", refused(false, 1)));
  EXPECT_FALSE(is_remarked("refused_join_ends_the_hold", refused(true, 4'000)));
}

// B hears these counts, raises node2 to `raised` (or does not) and gets `reply`, and is told
// `token`.
Wire counted(const std::vector<int>& counts, int raised, const std::string& reply, int token) {
  Wire tale(5);
  tale.asks_to("B", "acquire");
  int node = 0;
  for (const int count : counts) {
    tale.sends("B", "EVALSHA a11c… 2 lock lock:fencing 41ea… 60000", {"hset"},
               fmt::format("60000 {}", count), fmt::format("node{}", ++node));
  }
  if (raised > 0) {
    tale.sends("B", fmt::format("EVALSHA 4a15… 2 lock lock:fencing 41ea… {}", raised), {}, reply,
               "node2");
  }
  if (token == 0) return tale.is_told("B", "acquire", "contended");
  answer_with_token(tale, "B", 1, token);
  return tale;
}

TEST(RuleOfFencing, TokenIsNotTheGreatestOfAnyMajority) {
  const std::string rule = "token_is_not_the_greatest";
  EXPECT_TRUE(is_said(rule, counted({9, 11, 9}, 9, "-1", 0)));
  EXPECT_TRUE(is_said(rule, counted({9, 11, 9}, 0, "", 9)));
  EXPECT_FALSE(is_said(rule, counted({9, 11, 9}, 11, "1", 11)));
  EXPECT_FALSE(is_said(rule, counted({9, 11, 9}, 11, "0", 0)));
  // Of five the last two may have come when three had been counted.
  EXPECT_FALSE(is_said(rule, counted({9, 9, 9, 11, 11}, 0, "", 9)));
  EXPECT_FALSE(is_said(rule, counted({9, 11}, 0, "", 9)));
}

TEST(RuleOfFencing, TokenOfTwoIsOfTooFewButNotBeforeTheSecondRound) {
  const std::string rule = "token_of_too_few_nodes";
  EXPECT_TRUE(is_remarked(rule, counted({1, 2, 2}, 0, "", 2)));
  EXPECT_FALSE(is_remarked(rule, counted({2, 2, 2}, 0, "", 2)));
  EXPECT_FALSE(is_remarked(rule, counted({1, 2, 2}, 2, "1", 2)));
  auto killed = counted({1, 2, 2}, 0, "", 0);
  killed.record.pop_back();  // it was never told
  EXPECT_FALSE(is_remarked(rule, killed.fault("B", faults::fault::killed)));
}

TEST(Diagnose, BlamesTheMachineAndNotTheLock) {
  auto tale = renewed_every(25);
  tale.add("", Kind::stalled, {{"why", "it stood still"}});
  EXPECT_EQ(diagnose(Evidence(tale.record))->key, "inconclusive");
}

}  // namespace
}  // namespace learning
