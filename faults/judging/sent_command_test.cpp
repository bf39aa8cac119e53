#include "faults/judging/testing/history_builder.h"
#include "faults/judging/trace.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string renewal = "EVALSHA 704d… 1 lock 787b… 1500";

std::vector<SentCommand> commands_in(const HistoryBuilder& history) {
  return Trace(history.record).sent;
}

TEST(SentCommand, HasThePlainEffectOfItsName) {
  HistoryBuilder history;
  history.call("B", "acquire").command("B", "SET lock fc39… NX PX 1500").command("A", renewal);
  history.server("set").server("expire");
  const auto sent = commands_in(history);
  EXPECT_THAT(sent.at(0).effects, ElementsAre("set", "expire"));
  EXPECT_THAT(sent.at(1).effects, IsEmpty());
}

TEST(SentCommand, RemovesByDelOrUnlink) {
  for (const auto* text : {"DEL lock", "UNLINK lock"}) {
    HistoryBuilder history;
    history.command("A", text).command("B", "SET lock fc39…").server("del");
    EXPECT_THAT(commands_in(history).at(0).effects, ElementsAre("del")) << text;
  }
}

// In a transaction both are under way when the server announces the first.
TEST(SentCommand, HasTheEffectThatItsNameBeginsWith) {
  HistoryBuilder history;
  history.command("A", "HSETNX lock owner 787b…").command("A", "PEXPIRE lock 300");
  history.server("hset").server("expire");
  const auto sent = commands_in(history);
  EXPECT_THAT(sent.at(0).effects, ElementsAre("hset"));
  EXPECT_THAT(sent.at(1).effects, ElementsAre("expire"));
}

TEST(SentCommand, IsAboutEachOfItsKeys) {
  for (const auto* text : {"COPY own lock", "RENAMENX own lock", "EVAL loca… 2 own lock 300"}) {
    EXPECT_TRUE(commands_in(HistoryBuilder().command("A", text)).at(0).is_about("lock")) << text;
  }
  for (const auto* text : {"SET own lock", "EVAL loca… 1 own lock"}) {
    EXPECT_FALSE(commands_in(HistoryBuilder().command("A", text)).at(0).is_about("lock")) << text;
  }
}

TEST(SentCommand, IsARenewalBesideASetWithoutEffect) {
  HistoryBuilder history;
  history.command("A", renewal).call("B", "acquire").command("B", "SET lock fc39… NX PX 1500");
  history.server("expire");
  const auto sent = commands_in(history);
  EXPECT_THAT(sent.at(1).effects, IsEmpty()) << "of a SET it comes after set";
  EXPECT_THAT(sent.at(0).effects, ElementsAre("expire"));
}

TEST(SentCommand, HasTheSecondOfTwoEqualEffects) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "SETNX lock 787b…");
  history.call("B", "acquire").command("B", "SET lock fc39…").server("set").server("set");
  const auto sent = commands_in(history);
  EXPECT_THAT(sent.at(0).effects, ElementsAre("set"));
  EXPECT_THAT(sent.at(1).effects, ElementsAre("set"));
}

TEST(SentCommand, HasNoEffectWhileItIsDelayed) {
  HistoryBuilder history;
  history.call("B", "acquire")
      .command("B", "EVALSHA 316f… 1 lock fc39… 1500")
      .command("A", renewal);
  history.add("A", Kind::fault, {{"what", fault::held}, {"side", "command"}, {"server", "redis"}});
  history.server("expire");
  const auto sent = commands_in(history);
  EXPECT_THAT(sent.at(0).effects, ElementsAre("expire"));
  EXPECT_THAT(sent.at(1).effects, IsEmpty());
}

// A fault at the reply to A's last command, or at a message.
void befalls(HistoryBuilder& history, std::string_view what, const std::string& command = "SET") {
  history.add("A", Kind::fault,
              {{"what", what}, {"side", "reply"}, {"server", "redis"}, {"command", command}});
}

