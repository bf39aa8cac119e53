#include "faults/kit/link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <future>
#include <optional>

#include "core/error.h"
#include "core/redis/server.h"
#include "faults/kit/command_names.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

// Between a bare client and a bare server: what passes, byte for byte.
class LinkTest : public KitTest {
 protected:
  // Lets a command pass, so that the link has seen all that was sent before it.
  void pass_a_ping() const {
    client.send(resp({"PING"}));
    EXPECT_EQ(server.read(14), resp({"PING"}));
  }

  // Until the loop's thread has seen to all that was there to be done.
  void turn_the_loop() {
    for (int i = 0; i < 20; ++i) loop.call([] {});
  }

  Listener listener;
  Link link{loop, history, "A", "server", listener.address()};
  Wire client{link.address()};
  Wire server = listener.accept();
};

// As long as it is in scope this program can open so many descriptors more, and no others.
class DescriptorsLeft {
 public:
  explicit DescriptorsLeft(rlim_t count) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const Descriptor first_free(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit limit{.rlim_cur = static_cast<rlim_t>(first_free.get()) + count,
                       .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~DescriptorsLeft() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorsLeft(const DescriptorsLeft&) = delete;
  DescriptorsLeft& operator=(const DescriptorsLeft&) = delete;

 private:
  rlimit before_{};
};

// Between a client and a real server, which can also be asked past the link.
class RedisLinkTest : public KitRedisTest {
 protected:
  [[nodiscard]] std::string stored(std::string_view key) {
    return std::string(redis.direct().command({"GET", key}).text());
  }
  // A command on its way through the link, on a thread of its own.
  [[nodiscard]] std::future<std::string> ask(std::vector<std::string> words) {
    return std::async(std::launch::async, [this, words = std::move(words)] {
      const Wire wire(link.address());
      wire.send(resp(words));
      return wire.read(5);
    });
  }

  Link link{loop, history, "A", "redis", redis.address()};
};

TEST_F(LinkTest, PassesSingleBytes) {
  const auto command = resp({"SET", "key", std::string("\r\n\0", 3)});
  for (const char byte : command) client.send({&byte, 1});
  EXPECT_EQ(server.read(command.size()), command);
  for (const char byte : std::string_view("+OK\r\n")) server.send({&byte, 1});
  EXPECT_EQ(client.read(5), "+OK\r\n");
}

TEST_F(LinkTest, PassesWhatIsGluedTogether) {
  const auto commands = resp({"SET", "key", "1"}) + resp({"get", "key"});
  client.send(commands);
  EXPECT_EQ(server.read(commands.size()), commands);
  server.send("+OK\r\n$1\r\n1\r\n");
  EXPECT_EQ(client.read(12), "+OK\r\n$1\r\n1\r\n");
  EXPECT_THAT(link.commands_seen(), ElementsAre("SET", "GET"));
}

TEST_F(LinkTest, PassesGarbageBothWays) {
  const auto garbage = "x" + noise(100'000, 1);
  client.send(garbage);
  EXPECT_TRUE(server.read(garbage.size()) == garbage);
  EXPECT_FALSE(link.all_answered());
  server.send(garbage);
  EXPECT_TRUE(client.read(garbage.size()) == garbage);
  EXPECT_TRUE(link.all_answered());  // one answer to all: nobody knows to what
}

TEST_F(RedisLinkTest, GarbageIsTheServersToRefuse) {
  const Wire client(link.address());
  client.send("*1\r\n$garbage\r\n");
  EXPECT_THAT(client.read_to_the_end(), HasSubstr("-ERR Protocol error"));
  EXPECT_EQ(redis.direct().command({"PING"}).text(), "PONG");
}

TEST_F(RedisLinkTest, CountsNoCommandThatSetsUpAConnection) {
  for (const auto* name : {"HELLO", "AUTH", "SELECT", "CLIENT", "INFO", "COMMAND", "READONLY",
                           "READWRITE", "SENTINEL", "ROLE", "CLUSTER", "ASKING", "QUIT"}) {
    EXPECT_TRUE(sets_up_connection(name)) << name;
    (void)ask({name}).get();
  }
  (void)ask({"GET", "key"}).get();
  EXPECT_THAT(link.commands_seen(), ElementsAre("GET"));
}

TEST_F(LinkTest, CountsApartWhatMayUseAKey) {
  for (const auto* name : {"PING", "SCRIPT", "SUBSCRIBE", "GET", "EVALSHA"}) {
    client.send(resp({name, "x"}));
    (void)server.read(resp({name, "x"}).size());
  }
  EXPECT_EQ(link.commands_seen().size(), 5U);
  EXPECT_EQ(link.count_key_commands(), 2U);
}

TEST_F(LinkTest, NamesAScriptByItsDigest) {
  const std::string text = "return 1";
  const std::string digest = "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB";
  for (const auto& command : {resp({"EVAL", text, "0"}), resp({"evalsha", digest, "0"})}) {
    client.send(command);
    (void)server.read(command.size());
  }
  const auto seen = link.seen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].label, "script e0e1f9f");
  EXPECT_EQ(seen[1].label, "script e0e1f9f");
  EXPECT_FALSE(seen[1].follows_an_answer);
}

TEST_F(RedisLinkTest, CarriesAReplyLargerThanAnyBuffer) {
  const auto large = noise(20 << 20, 1);
  core::Server server(link.address(), {.connect = test_limit, .command = test_limit});
  EXPECT_TRUE(server.command({"SET", "large", large}).is_ok());
  EXPECT_TRUE(stored("large") == large);
  EXPECT_TRUE(server.command({"GET", "large"}).text() == large);
}

TEST_F(RedisLinkTest, HoldsACommandBeforeTheServerSeesIt) {
  auto held = link.arm({.direction = Direction::command, .command = "SET"}, Action::hold_back);
  auto asked = ask({"SET", "key", "1"});
  held.await(test_limit);
  EXPECT_EQ(stored("key"), "");
  held.deliver();
  EXPECT_EQ(asked.get(), "+OK\r\n");
  EXPECT_EQ(stored("key"), "1");
}

TEST_F(RedisLinkTest, HoldsBackAReplyOfAnAppliedCommand) {
  auto held = link.arm({.direction = Direction::reply, .command = "SET"}, Action::hold_back);
  auto asked = ask({"SET", "key", "1"});
  held.await(test_limit);
  EXPECT_EQ(stored("key"), "1");
  EXPECT_EQ(asked.wait_for(milliseconds(0)), std::future_status::timeout);
  held.deliver();
  EXPECT_EQ(asked.get(), "+OK\r\n");
}

TEST_F(LinkTest, HoldsWhatComesBehindAHeldMessageToo) {
  auto held = link.arm({.direction = Direction::command}, Action::hold_back);
  client.send(resp({"FIRST"}) + resp({"SECOND"}));
  held.await(test_limit);
  server.send("+push\r\n");  // the other direction goes on, and shows that time has passed
  EXPECT_EQ(client.read(7), "+push\r\n");
  EXPECT_FALSE(server.has_bytes());
  held.deliver();
  EXPECT_EQ(server.read(31), resp({"FIRST"}) + resp({"SECOND"}));
}

TEST_F(LinkTest, AFaultThatEndsDeliversWhatItHeld) {
  {
    const auto held = link.arm({.direction = Direction::command}, Action::hold_back);
    client.send(resp({"PING"}));
    held.await(test_limit);
    EXPECT_FALSE(server.has_bytes());
  }
  EXPECT_EQ(server.read(14), resp({"PING"}));
}

TEST_F(LinkTest, AFaultThatEndedTouchesNothing) {
  { const auto never_reached = link.arm({.direction = Direction::command}, Action::drop); }
  pass_a_ping();
}

TEST_F(LinkTest, DeliveringWhatIsNotHeldIsNotExercised) {
  auto held = link.arm({.direction = Direction::command}, Action::hold_back);
  EXPECT_THAT(said_by<NotExercised>([&] { held.deliver(); }), HasSubstr("went through"));
  client.send(resp({"PING"}));
  held.await(test_limit);
  held.deliver();
  EXPECT_EQ(server.read(14), resp({"PING"}));
  EXPECT_THAT(said_by<NotExercised>([&] { held.deliver(); }), HasSubstr("went through"));
}

TEST_F(RedisLinkTest, DropsOneCommandAndPassesOnTheNext) {
  const auto lost = link.arm({.direction = Direction::command, .command = "SET"}, Action::drop);
  const Wire client(link.address());
  client.send(resp({"SET", "key", "1"}) + resp({"PING"}));
  EXPECT_EQ(client.read(7), "+PONG\r\n");
  EXPECT_EQ(stored("key"), "");
  EXPECT_TRUE(lost.fired());
}

TEST_F(RedisLinkTest, ADroppedReplyIsNotHeardAndTheNextIs) {
  const auto lost = link.arm({.direction = Direction::reply, .command = "SET"}, Action::drop);
  const Wire client(link.address());
  client.send(resp({"SET", "key", "1"}) + resp({"PING"}));
  EXPECT_EQ(client.read(7), "+PONG\r\n");
  EXPECT_EQ(stored("key"), "1");
  EXPECT_TRUE(lost.fired());
}

TEST_F(RedisLinkTest, NamesRepliesRightAfterADroppedCommand) {
  const auto lost = link.arm({.direction = Direction::command, .command = "SET"}, Action::drop);
  auto held = link.arm({.direction = Direction::reply, .command = "PING"}, Action::hold_back);
  const Wire client(link.address());
  client.send(resp({"SET", "key", "1"}) + resp({"PING"}));
  held.await(test_limit);
  held.deliver();
  EXPECT_EQ(client.read(7), "+PONG\r\n");
}

TEST_F(LinkTest, DelaysAMessage) {
  const auto late = link.arm({.direction = Direction::command}, Action::delay, milliseconds(50));
  const auto before = std::chrono::steady_clock::now();
  pass_a_ping();
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(50));
  EXPECT_TRUE(late.fired());
}

