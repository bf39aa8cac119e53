// Which command did what the server announced, and which came by itself.
#include "learning/evidence/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "faults/judging/tale.h"

namespace learning {
namespace {

using faults::Tale;
using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string renewal = "EVALSHA 704d… 1 lock 787b… 1500";

std::vector<Sent> commands_in(const Tale& tale) {
  return commands_of(tale.record, calls_of(tale.record));
}

TEST(CommandsOf, GiveAnEffectToThePlainCommandThatHasIt) {
  Tale tale;
  tale.call("B", "acquire").command("B", "SET lock fc39… NX PX 1500").command("A", renewal);
  tale.server("set").server("expire");
  const auto sent = commands_in(tale);
  EXPECT_THAT(sent.at(0).effects, ElementsAre("set", "expire"));
  EXPECT_THAT(sent.at(1).effects, IsEmpty());
}

TEST(CommandsOf, LeaveARenewalItsOwnEffectBesideASetThatDidNothing) {
  Tale tale;
  tale.command("A", renewal).call("B", "acquire").command("B", "SET lock fc39… NX PX 1500");
  tale.server("expire");
  const auto sent = commands_in(tale);
  EXPECT_THAT(sent.at(1).effects, IsEmpty()) << "of a SET it comes after set";
  EXPECT_THAT(sent.at(0).effects, ElementsAre("expire"));
}

TEST(CommandsOf, GiveTheSecondOfTwoEffectsToTheSecondCommandThatHasIt) {
  Tale tale;
  tale.call("A", "acquire").command("A", "SETNX lock 787b…");
  tale.call("B", "acquire").command("B", "SET lock fc39…").server("set").server("set");
  const auto sent = commands_in(tale);
  EXPECT_THAT(sent.at(0).effects, ElementsAre("set"));
  EXPECT_THAT(sent.at(1).effects, ElementsAre("set"));
}

TEST(CommandsOf, GiveNoEffectToWhatStandsOnTheWire) {
  Tale tale;
  tale.call("B", "acquire").command("B", "EVALSHA 316f… 1 lock fc39… 1500").command("A", renewal);
  tale.add("A", faults::Kind::fault,
           {{"what", faults::fault::held}, {"side", "command"}, {"server", "redis"}});
  tale.server("expire");
  const auto sent = commands_in(tale);
  EXPECT_THAT(sent.at(0).effects, ElementsAre("expire"));
  EXPECT_THAT(sent.at(1).effects, IsEmpty());
}

// What becomes of the answer to A's last command, or of a message.
void befalls(Tale& tale, std::string_view what, const std::string& command = "SET") {
  tale.add("A", faults::Kind::fault,
           {{"what", what}, {"side", "reply"}, {"server", "redis"}, {"command", command}});
}

TEST(CommandsOf, AreHeardWhenTheirAnswerIsDelivered) {
  Tale answered;
  answered.call("A", "acquire").command("A", "SET lock 787b… NX PX 300").server("set");
  const json reply{{"from", "redis"}, {"command", "SET"}, {"text", "OK"}};
  answered.add("A", faults::Kind::reply, reply);
  EXPECT_EQ(commands_in(answered).at(0).heard, commands_in(answered).at(0).answered);
  auto held = answered;
  befalls(held, faults::fault::held);
  EXPECT_EQ(commands_in(held).at(0).heard, faults::never);
  held.call("B", "acquire");
  befalls(held, faults::fault::delivered);
  EXPECT_EQ(commands_in(held).at(0).heard, commands_in(held).at(0).answered + 3);
  auto lost = answered;
  befalls(lost, faults::fault::reset);
  EXPECT_EQ(commands_in(lost).at(0).heard, faults::never);
  EXPECT_EQ(commands_in(lost).at(0).reply, "OK");
  Tale vanished;
  vanished.call("A", "acquire").command("A", "SET lock 787b… NX PX 300").server("set");
  vanished.add("A", faults::Kind::reply, reply).vanishes();
  EXPECT_EQ(commands_in(vanished).at(0).heard, faults::never);
  EXPECT_EQ(commands_in(vanished).at(0).reply, "OK");
  // What no command asked for is no command's answer.
  auto word = answered;
  befalls(word, faults::fault::dropped, "message");
  EXPECT_EQ(commands_in(word).at(0).heard, commands_in(word).at(0).answered);
}

TEST(CommandsOf, AreNotAnsweredIfTheyNeverArrived) {
  Tale tale;
  tale.call("A", "release").command("A", "GET lock");
  tale.add("A", faults::Kind::fault,
           {{"what", faults::fault::reset},
            {"side", "command"},
            {"server", "redis"},
            {"command", "GET"}});
  tale.answer("A", "release", "unknown").call("A", "release").command("A", "GET lock");
  tale.add("A", faults::Kind::reply, {{"from", "redis"}, {"command", "GET"}, {"text", "787b…"}});
  EXPECT_EQ(commands_in(tale).at(0).answered, faults::never);
  EXPECT_EQ(commands_in(tale).at(1).reply, "787b…");
}

void is_answered(Tale& tale, const std::string& command, const std::string& text) {
  tale.add("A", faults::Kind::reply, {{"from", "redis"}, {"command", command}, {"text", text}});
}

// A has queued a SETNX.
Tale transaction() {
  Tale tale;
  tale.call("A", "acquire").command("A", "MULTI");
  is_answered(tale, "MULTI", "OK");
  tale.command("A", "SETNX lock 787b…");
  is_answered(tale, "SETNX", "QUEUED");
  return tale;
}

TEST(CommandsOf, AnswerWhatWasQueuedWithExec) {
  auto tale = transaction();
  tale.command("A", "PEXPIRE lock 300");
  is_answered(tale, "PEXPIRE", "QUEUED");
  tale.command("A", "EXEC").server("expire");
  is_answered(tale, "EXEC", "0 1");
  const auto sent = commands_in(tale);
  EXPECT_EQ(sent.at(1).reply, "0");
  EXPECT_EQ(sent.at(2).reply, "1");
  EXPECT_THAT(sent.at(2).effects, ElementsAre("expire"));
  EXPECT_EQ(sent.at(2).answered, sent.at(3).answered);
}

// A's transaction is answered while a command of B's is on its way.
Tale transaction_beside_another() {
  auto tale = transaction();
  tale.command("A", "EXEC").command("B", "SETNX lock 5c5c…");
  is_answered(tale, "EXEC", "1");
  return tale;
}

TEST(CommandsOf, AreNotAnsweredWithAnothersExec) {
  const auto sent = commands_in(transaction_beside_another());
  EXPECT_EQ(sent.at(1).reply, "1");
  EXPECT_EQ(sent.at(2).reply, "1");
  EXPECT_EQ(sent.at(3).reply, "");
}

TEST(CommandsOf, AreNotHeardWhenTheirExecIsLost) {
  auto tale = transaction_beside_another();
  befalls(tale, faults::fault::dropped, "EXEC");
  const auto sent = commands_in(tale);
  EXPECT_EQ(sent.at(1).heard, faults::never);
  EXPECT_EQ(sent.at(2).heard, faults::never);
}

TEST(CommandsOf, AreNotHeardOverAConnectionThatIsHalfOpen) {
  Tale tale;
  tale.call("A", "acquire");
  befalls(tale, faults::fault::cut_off, "");
  tale.command("A", "SET lock 787b… NX PX 300").reply("A", "OK");
  const auto sent = commands_in(tale);
  EXPECT_NE(sent.at(0).answered, faults::never);
  EXPECT_EQ(sent.at(0).heard, faults::never);
}

TEST(CommandsOf, NameATokenWhereverTheyPutTheLease) {
  const auto token = [](const std::string& command) {
    return commands_in(Tale().command("A", command)).at(0).token();
  };
  EXPECT_EQ(token("EVALSHA 11aa… 1 lock 787b… 1500"), "787b…");
  EXPECT_EQ(token("EVALSHA 11aa… 1 lock 1500 787b…"), "787b…");
  EXPECT_EQ(token("EVALSHA 11aa… 1 lock 7 1500"), "7");
  EXPECT_EQ(token("SET lock 7 NX PX 1500"), "7");
  EXPECT_EQ(token("GET lock"), "");
}

const std::string acquire_script = "EVALSHA 11aa… 1 lock 787b… 1500";
const std::string leave_script = "EVALSHA 22bb… 1 lock 787b…";

std::vector<bool> renewals_in(const Tale& tale) {
  std::vector<bool> renew;
  for (const auto& command : commands_in(tale)) renew.push_back(command.renews);
  return renew;
}

// A's first call, which nothing renews.
Tale acquired_by_a() {
  Tale tale;
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", acquire_script);
  tale.answer("A", "acquire", "acquired");
  return tale;
}

TEST(Renewals, AreWhatComesByItselfAlsoWhileACallIsUnderWay) {
  auto tale = acquired_by_a();
  tale.command("A", renewal).call("A", "release", {{"key", "lock"}}).command("A", renewal);
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, true, true));
}

