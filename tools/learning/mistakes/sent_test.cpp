// The questions of rules to a command; which commands came by themselves.
#include "tools/learning/mistakes/sent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/judging/testing/history_builder.h"
#include "faults/judging/trace.h"
#include "tools/learning/mistakes/renewals.h"

namespace learning {
namespace {

using faults::HistoryBuilder;
using testing::ElementsAre;

const std::string renewal = "EVALSHA 704d… 1 lock 787b… 1500";

std::vector<Sent> commands_in(const HistoryBuilder& tale) {
  const faults::Trace trace(tale.record);
  std::vector<Sent> sent;
  for (const auto& command : trace.sent) sent.push_back({command});
  mark_renewals(trace.every_operation, sent);
  return sent;
}

TEST(Sent, NamesATokenWhereverTheyPutTheLease) {
  const auto token = [](const std::string& command) {
    return commands_in(HistoryBuilder().command("A", command)).at(0).token();
  };
  EXPECT_EQ(token("EVALSHA 11aa… 1 lock 787b… 1500"), "787b…");
  EXPECT_EQ(token("EVALSHA 11aa… 1 lock 1500 787b…"), "787b…");
  EXPECT_EQ(token("EVALSHA 11aa… 1 lock 7 1500"), "7");
  EXPECT_EQ(token("SET lock 7 NX PX 1500"), "7");
  EXPECT_EQ(token("GET lock"), "");
}

const std::string acquire_script = "EVALSHA 11aa… 1 lock 787b… 1500";
const std::string leave_script = "EVALSHA 22bb… 1 lock 787b…";

std::vector<bool> renewals_in(const HistoryBuilder& tale) {
  std::vector<bool> renew;
  for (const auto& command : commands_in(tale)) renew.push_back(command.renews);
  return renew;
}

// A's first call, which nothing renews.
HistoryBuilder acquired_by_a() {
  HistoryBuilder tale;
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", acquire_script);
  tale.answer("A", "acquire", "acquired");
  return tale;
}

TEST(Renewals, ComeByThemselvesAlsoDuringACall) {
  auto tale = acquired_by_a();
  tale.command("A", renewal).call("A", "release", {{"key", "lock"}}).command("A", renewal);
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, true, true));
}

TEST(Renewals, AreAlsoPlainCommandsOfNoCall) {
  HistoryBuilder tale;
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", "SET lock 787b… NX PX 300");
  tale.answer("A", "acquire", "acquired").command("A", "GET lock").command("A", "PEXPIRE lock 300");
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", "PEXPIRE lock 300");
  tale.command("A", "SET lock 787b… NX PX 300");
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, true, true, true, false));
}

TEST(Renewals, AreNotWhatDeletesOrAsksHowLongItLasts) {
  auto tale = acquired_by_a();
  tale.command("A", "PTTL lock").command("A", "DEL lock").command("A", "PEXPIRE lock 300");
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, false, false, true));
}

TEST(Renewals, AreNotTheScriptsOfTheFirstAcquire) {
  auto tale = acquired_by_a();
  tale.command("A", acquire_script);  // a server that has missed it
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, false));
}

TEST(Renewals, MayComeBeforeTheFirstAcquireIsAnswered) {
  HistoryBuilder tale;
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", "SET lock 787b… NX PX 1500");
  tale.server("set").server("expire").reply("A", "OK");
  tale.command("A", renewal).server("expire").answer("A", "acquire", "acquired");
  tale.command("A", renewal);
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, true, true));
}

TEST(Renewals, AreNotWhatWarmsUp) {
  HistoryBuilder tale;
  tale.call("A", "release", {{"key", "warm-up"}}).command("A", leave_script);
  tale.answer("A", "release", "released");
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", acquire_script);
  tale.answer("A", "acquire", "acquired").command("A", leave_script);
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, false, false));
}

TEST(Renewals, AreNotWhatIsGivenBackByWhoIsBeingStopped) {
  auto tale = acquired_by_a();
  tale.call("A", "bye").command("A", leave_script).answer("A", "bye", "");
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, false));
}

Sent sent(std::vector<std::string> words, std::string reply = {}) {
  Sent command;
  command.words = std::move(words);
  command.reply = std::move(reply);
  return command;
}

TEST(Sent, ReadsWhatWasThereAsANo) {
  const auto answered = [](const std::string& options, const std::string& reply) {
    return sent({"SET", "lock", "787b…", options}, reply);
  };
  EXPECT_TRUE(answered("GET", "nil").said_yes());
  EXPECT_TRUE(answered("GET", "41ea…").said_no());
  EXPECT_FALSE(answered("GET", "41ea…").said_yes());
  EXPECT_TRUE(answered("NX", "nil").said_no());
  const auto getset = sent({"GETSET", "lock", "787b…"}, "nil");
  EXPECT_TRUE(getset.said_yes());
  EXPECT_FALSE(getset.said_no());
}

TEST(Sent, ReadsACountersAnswer) {
  for (const auto& words : {std::vector<std::string>{"INCR", "lock"}, {"INCRBY", "lock", "1"}}) {
    EXPECT_TRUE(sent(words, "1").said_yes());
    EXPECT_FALSE(sent(words, "2").said_yes());
    EXPECT_TRUE(sent(words, "2").said_no());
  }
  EXPECT_TRUE(sent({"EVALSHA", "11aa…", "1", "lock"}, "2").said_yes());
}

TEST(Sent, ReadsCountingDownAsNeither) {
  for (const auto& words : {std::vector<std::string>{"DECR", "lock"},
                            {"DECRBY", "lock", "1"},
                            {"INCRBY", "lock", "-1"}}) {
    auto down = sent(words, "1");
    down.effects = {"incrby"};
    EXPECT_FALSE(down.said_yes() || down.said_no() || down.wrote()) << words.front();
  }
}

TEST(Sent, HasOptionsHoweverTheyAreWritten) {
  const auto set = sent({"set", "px", "787b…", "nx", "px", "300"});
  EXPECT_EQ(set.number_of_option("PX"), 300);
  EXPECT_EQ(set.number_of_option("NX"), std::nullopt);
  EXPECT_EQ(set.number_of_option("EX"), std::nullopt);
  EXPECT_TRUE(set.has_option("NX"));
  const auto unset = sent({"SET", "lock", "PX", "NX"});
  EXPECT_EQ(unset.number_of_option("PX"), std::nullopt);
}

TEST(Sent, TakesNoTokenForANumber) {
  const auto number = [](const std::string& reply) {
    return sent({"GET", "lock"}, reply).number();
  };
  EXPECT_EQ(number("-2"), -2);
  EXPECT_EQ(number("60000 2"), 60'000);
  EXPECT_EQ(number("787b…"), std::nullopt);
  EXPECT_EQ(number("0b5c…"), std::nullopt);
  EXPECT_EQ(number("nil"), std::nullopt);
}

}  // namespace
}  // namespace learning