TEST_F(RedisLinkTest, MessagesTravelSideBySide) {
  link.set_latency(milliseconds(5));
  const Wire client(link.address());
  std::string pings;
  std::string pongs;
  for (int i = 0; i < 100; ++i) {
    pings += resp({"ECHO", fmt::format("{:03}", i)});
    pongs += fmt::format("$3\r\n{:03}\r\n", i);
  }
  const auto before = std::chrono::steady_clock::now();
  client.send(pings);
  EXPECT_EQ(client.read(pongs.size()), pongs);
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_GE(took, milliseconds(10));
  EXPECT_LT(took, milliseconds(900));  // one after another they would take 1000
}

TEST_F(LinkTest, AHangUpDoesNotOvertakeAMessage) {
  link.set_latency(milliseconds(50));
  client.send(resp({"PING"}) + "*1\r\n$4\r\nhal");
  client.hang_up();
  EXPECT_EQ(server.read_to_the_end(), resp({"PING"}) + "*1\r\n$4\r\nhal");
}

TEST_F(LinkTest, AShorterWireKeepsTheOrder) {
  link.set_latency(milliseconds(50));
  client.send(resp({"ONE"}));
  link.set_latency(milliseconds(0));
  client.send(resp({"TWO"}));
  EXPECT_EQ(server.read(26), resp({"ONE"}) + resp({"TWO"}));
}