TEST(Renewals, AreAlsoPlainCommandsThatAnotherCallDoesNotSend) {
  Tale tale;
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", "SET lock 787b… NX PX 300");
  tale.answer("A", "acquire", "acquired").command("A", "GET lock").command("A", "PEXPIRE lock 300");
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", "PEXPIRE lock 300");
  tale.command("A", "SET lock 787b… NX PX 300");
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, true, true, true, false));
}

TEST(Commands, MayHaveAnEmptyKey) {
  Tale tale;
  tale.call("A", "acquire").command("A", "PEXPIRE  300").reply("A", "0");
  const auto sent = commands_in(tale);
  ASSERT_EQ(sent.size(), 1);
  EXPECT_EQ(sent.front().key(), "");
  EXPECT_EQ(sent.front().arguments(), std::vector<std::string>{"300"});
}

TEST(Renewals, AreNotWhatDeletesOrAsksHowLongItLasts) {
  auto tale = acquired_by_a();
  tale.command("A", "PTTL lock").command("A", "DEL lock").command("A", "PEXPIRE lock 300");
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, false, false, true));
}

TEST(CommandsOf, KeepAnEmptyKey) {
  Tale tale;
  tale.command("A", "EVALSHA 704d… 1  787b… 300");
  const auto sent = commands_in(tale);
  EXPECT_EQ(sent.at(0).key(), "");
  EXPECT_THAT(sent.at(0).arguments(), ElementsAre("787b…", "300"));
}

