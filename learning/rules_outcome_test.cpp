// Rules about what a lock tells of its answers, of errors, and of servers that are not there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learning/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

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

TEST(RuleOfErrors, LetsALostReplyOut) {
  const auto with = [](const std::string& error) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "SETNX lock held", {"set"}, "1");
    tale.add("A", Kind::answer,
             {{"op", "acquire"}, {"id", 1}, {"outcome", "error"}, {"error", error}});
    return tale;
  };
  EXPECT_TRUE(is_remarked("lets_a_lost_reply_out", with("no reply from 127.0.0.1:1 to SETNX: ")));
  EXPECT_FALSE(is_remarked("lets_a_lost_reply_out", with("cannot reach 127.0.0.1:1")));
}

// It is no hang, and what was sent is not what is wrong with it.
TEST(DiagnoseEnd, TellsAnErrorFromAHang) {
  const auto of = [](const std::string& why) {
    return diagnose_end(Evidence(Wire().asks_to("A", "acquire").record), why).key;
  };
  EXPECT_EQ(of("waited 6000 ms for A's answer to acquire, and it never came"), "hangs");
  EXPECT_EQ(of("A's answer to acquire was an error: no reply from 127.0.0.1:1 to SET: gone"),
            "lets_a_lost_reply_out");
  EXPECT_EQ(of("A's answer to acquire was an error: EVAL: ERR unknown"), "error");
  EXPECT_EQ(of("client A did not end well, it was killed by signal 6 (Aborted): terminate called"),
            "crashes");
}

// However it comes to be known: in the history an error is cut short.
TEST(DiagnoseEnd, KnowsAScriptThatRunsWithoutEnd) {
  const auto end_of = [](const std::string& reply, const std::string& why) {
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 316f… 1 lock 787b…", {});
    tale.asks_to("B", "acquire").sends("B", "SET lock 24e8… NX PX 300", {}, reply);
    return diagnose_end(Evidence(tale.record), why);
  };
  const auto told_by_the_kit =
      end_of("",
             "a script of the lock runs without end: the server answers a PING with BUSY Redis "
             "is busy running a script.");
  EXPECT_EQ(told_by_the_kit.key, "script_without_end");
  EXPECT_NE(
      told_by_the_kit.sentence.find("EVALSHA, which A sent in its release, was never answered"),
      std::string::npos)
      << told_by_the_kit.sentence;
  const std::string silence = "waited 60000 ms for A's answer to release";
  EXPECT_EQ(end_of("error BUSY Redis is busy running a s…", silence).key, "script_without_end");
  EXPECT_EQ(end_of("error BUSYKEY Target key name alre…", silence).key, "hangs");
}

TEST(DiagnoseEnd, TellsARefusalFromAnError) {
  const auto thrown_after = [](const std::string& reply) {
    Wire tale;
    tale.takes("A").asks_to("B", "acquire").sends("B", "SETNX lock held", {}, reply);
    const std::string why = "B's answer to acquire was an error: it is taken";
    return diagnose_end(Evidence(tale.record), why).key;
  };
  EXPECT_EQ(thrown_after("0"), "refusal_thrown");
  EXPECT_EQ(thrown_after("error ERR wrong number of arguments"), "error");
}

TEST(DiagnoseEnd, TellsARefusedReleaseFromAnError) {
  Wire tale;
  tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 316f… 1 lock 787b…", {}, "-1");
  const auto said =
      diagnose_end(Evidence(tale.record), "A's answer to release was an error: it is stolen");
  EXPECT_EQ(said.key, "refusal_thrown");
  EXPECT_NE(said.sentence.find("your release"), std::string::npos) << said.sentence;
}

TEST(DiagnoseEnd, SaysOfAHangWhatTheOneWhoHangsHasSent) {
  Wire tale;
  tale.takes("A").asks_to("B", "acquire");
  for (int i = 0; i < 20; ++i) tale.sends("B", "SETNX lock held", {}, "0");
  tale.sends("A", "DEL lock", {"del"}, "1");
  const auto said =
      diagnose_end(Evidence(tale.record), "waited 60000 ms for B's answer to acquire");
  EXPECT_NE(said.sentence.find("SETNX again and again"), std::string::npos) << said.sentence;
  EXPECT_EQ(said.sentence.find("DEL"), std::string::npos) << said.sentence;
}

TEST(RuleOfOutcomes, TakesItAndSaysNo) {
  const auto asked = [](const Effects& effects, const std::string& reply) {
    return Wire()
        .asks_to("A", "acquire")
        .sends("A", "EVALSHA 24e8… 1 lock 787b… 1 300 begin", effects, reply)
        .is_told("A", "acquire", "unknown");
  };
  EXPECT_TRUE(is_said("takes_it_and_says_no", asked({"hset", "expire"}, "nil")));
  EXPECT_FALSE(is_said("takes_it_and_says_no", asked({"hset", "expire"}, "300")));
  EXPECT_FALSE(is_said("takes_it_and_says_no", asked({}, "nil")));
}

}  // namespace
}  // namespace learning