TEST_F(LinkTest, AMessageIsAtItsBoundaryWhenItHasArrived) {
  link.set_latency(milliseconds(20));
  auto held = link.arm({.direction = Direction::command}, Action::hold_back);
  client.send(resp({"FIRST"}) + resp({"SECOND"}));
  held.await(test_limit);
  EXPECT_FALSE(server.has_bytes());
  held.deliver();
  EXPECT_EQ(server.read(31), resp({"FIRST"}) + resp({"SECOND"}));
}

TEST_F(LinkTest, OnlyReplicasAreCutOff) {
  const auto request = resp({"PSYNC", "?", "-1"});
  client.send(request);
  EXPECT_EQ(server.read(request.size()), request);
  const Wire other_client(link.address());
  const auto other_server = listener.accept();
  link.cut_off(Direction::reply, Link::Whose::replicas);
  server.send("+change\r\n");
  other_server.send("+PONG\r\n");
  EXPECT_EQ(other_client.read(7), "+PONG\r\n");
  pass_a_ping();
  EXPECT_FALSE(client.has_bytes());
}

TEST_F(LinkTest, ABlackholeSwallowsOneDirectionOnly) {
  const auto hole =
      link.arm({.direction = Direction::reply, .nth = 2, .command = {}}, Action::blackhole);
  server.send("+one\r\n+two\r\n+three\r\n");
  EXPECT_EQ(client.read(6), "+one\r\n");
  hole.await(test_limit);
  pass_a_ping();
  server.send("+four\r\n");
  pass_a_ping();
  EXPECT_FALSE(client.has_bytes());
  std::vector<std::string> vanished;
  EXPECT_TRUE(eventually([&] {
    vanished.clear();
    for (const auto& event : history.record()) {
      if (event.vanished()) vanished.push_back(event.text("text"));
    }
    return vanished.size() == 2;
  }));
  EXPECT_THAT(vanished, ElementsAre("three", "four"));  // of "two" the fault tells
}

