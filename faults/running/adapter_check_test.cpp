// Programs that are no stages: their check, and scenarios on them.
#include "faults/running/adapter_check.h"

#include "faults/running/introduction.h"
#include "faults/testing/foreign_clients.h"

namespace faults {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(ForeignClients, ThatAreRightPass) {
  EXPECT_EQ(wrong_with(client()), "");
  EXPECT_EQ(wrong_with(with_key(client({"key=mutex:%s", "type=zset"}), "mutex:%s")), "");
}

TEST_F(ForeignClients, ThatSayOtherWordsPass) {
  EXPECT_EQ(wrong_with(client({"refused=not_acquired", "released=no_outcome"})), "");
}

TEST_F(ForeignClients, ThatDieSayWhy) {
  EXPECT_THAT(wrong_with(client({"wrong=dies"})), HasSubstr("there is no such library"));
}

TEST_F(ForeignClients, ThatGiveTheLockToAllAreSeen) {
  EXPECT_THAT(wrong_with(client({"wrong=does_not_ask"})), HasSubstr("had sent no command"));
}

TEST_F(ForeignClients, WithAnotherKeyThanDeclaredAreSeen) {
  EXPECT_THAT(wrong_with(client({"key=mutex:%s"})),
              AllOf(HasSubstr("the key \"lock\" is not on the server"), HasSubstr("mutex:lock")));
}

TEST_F(ForeignClients, ThatTakeMillisecondsForSecondsAreSeen) {
  EXPECT_THAT(wrong_with(client({"wrong=seconds"})), HasSubstr("lease_ms is in milliseconds"));
}

TEST_F(ForeignClients, ThatDoNotWaitAreSeen) {
  EXPECT_THAT(wrong_with(client({"wrong=impatient"})), HasSubstr("without waiting so long"));
}

TEST_F(ForeignClients, ThatHaveALeaseOfTheirOwnAreSeen) {
  EXPECT_THAT(wrong_with(client({"wrong=own_lease"})),
              AllOf(HasSubstr("LOCK_LEASE_MS is 300, and the key \"lease\" lives for another"),
                    HasSubstr("shortest_ms")));
  auto said = client({"wrong=own_lease"});
  said.facts->shortest_lease = std::chrono::milliseconds(3'000);
  said.facts->default_lease = std::chrono::milliseconds(61'000);  // too long to be waited for
  EXPECT_EQ(wrong_with(said), "");
}

TEST_F(ForeignClients, ThatDoNotRepeatAreSeen) {
  EXPECT_THAT(wrong_with(client({"wrong=repeats_once"})), HasSubstr("its for_ms was 400, and"));
  EXPECT_THAT(wrong_with(client({"wrong=counts_too_many"})),
              HasSubstr("its \"pairs\" are 1000000, and it had sent"));
  EXPECT_THAT(wrong_with(client({"wrong=counts_none"})), HasSubstr("\"pairs\" is no number"));
}

TEST_F(ForeignClients, AreCheckedWithTheirDefaultLease) {
  auto stage = client({"wrong=no_end"});
  EXPECT_EQ(wrong_with(stage), "");
  stage.facts->default_lease = std::chrono::milliseconds(2'000);
  EXPECT_THAT(wrong_with(stage), HasSubstr("the lock that A left behind was never freed"));
}

TEST_F(ForeignClients, ThatSayUndeclaredOutcomesAreSeen) {
  auto stage = client();
  stage.facts->acquire_says = {"acquired", "not_acquired"};
  EXPECT_THAT(wrong_with(stage),
              HasSubstr("answered \"contended\", and in lock.json acquire_says"));
  stage.facts->acquire_says = {"acquired", "contended"};
  stage.facts->release_says = {"no_outcome"};
  EXPECT_THAT(wrong_with(stage), HasSubstr("answered \"released\", and in lock.json release_says"));
}

TEST_F(ForeignClients, ThatContradictTheirLockJsonAreNotRun) {
  auto stage = client({"more=renewal"});
  stage.directory = directory.path();  // as one of field/
  const auto difference =
      "hello and lock.json disagree on the capabilities; only hello says renewal";
  EXPECT_THAT(said_by<CannotRun>([&] { (void)run_on("killed_holder", stage); }),
              HasSubstr(difference));
  EXPECT_THAT(wrong_with(stage), HasSubstr(difference));
}

TEST_F(ForeignClients, ThatSwallowSigtermAreSeen) {
  EXPECT_THAT(wrong_with(client({"wrong=swallows_sigterm"})), HasSubstr("it got SIGTERM"));
}

TEST_F(ForeignClients, IntroduceThemselves) {
  const auto introduction = introduce(client({"key=mutex:%s"}), plan(), reaper);
  EXPECT_EQ(introduction.name, "foreign");
  EXPECT_EQ(introduction.key, "mutex:lock");
  EXPECT_THAT(introduction.capabilities, ElementsAre("lease", "token", "atomic_release"));
}

TEST_F(ForeignClients, AreJudgedUnderTheirKey) {
  const auto result = run_on("overrun_release", with_key(client({"key=mutex:%s"}), "mutex:%s"));
  EXPECT_EQ(result.verdict(), Verdict::holds);
  EXPECT_EQ(result.lock, "foreign 1.0");
  EXPECT_THAT(result.shown().judgement.not_judged, IsEmpty());
}

TEST_F(ForeignClients, WithoutAKeyAreJudgedByTheStorage) {
  auto stage = client();
  stage.facts->key.reset();
  const auto result = run_on("frozen_holder", stage);
  EXPECT_EQ(result.verdict(), Verdict::violated);
  EXPECT_EQ(run_on("killed_holder", stage).verdict(), Verdict::holds);
}

TEST_F(ForeignClients, ThatDieMidwayAreToBlame) {
  const auto result = run_on("killed_holder", client({"wrong=dies_at_release"}));
  EXPECT_EQ(result.verdict(), Verdict::violated);
  EXPECT_THAT(result.shown().judgement.sentence(),
              HasSubstr("program died in its release: it exited with code 7"));
}

// Also where no judge asks whether clients get in.
TEST_F(ForeignClients, ThatDieHoldingTheLockAreToBlame) {
  const auto result = run_on("stranger_release", client({"wrong=dies_holding"}));
  EXPECT_EQ(result.verdict(), Verdict::violated);
  EXPECT_THAT(
      result.shown().judgement.sentence(),
      AllOf(HasSubstr("A's program died"), HasSubstr("with code 9"), HasSubstr("it had the lock")));
}

TEST_F(ForeignClients, WhoseTokensDoNotFollowTheirHoldsAreSeen) {
  const auto late = run_on("frozen_mid_acquire", client({"fence=late"}));
  EXPECT_THAT(late.broken(), ElementsAre(Property::rising_tokens));
  EXPECT_EQ(run_on("frozen_mid_acquire", client({"fence=at_once"})).verdict(), Verdict::holds);
}

TEST_F(ForeignClients, ThatLeaveALockBehindAreSeen) {
  const auto left = run_on("reply_lost_acquire", client());
  EXPECT_THAT(left.broken(), ElementsAre(Property::nothing_left));
  EXPECT_EQ(run_on("reply_lost_acquire", client({"unknown=taken_back"})).verdict(), Verdict::holds);
}

TEST_F(ForeignClients, ThatRefuseWithoutAReplicaAreRight) {
  const auto result = run_on("failover", client({"replica=waits"}));
  EXPECT_TRUE(result.shown().judgement.is_refusal()) << result.shown().judgement.sentence();
  EXPECT_EQ(run_on("failover", client()).verdict(), Verdict::violated);
}

// Its second try comes later than the lease of most locks' waiters allows.
TEST_F(ForeignClients, ThatSeldomAskGetTheirTime) {
  auto stage = client({"retry_ms=2600"});
  stage.facts->retry = std::chrono::milliseconds(2600);
  EXPECT_EQ(run_on("killed_holder", stage).verdict(), Verdict::holds);
}

// A client that is slow to start must not show the fault too late.
TEST_F(ForeignClients, AreUpBeforeTheFault) {
  EXPECT_EQ(run_on("amnesia", client({"start_ms=400"})).verdict(), Verdict::violated);
}

// Its first tries after the fault send nothing, or to a server that has left, and show nothing.
TEST_F(ForeignClients, AreAskedUntilAServerAnswers) {
  EXPECT_EQ(run_on("amnesia", client({"quiet_tries=6"})).verdict(), Verdict::violated);
  EXPECT_EQ(run_on("failover", client({"quiet_tries=6"})).verdict(), Verdict::violated);
  EXPECT_EQ(run_on("failover", client({"quiet_tries=1000000"})).verdict(), Verdict::not_exercised);
}

// That is what this scenario judges, once the servers are back.
TEST_F(ForeignClients, ThatNeverReconnectAreToBlame) {
  auto quorum = client({"quorum=yes", "quiet_tries=1000000"});
  quorum.nodes = 5;
  EXPECT_EQ(run_on("majority_down", quorum).verdict(), Verdict::violated);
}

// Or A's lock would stand on five servers when one forgets it.
TEST_F(ForeignClients, ThatKeepCommandsAreForgotten) {
  auto quorum = client({"quorum=yes", "keeps=yes"});
  quorum.nodes = 5;
  EXPECT_EQ(run_on("amnesia", quorum).verdict(), Verdict::violated);
}

}  // namespace
}  // namespace faults
