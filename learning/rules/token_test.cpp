// Rules about the token that ties a lock to its holder.
#include <gtest/gtest.h>

#include "learning/rules/rules.h"
#include "learning/rules/rules_test.h"

namespace learning {
namespace {

using Tokens = std::vector<std::string>;

// `lane` takes the lock under each of these, and gives it back.
void takes_one_after_another(Wire& tale, const std::string& lane, const Tokens& tokens,
                             const std::string& giving_back = "EVALSHA 22bb… 1 lock ") {
  for (const auto& token : tokens) {
    tale.takes(lane, token).asks_to(lane, "release");
    tale.sends(lane, giving_back + token, {"del"}, "1").is_told(lane, "release", "released");
  }
}

Wire taken_under(const Tokens& tokens, const Tokens& by_another = {}) {
  Wire tale;
  takes_one_after_another(tale, "A", tokens);
  takes_one_after_another(tale, "B", by_another);
  return tale;
}

TEST(RuleOfToken, IsCounted) {
  EXPECT_TRUE(is_remarked("token_is_counted", taken_under({"41", "42"})));
  EXPECT_TRUE(is_remarked("token_is_counted", taken_under({"7205:9", "7205:10"})));
  EXPECT_FALSE(is_remarked("token_is_counted", taken_under({"1804289383", "846930886"})));
  EXPECT_FALSE(is_remarked("token_is_counted", taken_under({"7205:9", "7206:10"})));
  EXPECT_FALSE(is_remarked("token_is_counted", taken_under({"787b…", "41ea…"})));
  // What is cut out of these may be the process's, drawn by chance.
  EXPECT_FALSE(is_remarked("token_is_counted", taken_under({"9a3b…f3:1", "9a3b…f3:2"})));
  EXPECT_FALSE(is_remarked("token_is_counted", taken_under({"41"}, {"42"})));
}

TEST(RuleOfToken, IsCountedButNotByTheServer) {
  Wire tale;
  for (const std::string token : {"41", "42"}) {
    tale.asks_to("A", "acquire").sends("A", "INCR tokens", {}, token);
    tale.sends("A", "SET lock " + token + " NX PX 300", {"set"}, "OK");
    tale.is_told("A", "acquire", "acquired").asks_to("A", "release");
    tale.sends("A", "EVALSHA 22bb… 1 lock " + token, {"del"}, "1");
    tale.is_told("A", "release", "released");
  }
  EXPECT_FALSE(is_remarked("token_is_counted", tale));
}

TEST(RuleOfToken, IsCountedAlsoWhereAServerAnswersWithItsLastDigit) {
  Wire tale;
  for (const std::string token : {"40", "41"}) {
    tale.asks_to("A", "acquire").sends("A", "INCR asked", {}, "1");
    tale.sends("A", "SET lock " + token + " NX PX 300", {"set"}, "OK");
    tale.is_told("A", "acquire", "acquired").asks_to("A", "release");
    tale.sends("A", "EVALSHA 22bb… 1 lock " + token, {"del"}, "1");
    tale.is_told("A", "release", "released");
  }
  EXPECT_TRUE(is_remarked("token_is_counted", tale));
}

TEST(RuleOfToken, IsThatOfEveryProcessButOneMayLookTheSame) {
  const Tokens drawn{"1804289383", "846930886"};
  EXPECT_TRUE(is_remarked("tokens_begin_the_same", taken_under(drawn, drawn)));
  EXPECT_FALSE(is_remarked("tokens_begin_the_same", taken_under(drawn, {"846930886"})));
  EXPECT_FALSE(is_remarked("tokens_begin_the_same", taken_under({"787b…", "787b…"}, {"787b…"})));
  const Tokens cut{"work…-1", "work…-2"};
  EXPECT_FALSE(is_remarked("tokens_begin_the_same", taken_under(cut, cut)));
}

std::string sentence_on_three_holds_under(const std::string& token) {
  const auto tale = taken_under({token, token, token});
  return rules::token_of_the_lock(Evidence(tale.record)).value_or("");
}

TEST(RuleOfToken, IsTheLockObjectsButTwoMayLookTheSame) {
  EXPECT_TRUE(is_remarked("token_of_the_lock", taken_under({"787b…", "787b…", "787b…"})));
  EXPECT_FALSE(is_remarked("token_of_the_lock", taken_under({"787b…", "787b…", "41ea…"})));
  EXPECT_FALSE(is_remarked("token_of_the_lock", taken_under({"work…-17", "work…-17", "work…-17"})));
  // The rest of what is cut may be another one each time.
  EXPECT_EQ(sentence_on_three_holds_under("787b…").substr(0, 14), "your token may");
  EXPECT_EQ(sentence_on_three_holds_under("k3_fQ9-zT1").substr(0, 13), "your token is");
  Wire inside;
  inside.takes("A").takes("A").takes("A");
  EXPECT_FALSE(is_remarked("token_of_the_lock", inside));
}

TEST(RuleOfToken, IsShortButNotAsBytesOrWhereNothingIsCompared) {
  EXPECT_TRUE(is_remarked("token_is_short", taken_under({"3f9c"})));
  EXPECT_TRUE(is_remarked("token_is_short", taken_under({"846930886"})));
  EXPECT_FALSE(is_remarked("token_is_short", taken_under({"787b…"})));
  EXPECT_FALSE(is_remarked("token_is_short", taken_under({"k3_fQ9-zT1"})));
  EXPECT_FALSE(is_remarked("token_is_short", taken_under({"\\x01\\x9f"})));
  EXPECT_FALSE(is_remarked("token_is_short", taken_under({"v~6 \\x8fq…"})));  // one of bytes
  Wire never_compared;
  takes_one_after_another(never_compared, "A", {"held"}, "DEL lock ");
  EXPECT_FALSE(is_remarked("token_is_short", never_compared));
}

TEST(RuleOfToken, IsTheHoldsAndNotTheObjects) {
  const auto two_threads = [](const std::string& of_the_second) {
    Wire tale;
    tale.takes("A", "787b…", {{"thread", 1}});
    return tale.takes("A", of_the_second, {{"thread", 2}});
  };
  EXPECT_TRUE(is_said("token_of_the_lock_object", two_threads("787b…")));
  EXPECT_FALSE(is_said("token_of_the_lock_object", two_threads("41ea…")));
}

// A second round may name the counter before the lock.
TEST(RuleOfToken, IsOfTheProcessButNotWhereTheOtherKeyIsTheCounter) {
  const auto two_keys = [](const std::string& other) {
    Wire tale;
    tale.asks_to("A", "acquire").sends("A", "EVALSHA a11c… 1 lock 787b… 300", {"hset"}, "300 1");
    const auto words = "EVALSHA 4a15… 2 " + other + " lock 787b… 2";
    tale.add("A", faults::Kind::command, {{"to", "redis"}, {"text", words}});
    tale.add("redis", faults::Kind::server, {{"what", "set"}, {"key", other}});
    tale.add("A", faults::Kind::reply, {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "1"}});
    tale.is_told("A", "acquire", "acquired").asks_to("A", "release");
    tale.sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "1").is_told("A", "release", "released");
    return tale;
  };
  EXPECT_TRUE(is_remarked("token_per_process", two_keys("another")));
  EXPECT_FALSE(is_remarked("token_per_process", two_keys("lock:fencing")));
}

}  // namespace
}  // namespace learning