TEST_F(LinkTest, BothSidesSeeAReset) {
  const auto broken = link.arm({.direction = Direction::reply}, Action::reset);
  pass_a_ping();
  server.send("+PONG\r\n");
  EXPECT_EQ(client.ending(), "reset");
  EXPECT_EQ(server.ending(), "reset");
  broken.await(test_limit);
}

TEST_F(LinkTest, TheServerSeesThatTheClientIsGone) {
  client.hang_up();
  EXPECT_EQ(server.ending(), "closed");
}

TEST_F(LinkTest, TheClientSeesThatTheServerIsGone) {
  server.hang_up();
  EXPECT_EQ(client.ending(), "closed");
}

TEST_F(LinkTest, HalfAMessageIsPassedOnWhenItsSenderDies) {
  server.send("$100\r\nhalf");
  server.hang_up();
  EXPECT_EQ(client.read_to_the_end(), "$100\r\nhalf");
}

TEST_F(RedisLinkTest, TheClientSeesAServerKilledMidReply) {
  constexpr std::size_t size = 2 << 20;
  redis.direct().command({"SET", "large", noise(size, 1)});
  const Wire client(link.address());
  for (int i = 0; i < 30; ++i) client.send(resp({"GET", "large"}));
  EXPECT_EQ(client.read(size).size(), size);
  redis.kill();  // far more is under way than fits into the sockets between us
  EXPECT_LT(client.read_to_the_end().size(), 29 * size);
}

TEST_F(LinkTest, BothSidesSeeTheEndOfTheLink) {
  auto other = std::make_unique<Link>(loop, history, "B", "server", listener.address());
  const Wire other_client(other->address());
  const auto other_server = listener.accept();
  other.reset();
  EXPECT_EQ(other_client.ending(), "closed");
  EXPECT_EQ(other_server.ending(), "closed");
  pass_a_ping();
}

TEST_F(KitTest, AServerThatIsNotThereHangsUpOnTheClient) {
  core::Address nowhere;
  {
    const Listener gone;
    nowhere = gone.address();
  }
  const Link link(loop, history, "A", "server", nowhere);
  EXPECT_EQ(Wire(link.address()).ending(), "closed");
}

