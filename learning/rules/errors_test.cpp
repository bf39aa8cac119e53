// Rules about errors that a lock is answered with, and about servers that are not there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using faults::Kind;

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

TEST(RuleOfErrors, DeniesWhatItDidNotHear) {
  const auto answered = [](bool heard) {
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", "DEL lock", {"del"}, "1");
    if (!heard) {
      tale.add("A", Kind::fault,
               {{"what", faults::fault::reset},
                {"side", "reply"},
                {"command", "DEL"},
                {"server", "redis"}});
    }
    return tale.sends("A", "DEL lock", {}, "0").is_told("A", "release", "not_held");
  };
  EXPECT_TRUE(is_said("denies_what_it_did_not_hear", answered(false)));
  EXPECT_FALSE(is_said("denies_what_it_did_not_hear", answered(true)));
}

}  // namespace
}  // namespace learning