TEST(Renewals, AreNotTheScriptsOfTheFirstAcquire) {
  auto tale = acquired_by_a();
  tale.command("A", acquire_script);  // a server that has missed it
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, false));
}

TEST(Renewals, MayComeBeforeTheFirstAcquireIsAnswered) {
  Tale tale;
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", "SET lock 787b… NX PX 1500");
  tale.server("set").server("expire").reply("A", "OK");
  tale.command("A", renewal).server("expire").answer("A", "acquire", "acquired");
  tale.command("A", renewal);
  EXPECT_THAT(renewals_in(tale), ElementsAre(false, true, true));
}

TEST(Renewals, AreNotWhatWarmsUp) {
  Tale tale;
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

TEST(Sent, ReadsWhatWasThereAsANo) {
  const auto answered = [](const std::string& options, const std::string& reply) {
    return Sent{
        .words = {"SET", "lock", "787b…", options}, .reply = reply, .effects = {}, .call = {}};
  };
  EXPECT_TRUE(answered("GET", "nil").said_yes());
  EXPECT_TRUE(answered("GET", "41ea…").said_no());
  EXPECT_FALSE(answered("GET", "41ea…").said_yes());
  EXPECT_TRUE(answered("NX", "nil").said_no());
  const Sent getset{
      .words = {"GETSET", "lock", "787b…"}, .reply = "nil", .effects = {}, .call = {}};
  EXPECT_TRUE(getset.said_yes());
  EXPECT_FALSE(getset.said_no());
}

TEST(Sent, HasOptionsHoweverTheyAreWritten) {
  const Sent set{.words = {"set", "px", "787b…", "nx", "px", "300"}};
  EXPECT_EQ(set.number_of_option("PX"), 300);
  EXPECT_EQ(set.number_of_option("NX"), std::nullopt);
  EXPECT_EQ(set.number_of_option("EX"), std::nullopt);
  EXPECT_TRUE(set.has_option("NX"));
  const Sent unset{.words = {"SET", "lock", "PX", "NX"}};
  EXPECT_EQ(unset.number_of_option("PX"), std::nullopt);
}

TEST(Sent, IsAnsweredWithANumberButATokenThatBeginsWithDigitsIsNone) {
  const auto number = [](const std::string& reply) {
    return Sent{.words = {"GET", "lock"}, .reply = reply}.number();
  };
  EXPECT_EQ(number("-2"), -2);
  EXPECT_EQ(number("60000 2"), 60'000);
  EXPECT_EQ(number("787b…"), std::nullopt);
  EXPECT_EQ(number("0b5c…"), std::nullopt);
  EXPECT_EQ(number("nil"), std::nullopt);
}

}  // namespace
}  // namespace learning
