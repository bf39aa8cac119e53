// A lock that speaks as client libraries of today do (testing/renewing_client.py), under scenarios.
#include <algorithm>

#include "faults/kit/errors.h"
#include "faults/running/run_scenario.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;

class RenewingLock : public KitTest {
 protected:
  static TestedLock client(std::vector<std::string> options = {}) {
    TestedLock stage{.name = "renewing",
                     .adds = {},
                     .directory = {},
                     .command = {"/usr/bin/python3", LAB_RENEWING_CLIENT},
                     .commands_on_the_wire = {},
                     .declared = {},
                     .marker = {},
                     .turned_from = {},
                     .facts = LockFacts{}};
    stage.command.insert(stage.command.end(), options.begin(), options.end());
    stage.facts->capabilities = {"lease",   "token",       "atomic_release",
                                 "renewal", "loss_notice", "discovery"};
    stage.facts->key = "%s";
    stage.facts->loss = "told";
    return stage;
  }

  Result run_on(const char* scenario, const TestedLock& stage) {
    return run_scenario(stage, *find_scenario(scenario),
                        {.redis = find_redis(), .runs = directory.path()}, reaper);
  }

  static std::vector<std::string> boundaries_of(const Result& result) {
    std::vector<std::string> names;
    for (const auto& execution : result.executions) names.push_back(execution.boundary);
    return names;
  }

  // The texts of one kind in the history that is shown.
  static std::vector<std::string> texts_in(const Result& result, Kind kind) {
    std::vector<std::string> texts;
    for (const auto& event : read_record(result.shown().history)) {
      if (event.kind == kind) texts.push_back(event.text("text"));
    }
    return texts;
  }
};

constexpr auto one_renewal =
    "renewal, after script [0-9a-f]+ was applied, before its answer arrived";

TEST_F(RenewingLock, IsReadInEitherVersionOfTheProtocol) {
  for (const auto* version : {"resp=3", "resp=2"}) {
    const auto result = run_on("reply_lost_renew", client({version}));
    EXPECT_EQ(result.verdict(), Verdict::holds) << result.shown().judgement.why;
    EXPECT_THAT(boundaries_of(result), ElementsAre(MatchesRegex(one_renewal))) << version;
    EXPECT_THAT(texts_in(result, Kind::reply), Contains("renewed 1"));
    EXPECT_THAT(texts_in(result, Kind::reply), Each(Not(HasSubstr(" bytes"))));
  }
}

TEST_F(RenewingLock, ThatStopsAfterALostReplyIsJudged) {
  const auto result = run_on("reply_lost_renew", client({"wrong=stops_renewing"}));
  EXPECT_EQ(result.verdict(), Verdict::violated) << result.shown().judgement.why;
  EXPECT_THAT(result.broken(),
              AllOf(Contains(Property::mutual_exclusion), Contains(Property::holder_was_told)));
}

TEST_F(RenewingLock, OutlivesAReplyThatComesTooLate) {
  auto lock = client({"timeout_ms=300"});
  lock.facts->renewal = LockFacts::Renewal{.after = 1.0 / 3};
  lock.facts->unanswered = Unanswered{.after = std::chrono::milliseconds(300)};
  EXPECT_EQ(run_on("slow_renewal", lock).verdict(), Verdict::holds);
  lock.command.emplace_back("wrong=stops_renewing");
  EXPECT_THAT(run_on("slow_renewal", lock).broken(), Contains(Property::mutual_exclusion));
  lock.facts->unanswered = Unanswered{};
  EXPECT_THAT(why_not_applicable(*find_scenario("slow_renewal"), lock),
              HasSubstr("waits without end for a reply"));
}

// A ping of its own connection, or of another one.
TEST_F(RenewingLock, DoesNotRenewByAPing) {
  for (const auto* ping : {"ping=each", "ping=aside"}) {
    const auto result = run_on("reply_lost_renew", client({ping}));
    EXPECT_EQ(result.verdict(), Verdict::holds) << result.shown().judgement.why;
    EXPECT_THAT(boundaries_of(result), ElementsAre(MatchesRegex(one_renewal))) << ping;
    auto counted = client({ping});
    counted.facts->renewal = LockFacts::Renewal{.after = 1.0 / 3};
    EXPECT_EQ(run_on("relock_loop", counted).verdict(), Verdict::holds) << ping;
  }
}

// The reply that is lost is that of the renewal: the server's NOSCRIPT came before.
TEST_F(RenewingLock, IsRenewedOnceBeforeTheFault) {
  const auto result = run_on("reply_lost_renew", client());
  const auto commands = texts_in(result, Kind::command);
  const auto is_load = [](const std::string& text) { return text.starts_with("SCRIPT LOAD"); };
  const auto ready = read_record(result.shown().history);
  EXPECT_EQ(std::count_if(commands.begin(), commands.end(), is_load), 3);
  std::size_t loads_before = 0;
  for (const auto& event : ready) {
    if (event.is(Kind::ready, "A")) break;
    if (event.is(Kind::command, "A") && is_load(event.text("text"))) ++loads_before;
  }
  EXPECT_EQ(loads_before, 3U);
}

TEST_F(RenewingLock, HasABoundaryOfItsOwnForEachCommand) {
  const auto result = run_on("frozen_mid_release", client({"wrong=tells_twice"}));
  auto names = boundaries_of(result);
  EXPECT_THAT(names, AllOf(SizeIs(4), Contains(HasSubstr(" (2) was sent, before"))));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

// It asks the Sentinels that Sentinels name, and stays on its links.
TEST_F(RenewingLock, IsSeenBehindSentinels) {
  const auto result = run_on("failover_sentinel", client());
  EXPECT_EQ(result.verdict(), Verdict::violated) << result.shown().judgement.why;
  std::vector<std::string> servers;
  for (const auto& event : read_record(result.shown().history)) {
    if (event.kind == Kind::command && event.text("text").starts_with("EVALSHA")) {
      servers.push_back(event.process + " to " + event.text("to"));
    }
  }
  EXPECT_THAT(servers, AllOf(Contains("A to redis"), Contains("B to replica")));
}

}  // namespace
}  // namespace faults