TEST(SentCommand, IsHeardWhenItsReplyIsDelivered) {
  HistoryBuilder answered;
  answered.call("A", "acquire").command("A", "SET lock 787b… NX PX 300").server("set");
  const json reply{{"from", "redis"}, {"command", "SET"}, {"text", "OK"}};
  answered.add("A", Kind::reply, reply);
  EXPECT_EQ(commands_in(answered).at(0).heard, commands_in(answered).at(0).answered);
  auto held = answered;
  befalls(held, fault::held);
  EXPECT_EQ(commands_in(held).at(0).heard, never);
  held.call("B", "acquire");
  befalls(held, fault::delivered);
  EXPECT_EQ(commands_in(held).at(0).heard, commands_in(held).at(0).answered + 3);
  auto lost = answered;
  befalls(lost, fault::reset);
  EXPECT_EQ(commands_in(lost).at(0).heard, never);
  EXPECT_EQ(commands_in(lost).at(0).reply, "OK");
  HistoryBuilder vanished;
  vanished.call("A", "acquire").command("A", "SET lock 787b… NX PX 300").server("set");
  vanished.add("A", Kind::reply, reply).vanishes();
  EXPECT_EQ(commands_in(vanished).at(0).heard, never);
  EXPECT_EQ(commands_in(vanished).at(0).reply, "OK");
  // A message that no command asked for is no command's reply.
  auto word = answered;
  befalls(word, fault::dropped, "message");
  EXPECT_EQ(commands_in(word).at(0).heard, commands_in(word).at(0).answered);
}

TEST(SentCommand, IsNotAnsweredIfItNeverArrived) {
  HistoryBuilder history;
  history.call("A", "release").command("A", "GET lock");
  history.add(
      "A", Kind::fault,
      {{"what", fault::reset}, {"side", "command"}, {"server", "redis"}, {"command", "GET"}});
  history.answer("A", "release", "unknown").call("A", "release").command("A", "GET lock");
  history.add("A", Kind::reply, {{"from", "redis"}, {"command", "GET"}, {"text", "787b…"}});
  EXPECT_EQ(commands_in(history).at(0).answered, never);
  EXPECT_EQ(commands_in(history).at(1).reply, "787b…");
}

void is_answered(HistoryBuilder& history, const std::string& command, const std::string& text) {
  history.add("A", Kind::reply, {{"from", "redis"}, {"command", command}, {"text", text}});
}

// A has queued a SETNX.
HistoryBuilder transaction() {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "MULTI");
  is_answered(history, "MULTI", "OK");
  history.command("A", "SETNX lock 787b…");
  is_answered(history, "SETNX", "QUEUED");
  return history;
}

TEST(SentCommand, IsAnsweredWithExecIfItWasQueued) {
  auto history = transaction();
  history.command("A", "PEXPIRE lock 300");
  is_answered(history, "PEXPIRE", "QUEUED");
  history.command("A", "EXEC").server("expire");
  is_answered(history, "EXEC", "0 1");
  const auto sent = commands_in(history);
  EXPECT_EQ(sent.at(1).reply, "0");
  EXPECT_EQ(sent.at(2).reply, "1");
  EXPECT_THAT(sent.at(2).effects, ElementsAre("expire"));
  EXPECT_EQ(sent.at(2).answered, sent.at(3).answered);
}

// A's transaction is answered while a command of B's is on its way.
HistoryBuilder transaction_beside_another() {
  auto history = transaction();
  history.command("A", "EXEC").command("B", "SETNX lock 5c5c…");
  is_answered(history, "EXEC", "1");
  return history;
}

TEST(SentCommand, IsNotAnsweredWithAnothersExec) {
  const auto sent = commands_in(transaction_beside_another());
  EXPECT_EQ(sent.at(1).reply, "1");
  EXPECT_EQ(sent.at(2).reply, "1");
  EXPECT_EQ(sent.at(3).reply, "");
}

TEST(SentCommand, IsNotHeardWhenItsExecIsLost) {
  auto history = transaction_beside_another();
  befalls(history, fault::dropped, "EXEC");
  const auto sent = commands_in(history);
  EXPECT_EQ(sent.at(1).heard, never);
  EXPECT_EQ(sent.at(2).heard, never);
}

TEST(SentCommand, IsNotHeardOverAHalfOpenConnection) {
  HistoryBuilder history;
  history.call("A", "acquire");
  befalls(history, fault::cut_off, "");
  history.command("A", "SET lock 787b… NX PX 300").reply("A", "OK");
  const auto sent = commands_in(history);
  EXPECT_NE(sent.at(0).answered, never);
  EXPECT_EQ(sent.at(0).heard, never);
}

TEST(SentCommand, MayHaveAnEmptyKey) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "PEXPIRE  300").command("A", "EVALSHA 704d… 1  787b…");
  const auto sent = commands_in(history);
  EXPECT_EQ(sent.at(0).key(), "");
  EXPECT_EQ(sent.at(1).key(), "");
}

TEST(SentCommand, KnowsALongKeyByItsEnds) {
  const SentCommand command{.words = {"SET", "lara…lock", "x"}};
  EXPECT_TRUE(command.is_about("laravel_cache:lock"));
  EXPECT_FALSE(command.is_about("laravel_cache:warm-up"));
  EXPECT_FALSE(command.is_about("lock"));
}

}  // namespace
}  // namespace faults