TEST_F(LinkTest, CountsOnlyWhatFits) {
  auto held =
      link.arm({.direction = Direction::command, .nth = 2, .command = "GET"}, Action::hold_back);
  client.send(resp({"GET", "a"}) + resp({"SET", "b", "1"}) + resp({"GET", "c"}));
  held.await(test_limit);
  EXPECT_EQ(server.read(47), resp({"GET", "a"}) + resp({"SET", "b", "1"}));
  EXPECT_FALSE(server.has_bytes());
  held.deliver();
  EXPECT_EQ(server.read(20), resp({"GET", "c"}));
}

TEST_F(LinkTest, CountsFromWhenItWasArmed) {
  pass_a_ping();
  auto held = link.arm({.direction = Direction::command, .nth = 1}, Action::hold_back);
  client.send(resp({"PING"}));
  held.await(test_limit);
  held.deliver();
}

TEST_F(LinkTest, FiresOnce) {
  const auto lost = link.arm({.direction = Direction::command}, Action::drop);
  client.send(resp({"LOST"}));
  pass_a_ping();
  pass_a_ping();
}

TEST_F(LinkTest, EveryArmedFaultCountsEveryMessage) {
  auto first = link.arm({.direction = Direction::command, .nth = 1}, Action::drop);
  auto second = link.arm({.direction = Direction::command, .nth = 2}, Action::hold_back);
  client.send(resp({"ONE"}) + resp({"TWO"}));
  second.await(test_limit);
  EXPECT_TRUE(first.fired());
  second.deliver();
  EXPECT_EQ(server.read(13), resp({"TWO"}));
}

TEST_F(LinkTest, OneConnectionGoesOnWhileAnotherIsHeld) {
  const Wire other_client(link.address());
  const auto other_server = listener.accept();
  auto held = link.arm({.direction = Direction::command}, Action::hold_back);
  client.send(resp({"HELD"}));
  held.await(test_limit);
  other_client.send(resp({"PING"}));
  EXPECT_EQ(other_server.read(14), resp({"PING"}));
  EXPECT_FALSE(server.has_bytes());
}

TEST_F(LinkTest, ADecisionIsAskedAtEveryUnclaimedBoundary) {
  std::vector<std::string> asked;
  link.decide_by([&](const Boundary& boundary) {
    asked.push_back(boundary.client + boundary.command + boundary.server);
    return boundary.command == "LOST" ? Action::drop : Action::forward;
  });
  const auto armed = link.arm({.direction = Direction::command, .command = "ARMED"}, Action::drop);
  client.send(resp({"LOST"}) + resp({"ARMED"}));
  pass_a_ping();
  link.decide_by({});
  pass_a_ping();
  EXPECT_THAT(asked, ElementsAre("ALOSTserver", "APINGserver"));
}

TEST_F(LinkTest, HoldsBackUntilTheNextDecision) {
  Once held;
  link.decide_by([&](const Boundary& boundary) {
    if (boundary.direction == Direction::reply) return Action::forward;
    held.happen();
    return Action::hold_back;
  });
  client.send(resp({"PING"}));
  ASSERT_TRUE(held.wait(test_limit));
  server.send("+push\r\n");
  EXPECT_EQ(client.read(7), "+push\r\n");
  EXPECT_FALSE(server.has_bytes());
  link.decide_by({});
  EXPECT_EQ(server.read(14), resp({"PING"}));
}

TEST_F(LinkTest, HoldsBackTwoMessagesIndependently) {
  std::size_t asked = 0;  // on the loop's thread
  const auto hold = [&](const Boundary&) {
    ++asked;
    return Action::hold_back;
  };
  const auto asked_so_far = [&] {
    turn_the_loop();
    return loop.call([&] { return asked; });
  };
  const Wire other_client(link.address());
  const auto other_server = listener.accept();
  link.decide_by(hold);
  client.send(resp({"PING"}));
  other_client.send(resp({"PING"}));
  ASSERT_TRUE(eventually([&] { return asked_so_far() >= 2; }));
  EXPECT_EQ(asked_so_far(), 2U);
  link.decide_by(hold);
  EXPECT_EQ(asked_so_far(), 4U);
  link.decide_by({});
  EXPECT_EQ(server.read(14), resp({"PING"}));
  EXPECT_EQ(other_server.read(14), resp({"PING"}));
}

TEST_F(LinkTest, AnUnreachedBoundaryIsNotExercised) {
  const auto held =
      link.arm({.direction = Direction::reply, .nth = 2, .command = "GET"}, Action::hold_back);
  EXPECT_EQ(said_by<NotExercised>([&] { held.await(milliseconds(1)); }),
            "waited for reply number 2 of GET, and it never came: the fault did not happen");
  EXPECT_THAT(said_by<NotExercised>([&] { held.await(test_limit, [] { return true; }); }),
              HasSubstr("it never came"));
}

TEST_F(RedisLinkTest, PassesWhatTheServerPushes) {
  const Wire subscriber(link.address());
  subscriber.send(resp({"SUBSCRIBE", "news"}));
  const std::string subscribed = "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n";
  ASSERT_EQ(subscriber.read(subscribed.size()), subscribed);
  redis.direct().command({"PUBLISH", "news", "one"});
  EXPECT_EQ(subscriber.read(36), resp({"message", "news", "one"}));
  auto push = link.arm({.direction = Direction::reply}, Action::hold_back);
  redis.direct().command({"PUBLISH", "news", "two"});
  push.await(test_limit);
  EXPECT_FALSE(subscriber.has_bytes());
  push.deliver();
  EXPECT_EQ(subscriber.read(36), resp({"message", "news", "two"}));
}

TEST_F(RedisLinkTest, WritesDownEveryBoundaryAndFault) {
  auto held = link.arm({.direction = Direction::reply}, Action::hold_back);
  auto asked = ask({"SET", "key", "1"});
  held.await(test_limit);
  held.deliver();
  asked.get();
  const auto record = history.record();
  EXPECT_THAT(events_of(Kind::command, record), ElementsAre("A SET key 1"));
  EXPECT_THAT(events_of(Kind::reply, record), ElementsAre("A OK"));
  EXPECT_THAT(events_of(Kind::fault, record), ElementsAre("A held", "A delivered"));
}

// The client notices only by asking. No command is under way to a server that has left.
TEST_F(LinkTest, SaysThatACommandCameTooLate) {
  pass_a_ping();
  server.hang_up();
  EXPECT_EQ(client.ending(), "closed");
  client.send(resp({"SET", "key", "1"}));
  Record sent;
  EXPECT_TRUE(eventually([&] {
    sent = history.record();
    std::erase_if(sent, [](const Event& event) { return event.kind != Kind::command; });
    return sent.size() == 2;
  }));
  EXPECT_FALSE(sent.front().vanished());
  EXPECT_TRUE(sent.back().vanished());
}

TEST_F(LinkTest, RefusesWhileShutAndAcceptsWhenOpened) {
  link.shut();
  EXPECT_THROW(Wire{link.address()}, std::runtime_error);
  link.open();
  const Wire wire(link.address());
  const Wire other_end = listener.accept();
  wire.send(resp({"PING"}));
  EXPECT_EQ(other_end.read(14), resp({"PING"}));
}

TEST_F(LinkTest, AcceptsALateClientAfterDescriptorsRanOut) {
  std::optional<Wire> early;
  {
    const DescriptorsLeft its_own(1);
    early.emplace(link.address());
    turn_the_loop();
  }
  const auto other_end = listener.accept();
  early->send(resp({"PING"}));
  EXPECT_EQ(other_end.read(14), resp({"PING"}));
}

TEST_F(LinkTest, ThatCannotListenAgainCannotRun) {
  link.shut();
  const DescriptorsLeft none(0);
  EXPECT_THAT(said_by<CannotRun>([&] { link.open(); }), HasSubstr("cannot listen on 127.0.0.1"));
}

}  // namespace
}  // namespace faults
